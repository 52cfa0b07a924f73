import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Secret } from '../../http/secret.ts'
import type { Io } from '../../io.ts'
import { parseOrigin } from '../../options/hosts.ts'
import { useOptions } from '../../options/options.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import { CONCURRENCY, GROUPS, PERSONS, REQUESTS_PER_HOUR, WINDOW } from '../../options/rows/export-rows.ts'

import { number } from '../../report/words.ts'
import type { Api } from '../../service/api.ts'
import { Groups } from '../../service/groups.ts'
import { POSTHOG_LIMITS, posthogOrder } from '../../sources/posthog/posthog.ts'
import { bearer } from '../../sources/vendor-client.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../units.ts'
import { openApi } from '../api-session.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from './export-options.ts'
import { runExportCommand } from './run.ts'

const POSTHOG_ROWS = [
  ...WHAT_ROWS,
  PERSONS,
  GROUPS,
  { ...WINDOW, default: '24h', help: 'length of a window, 1h to 24h; split if it has too many events' },
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, default: number(POSTHOG_LIMITS.perHour) },
  // The service takes at most three queries at once. One is left for the project's own people.
  { ...CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const

/** `export posthog`. */
export function configurePostHog(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  command
    .description('events of another region or installation, by its query endpoint')
    .addHelpText('after', HELP)
  useOptions(command, POSTHOG_ROWS, io.env, async ({ values }) => exit(await run(values, io)))
}

const HELP = `
Set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY (a
personal key with query:read, for --groups group:read too), or
POSTHOG_SOURCE_API_KEY_FILE. For a large project its batch exports are faster:
transform --preset posthog reads their files.`

async function run(values: Values<typeof POSTHOG_ROWS>, io: Io): Promise<ExitCode> {
  const key = await readSecret({ variable: 'POSTHOG_SOURCE_API_KEY' }, io.env, io.stdin)
  const projectId = io.env.POSTHOG_SOURCE_PROJECT_ID?.trim()
  const host = io.env.POSTHOG_SOURCE_HOST?.trim()
  if (!key) throw lacking('no key for the project to export', 'auth')
  if (!projectId) throw lacking('no project to export', 'config')
  if (!host && values.baseUrl === undefined) throw lacking('no address of the project to export', 'config')
  const source = values.baseUrl ?? parseOrigin(host!, 'POSTHOG_SOURCE_HOST')
  const now = Date.now()
  const api = values.groups ? apiOf(source, key, io) : undefined
  const order = posthogOrder({
    host: source,
    projectId,
    credentials: bearer(key),
    windows: windowsFrom(values, values.window, now - (now % MS_PER_DAY) + MS_PER_DAY),
    spanMs: values.window,
    persons: values.persons,
    groups: api && new Groups(api, projectId),
    limits: [
      { requests: values.requestsPerHour, perMs: MS_PER_HOUR },
      { requests: POSTHOG_LIMITS.perMinute, perMs: MS_PER_MINUTE },
    ],
    quietMs: values.timeout,
    clock: systemClock,
  })
  try {
    return await runExportCommand(order, values, io)
  } finally {
    await api?.close()
  }
}

/** The source's project API, which knows the names of its group types. */
function apiOf(host: string, personalKey: Secret, io: Io): Api {
  const settings = {
    origin: { value: host, from: 'POSTHOG_SOURCE_HOST', source: 'env' as const },
    personalKey,
    projectId: undefined,
  }
  return openApi(settings, io)
}

function lacking(message: string, code: 'auth' | 'config'): PosthaulError {
  const hint = 'set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY'
  return new PosthaulError(message, { code, hint })
}
