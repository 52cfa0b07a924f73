import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, useOptions } from '../options/options.ts'
import type { Row, Values } from '../options/row.ts'
import * as rows from '../options/rows/telemetry-rows.ts'
import type { Level } from '../telemetry/entry.ts'
import type { TelemetrySettings } from '../telemetry/telemetry.ts'

/** The options of a command that can take long: what it tells, and where. */
const REPORTED_ROWS = [
  rows.LOG_FORMAT,
  rows.LOG_FILE,
  rows.METRICS_FILE,
  rows.QUIET,
  rows.VERBOSE,
  rows.DEBUG,
  rows.HEALTHCHECK,
  rows.NOTIFY_WEBHOOK,
] as const

/** Declares the options of a command that can take long. Its telemetry is open before `action` is called. */
export function useReported<const R extends readonly Row[]>(
  command: Command,
  own: R,
  { io, exit }: { readonly io: Io; readonly exit: (code: ExitCode) => void },
  action: (options: Options<Values<R>>, args: readonly string[]) => Promise<ExitCode>,
): void {
  useOptions(command, [...own, ...REPORTED_ROWS], io.env, async (options, args) => {
    const { values } = options as Options<Values<typeof REPORTED_ROWS>>
    const { dryRun, init } = command.opts<{ readonly dryRun?: boolean; readonly init?: boolean }>()
    // Who waits for a migration, or watches it, must not hear that it is done when it was only tried.
    const isTrial = dryRun === true || init === true
    await io.telemetry.open(settingsOf(nameOf(command), values, isTrial))
    exit(await action(options as Options<Values<R>>, args))
  })
}

function settingsOf(
  command: string,
  values: Values<typeof REPORTED_ROWS>,
  isTrial: boolean,
): TelemetrySettings {
  const { logFormat, logFile, healthcheck, notifyWebhook: webhook } = values
  const least = leastOf(values)
  return {
    command,
    log: { format: logFormat ?? 'auto', least, file: logFile },
    metricsFile: isTrial ? undefined : values.metricsFile,
    pings: isTrial ? {} : { healthcheck, webhook },
  }
}

/** The level of the lines that matter least of those that are written. */
function leastOf({ quiet, verbose, debug }: Values<typeof REPORTED_ROWS>): Level {
  if (quiet && (verbose || debug)) {
    throw new PosthaulError('--quiet does not go with --verbose or --debug', { code: 'usage' })
  }
  if (debug) return 'debug'
  if (verbose) return 'verbose'
  return quiet ? 'warn' : 'info'
}

/** `groups export`: the names that lead to a command, without the program's. */
function nameOf(command: Command): string {
  const before = command.parent?.parent ? `${nameOf(command.parent)} ` : ''
  return `${before}${command.name()}`
}
