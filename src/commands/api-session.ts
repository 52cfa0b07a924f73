import type { Io } from '../io.ts'
import { apiSettings } from '../options/service-settings.ts'
import { waitPrinter } from '../report/wait.ts'
import { Api } from '../service/api.ts'
import { loadSources } from './service-flags.ts'

/** Opens the project API with what options, environment and config file say, and closes it after the work. */
export async function withApi<T>(
  options: Readonly<Record<string, unknown>>,
  io: Io,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const settings = await apiSettings(await loadSources(options, io), io.stdin)
  const api = new Api({ settings, signal: io.interrupted, onWait: waitPrinter(io.stderr) })
  try {
    return await work(api)
  } finally {
    await api.close()
  }
}
