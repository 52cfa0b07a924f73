import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { parseOrigin } from '../../options/hosts.ts'
import { readSecret } from '../../options/read-secret.ts'
import { POSTHOG_LIMITS, posthogOrder } from '../../sources/posthog/posthog.ts'
import { bearer } from '../../sources/vendor-client.ts'
import { DAY_MS, HOUR_MS } from '../../sources/window.ts'
import { loadSources } from '../service-flags.ts'
import { addExportFlags, type ExportFlags, QUIET_MS, windowOption, windowsFrom } from './flags.ts'
import { runExportCommand } from './run.ts'

interface Flags extends ExportFlags {
  readonly window: number
  readonly persons?: boolean
}

/** `export posthog`. */
export function configurePostHog(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  addExportFlags(command.description('events of another region or installation, by its query endpoint'))
    .addOption(windowOption('asked in pieces where it is much').default(DAY_MS, '24h'))
    .option('--persons', 'persons too, as $set events')
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => exit(await run(flags, io)))
}

const HELP = `
Set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY (a
personal key with query:read), or POSTHOG_SOURCE_API_KEY_FILE. For a large
project its batch exports are faster: transform --preset posthog reads their
files.`

async function run(flags: Flags, io: Io): Promise<ExitCode> {
  const sources = await loadSources({}, io)
  const key = await readSecret({ env: 'POSTHOG_SOURCE_API_KEY' }, sources, io.stdin)
  const projectId = io.env.POSTHOG_SOURCE_PROJECT_ID?.trim()
  const host = io.env.POSTHOG_SOURCE_HOST?.trim()
  if (!key) throw lacking('no key for the project to export', 'auth')
  if (!projectId) throw lacking('no project to export', 'config')
  if (!host && flags.baseUrl === undefined) throw lacking('no address of the project to export', 'config')
  const perHour = flags.requestsPerHour ?? POSTHOG_LIMITS.perHour
  const now = Date.now()
  const order = posthogOrder({
    host: flags.baseUrl ?? parseOrigin(host!, 'POSTHOG_SOURCE_HOST'),
    projectId,
    credentials: bearer(key),
    windows: windowsFrom(flags, flags.window, now - (now % DAY_MS) + DAY_MS),
    spanMs: flags.window,
    persons: flags.persons === true,
    limits: [
      { requests: perHour, perMs: HOUR_MS },
      { requests: POSTHOG_LIMITS.perMinute, perMs: 60_000 },
    ],
    quietMs: flags.timeout ?? QUIET_MS,
    clock: systemClock,
  })
  return runExportCommand(order, flags, io)
}

function lacking(message: string, code: 'auth' | 'config'): PosthaulError {
  const hint = 'set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY'
  return new PosthaulError(message, { code, hint })
}
