import { Argument, type Command } from 'commander'
import type { AnyCommand, CommandGroup } from '../commands/command.ts'
import { type AnyCall, perform } from '../commands/perform.ts'
import { type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, optionName, useOptions } from '../options/options.ts'
import { flagOf, type Row, type Values } from '../options/row.ts'
import * as rows from '../options/telemetry-rows.ts'
import type { Level } from '../telemetry/entry.ts'
import type { TelemetrySettings } from '../telemetry/telemetry.ts'

type Exit = (code: ExitCode) => void

/** Makes a command line of a command: its options, its help, and what is printed of its results. */
export function declare(command: AnyCommand | CommandGroup, target: Command, io: Io, exit: Exit): void {
  if (command.help) target.addHelpText('after', command.help)
  if ('commands' in command) {
    target.helpCommand('help [command]', 'show help for a command')
    for (const [name, one] of Object.entries(command.commands))
      declare(one, target.command(name).description(one.summary), io, exit)
    return
  }
  const { argument, options, oneOf = [] } = command
  if (argument) {
    const [name, help, choices] = argument
    const taken = new Argument(name, help)
    target.addArgument(choices ? taken.choices(choices) : taken)
  }
  const program = async () => (await import('./program.ts')).treeOf(rootOf(target))
  const action = async (given: Options<object>, args: readonly string[]) => {
    const call: AnyCall = { ...given, args, program }
    for (const names of oneOf) assertOne(names, options, call)
    return perform(command, call, target.name(), io)
  }
  if (command.isReported) useReported(target, options, { io, exit }, action)
  else useOptions(target, options, io.env, async (given, args) => exit(await action(given, args)))
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command
}

/** Code `usage` if two of the options are given. */
function assertOne(names: readonly string[], options: readonly Row[], { resolved }: AnyCall): void {
  const sources = resolved as Readonly<Record<string, { readonly source: string } | undefined>>
  const isGiven = (name: string) => ![undefined, 'default'].includes(sources[name]?.source)
  const [one, other] = options.filter((row) => names.includes(optionName(row)) && isGiven(optionName(row)))
  if (one === undefined || other === undefined) return
  throw new PosthaulError(`${flagOf(one)} and ${flagOf(other)} do not go together`, { code: 'usage' })
}

/** The options of a command that can take long: what it tells, and where. */
const REPORTED_ROWS = [
  rows.LOG_FORMAT,
  rows.METRICS_FILE,
  rows.QUIET,
  rows.VERBOSE,
  rows.DEBUG,
  rows.NOTIFY_WEBHOOK,
] as const

/** Declares the options of a command that can take long. Its telemetry is open before `action` is called. */
function useReported<const R extends readonly Row[]>(
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
  const { logFormat, notifyWebhook, metricsFile } = values
  const least = leastOf(values)
  return {
    command,
    log: { format: logFormat ?? 'auto', least },
    metricsFile: isTrial ? undefined : metricsFile,
    webhook: isTrial ? undefined : notifyWebhook,
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
