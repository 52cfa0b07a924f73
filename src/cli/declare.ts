import type { Command as Commander } from 'commander'
import type { AnyCommand, Call, CommandGroup, CommandWork } from '../commands/command.ts'
import { renderError } from '../commands/render-error.ts'
import { useReported } from '../commands/reported.ts'
import { EXIT, type ExitCode, PosthaulError, SIGNALS } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, optionName, useOptions } from '../options/options.ts'
import { flagOf, type Row } from '../options/row.ts'
import { folded } from '../text/fold.ts'
import { jsonLine } from '../text/json.ts'
import { paintedFor } from '../text/paint.ts'

type Json = Readonly<Record<string, unknown>>
type AnyCall = Call<readonly Row[]>
type AnyWork = CommandWork<readonly Row[], Awaited<ReturnType<AnyCommand['work']>>['schema']>
type Exit = (code: ExitCode) => void

/** Makes a command line of a command: its options, its help, and what is printed of its results. */
export function declare(command: AnyCommand | CommandGroup, target: Commander, io: Io, exit: Exit): void {
  if (command.help) target.addHelpText('after', command.help)
  if ('commands' in command) {
    for (const [name, one] of Object.entries(command.commands))
      declare(one, target.command(name).description(one.summary), io, exit)
    return
  }
  const { argument, options, oneOf = [] } = command
  if (argument) target.argument(...argument)
  const action = async (given: Options<object>, args: readonly string[]) => {
    const call: AnyCall = { ...given, args }
    for (const names of oneOf) assertOne(names, options, call)
    return perform(command, await command.work(), { call, label: target.name() }, io)
  }
  if (command.isReported) useReported(target, options, { io, exit }, action)
  else useOptions(target, options, io.env, async (given, args) => exit(await action(given, args)))
}

/** Does a command's work, and prints its results. */
async function perform(
  { isReported, isDeed }: AnyCommand,
  { run, lines, exit, next }: AnyWork,
  { call, label }: { readonly call: AnyCall; readonly label: string },
  io: Io,
): Promise<ExitCode> {
  const { stdout, stderr, telemetry, interrupted } = io
  const { json } = call.values as { readonly json?: boolean }
  let last: { readonly result: unknown } | undefined
  try {
    for await (const result of run(call, io)) {
      last = { result }
      const text = json && isDeed ? '' : `${lines(result, stdout).join('\n')}\n`
      if (isReported) telemetry.summary(label, { json: result as Json, text: isDeed ? text : '' })
      if (json) stdout.write(jsonLine(result))
      else if (!isDeed) stdout.write(paintedFor(text, stdout, io.env))
    }
  } catch (error) {
    // What was printed says how far it came, and stdout has no second object.
    if (last === undefined) throw error
    return renderError(error, io)
  }
  if (last === undefined) return SIGNALS[interrupted.reason as keyof typeof SIGNALS] ?? EXIT.done
  const then = next?.(last.result, io)
  if (then !== undefined) stderr.write(folded(then, '    ', '  '))
  return exit?.(last.result, call) ?? EXIT.done
}

/** Code `usage` if two of the options are given. */
function assertOne(names: readonly string[], options: readonly Row[], { resolved }: AnyCall): void {
  const sources = resolved as Readonly<Record<string, { readonly source: string } | undefined>>
  const isGiven = (name: string) => ![undefined, 'default'].includes(sources[name]?.source)
  const [one, other] = options.filter((row) => names.includes(optionName(row)) && isGiven(optionName(row)))
  if (one === undefined || other === undefined) return
  throw new PosthaulError(`${flagOf(one)} and ${flagOf(other)} do not go together`, { code: 'usage' })
}
