import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import * as rows from '../../options/rows/export-rows.ts'
import { number } from '../../report/words.ts'
import { MIXPANEL_HOSTS, MIXPANEL_LIMITS, mixpanelOrder } from '../../sources/mixpanel/mixpanel.ts'
import { basic, type Credentials } from '../../sources/vendor-client.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../units.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from './export-options.ts'
import { runExportCommand } from './run.ts'

const MIXPANEL_ROWS = [
  ...WHAT_ROWS,
  rows.MIXPANEL_REGION,
  rows.EVENT,
  rows.PROFILES,
  rows.GROUP_PROFILES,
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: number(MIXPANEL_LIMITS.perHour) },
  rows.CONCURRENCY,
  ...HOW_ROWS,
] as const

/** `export mixpanel`. */
export function configureMixpanel(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  command.description('raw events by day; profiles').addHelpText('after', HELP)
  useOptions(command, MIXPANEL_ROWS, io.env, async ({ values }) => exit(await run(values, io)))
}

const HELP = `
Credentials: MIXPANEL_PROJECT_ID with MIXPANEL_SERVICE_ACCOUNT and
MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET; each from the environment, or
from the file that <name>_FILE names. Days are those of the project: UTC, or its
own time zone if it was made before 2023.`

async function run(values: Values<typeof MIXPANEL_ROWS>, io: Io): Promise<ExitCode> {
  const { credentials, projectId } = await credentialsFrom(io)
  const { region, baseUrl } = values
  const order = mixpanelOrder({
    hosts: baseUrl === undefined ? MIXPANEL_HOSTS[region] : { data: baseUrl, query: baseUrl },
    region,
    credentials,
    projectId,
    events: values.event,
    windows: windowsFrom(values, MS_PER_DAY, endOfToday()),
    profiles: [...(values.profiles ? [{ name: 'profiles' }] : []), ...values.groupProfiles],
    limits: [
      // A little longer than the vendor's spans, because requests can arrive closer together than they leave.
      { requests: values.requestsPerHour, perMs: MS_PER_HOUR + 5000 },
      { requests: MIXPANEL_LIMITS.perSecond, perMs: 1100 },
    ],
    quietMs: values.timeout,
    clock: systemClock,
  })
  return runExportCommand(order, values, io)
}

// Today can be exported too, if --to asks for it; the summary warns that it is not final.
function endOfToday(): number {
  const now = Date.now()
  return now - (now % MS_PER_DAY) + MS_PER_DAY
}

async function credentialsFrom({
  env,
  stdin,
}: Io): Promise<{ credentials: Credentials; projectId: string | undefined }> {
  const secret = (variable: string) => readSecret({ variable }, env, stdin)
  const account = await secret('MIXPANEL_SERVICE_ACCOUNT')
  const projectId = env.MIXPANEL_PROJECT_ID?.trim() || undefined
  if (!account) {
    const apiSecret = await secret('MIXPANEL_API_SECRET')
    if (apiSecret) return { credentials: basic(apiSecret, undefined), projectId }
    throw lacking('no credentials for Mixpanel')
  }
  const password = await secret('MIXPANEL_SERVICE_SECRET')
  if (!password) throw lacking('MIXPANEL_SERVICE_ACCOUNT is set, but MIXPANEL_SERVICE_SECRET is not')
  if (projectId === undefined)
    throw lacking('MIXPANEL_PROJECT_ID is not set: a service account does not say which project')
  return { credentials: basic(account, password), projectId }
}

function lacking(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'auth',
    hint: 'set MIXPANEL_PROJECT_ID, MIXPANEL_SERVICE_ACCOUNT and MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  })
}
