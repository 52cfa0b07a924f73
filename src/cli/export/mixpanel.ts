import type { Command } from 'commander'
import type { ExitCode } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from '../../jobs/export/export-options.ts'
import { runExportCommand } from '../../jobs/export/run.ts'
import type { Values } from '../../options/row.ts'
import * as rows from '../../options/rows/export-rows.ts'
import { MIXPANEL_HOSTS, MIXPANEL_LIMITS, mixpanelOrder } from '../../sources/mixpanel/mixpanel.ts'
import { mixpanelCredentials } from '../../sources/vendor-credentials.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { number } from '../../text/words.ts'
import { useReported } from '../reported.ts'

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
  useReported(command, MIXPANEL_ROWS, io, exit, ({ values }) => run(values, io))
}

const HELP = `
Credentials: MIXPANEL_PROJECT_ID with MIXPANEL_SERVICE_ACCOUNT and
MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET; each from the environment, or
from the file that <name>_FILE names. Days are those of the project: UTC, or its
own time zone if it was made before 2023.`

async function run(values: Values<typeof MIXPANEL_ROWS>, io: Io): Promise<ExitCode> {
  const { credentials, projectId } = await mixpanelCredentials(io)
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
