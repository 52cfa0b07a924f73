import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { readSecret } from '../../options/read-secret.ts'
import { oneOf } from '../../options/values.ts'
import {
  AMPLITUDE_DELAY_MS,
  AMPLITUDE_HOSTS,
  type AmplitudeRegion,
  amplitudeOrder,
} from '../../sources/amplitude/amplitude.ts'
import { basic } from '../../sources/vendor-client.ts'
import { HOUR_MS } from '../../sources/window.ts'
import { read } from '../option-values.ts'
import { loadSources } from '../service-flags.ts'
import { addExportFlags, type ExportFlags, QUIET_MS, windowOption, windowsFrom } from './flags.ts'
import { runExportCommand } from './run.ts'

interface Flags extends ExportFlags {
  readonly region: AmplitudeRegion
  readonly window: number
}

/** `export amplitude`. */
export function configureAmplitude(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  addExportFlags(command.description('events by the hour they reached Amplitude'))
    .option('--region <us|eu>', "where the project's data lives", read(oneOf('us', 'eu')), 'us')
    .addOption(windowOption('halved where it is too much').default(HOUR_MS, '1h'))
    .addHelpText('after', HELP)
    .action(async (flags: Flags) => exit(await run(flags, io)))
}

const HELP = `
Credentials: AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY, each from the
environment, or from the file that <name>_FILE names. Windows are those of
server_upload_time, UTC; an hour can be exported two hours after its end.`

async function run(flags: Flags, io: Io): Promise<ExitCode> {
  const sources = await loadSources({}, io)
  const apiKey = await readSecret({ env: 'AMPLITUDE_API_KEY' }, sources, io.stdin)
  const secretKey = await readSecret({ env: 'AMPLITUDE_SECRET_KEY' }, sources, io.stdin)
  if (!apiKey || !secretKey) {
    throw new PosthaulError('no credentials for Amplitude', {
      code: 'auth',
      hint: 'set AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY (Settings, Projects, General)',
    })
  }
  const exportable = Date.now() - AMPLITUDE_DELAY_MS
  const order = amplitudeOrder({
    host: flags.baseUrl ?? AMPLITUDE_HOSTS[flags.region],
    region: flags.region,
    credentials: basic(apiKey, secretKey),
    keyFingerprint: apiKey.fingerprint(),
    windows: windowsFrom(flags, flags.window, exportable - (exportable % HOUR_MS)),
    spanMs: flags.window,
    limits: flags.requestsPerHour === undefined ? [] : [{ requests: flags.requestsPerHour, perMs: HOUR_MS }],
    quietMs: flags.timeout ?? QUIET_MS,
    clock: systemClock,
  })
  return runExportCommand(order, flags, io)
}
