import { failureOf } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { AskedProject } from '../service/api.ts'

/** Asks the chosen project, for a limited time; undefined without a personal key. */
export async function askProject<T>(
  options: Options<ReaderValues>,
  io: Io,
  ask: (project: AskedProject) => Promise<T>,
  timeoutMs?: number,
): Promise<T | undefined> {
  const settings = await apiSettingsIfAny(options, io.stdin)
  if (!settings) return undefined
  // Without a key nobody is asked: an import without one starts in half the time.
  const [{ chooseProject }, { question }] = await Promise.all([
    import('../service/key-owner.ts'),
    import('./import-guards.ts'),
  ])
  return question(settings, io, async (api) => ask({ api, projectId: await chooseProject(api) }), timeoutMs)
}

/** What is answered; undefined where it can't be asked, of which `unasked` is told what and why. */
export function ifAnswered<T>(
  asking: Promise<T>,
  what: string,
  unasked: (what: string) => void,
): Promise<T | undefined> {
  return asking.catch((error: unknown) => {
    unasked(`${what}: ${failureOf(error).message}`)
    return undefined
  })
}

export const QUOTA_LEFT = 'what is left of the quota of events'
