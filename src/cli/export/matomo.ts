import type { Command } from 'commander'
import type { ExitCode } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from '../../jobs/export/export-options.ts'
import { runExportCommand } from '../../jobs/export/run.ts'
import { required, type Values } from '../../options/row.ts'
import * as rows from '../../options/rows/export-rows.ts'
import { matomoOrder } from '../../sources/matomo/matomo.ts'
import { matomoToken } from '../../sources/vendor-credentials.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { useReported } from '../reported.ts'

const MATOMO_ROWS = [
  ...WHAT_ROWS,
  required(rows.MATOMO_URL),
  required(rows.MATOMO_SITE),
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: '3600' },
  { ...rows.CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const

/** `export matomo`. */
export function configureMatomo(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  command.description('visits with their actions by day').addHelpText('after', HELP)
  useReported(command, MATOMO_ROWS, io, exit, ({ values }) => run(values, io))
}

const HELP = `
Credentials: MATOMO_TOKEN, the token of a user who may view the site; from the
environment, or from the file that MATOMO_TOKEN_FILE names. Days are those of
the site's time zone, and only days that are over there can be exported.`

async function run(values: Values<typeof MATOMO_ROWS>, io: Io): Promise<ExitCode> {
  const token = await matomoToken(io)
  const now = Date.now()
  const order = matomoOrder({
    url: values.url,
    origin: values.baseUrl,
    site: String(values.site),
    token,
    windows: windowsFrom(values, MS_PER_DAY, now - (now % MS_PER_DAY)),
    limits: [{ requests: values.requestsPerHour, perMs: MS_PER_HOUR }],
    quietMs: values.timeout,
    clock: systemClock,
  })
  return runExportCommand(order, values, io)
}
