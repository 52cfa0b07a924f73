import type { Command } from 'commander'
import type { ExitCode } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from '../../jobs/export/export-options.ts'
import { runExportCommand } from '../../jobs/export/run.ts'
import type { Values } from '../../options/row.ts'
import { AMPLITUDE_REGION, CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from '../../options/rows/export-rows.ts'
import { AMPLITUDE_DELAY_MS, AMPLITUDE_HOSTS, amplitudeOrder } from '../../sources/amplitude/amplitude.ts'
import { amplitudeCredentials } from '../../sources/vendor-credentials.ts'
import { MS_PER_HOUR } from '../../text/units.ts'
import { useReported } from '../reported.ts'

const AMPLITUDE_ROWS = [
  ...WHAT_ROWS,
  AMPLITUDE_REGION,
  { ...WINDOW, default: '1h', help: 'length of a window, 1h to 24h; halved if its answer is too large' },
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, otherwise: 'no limit' },
  CONCURRENCY,
  ...HOW_ROWS,
] as const

/** `export amplitude`. */
export function configureAmplitude(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  command.description('events by the hour they reached Amplitude').addHelpText('after', HELP)
  useReported(command, AMPLITUDE_ROWS, io, exit, ({ values }) => run(values, io))
}

const HELP = `
Credentials: AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY, each from the
environment, or from the file that <name>_FILE names. Windows follow
server_upload_time, in UTC. An hour can be exported two hours after its end.`

async function run(values: Values<typeof AMPLITUDE_ROWS>, io: Io): Promise<ExitCode> {
  const { credentials, apiKey } = await amplitudeCredentials(io)
  const exportable = Date.now() - AMPLITUDE_DELAY_MS
  const order = amplitudeOrder({
    host: values.baseUrl ?? AMPLITUDE_HOSTS[values.region],
    region: values.region,
    credentials,
    keyFingerprint: apiKey.fingerprint(),
    windows: windowsFrom(values, values.window, exportable - (exportable % MS_PER_HOUR)),
    spanMs: values.window,
    limits:
      values.requestsPerHour === undefined ? [] : [{ requests: values.requestsPerHour, perMs: MS_PER_HOUR }],
    quietMs: values.timeout,
    clock: systemClock,
  })
  return runExportCommand(order, values, io)
}
