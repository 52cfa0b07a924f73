import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { type API_ROWS, apiSettings } from '../options/service-settings.ts'
import { waitPrinter } from '../report/wait.ts'
import { Api } from '../service/api.ts'

/** The options of a command that reads the project. */
export type ApiOptions = Options<Values<typeof API_ROWS>>

/** Opens the project API where the options say it is, and closes it after the work. */
export async function withApi<T>(options: ApiOptions, io: Io, work: (api: Api) => Promise<T>): Promise<T> {
  const settings = await apiSettings(options, io.stdin)
  const api = new Api({ settings, signal: io.interrupted, onWait: waitPrinter(io.stderr) })
  try {
    return await work(api)
  } finally {
    await api.close()
  }
}
