import { EXIT, type ExitCode, SIGNALS } from '../errors.ts'
import { hostOf } from '../host.ts'
import type { Io } from '../io.ts'
import { readOptions } from '../options/options.ts'
import type { Row } from '../options/row.ts'
import { withoutRestart } from '../text/command-line.ts'
import { jsonLine } from '../text/json.ts'
import { paintedFor } from '../text/paint.ts'
import type { AnyCommand, Call, CommandWork } from './command.ts'
import { renderError } from './render-error.ts'

type Json = Readonly<Record<string, unknown>>
export type AnyCall = Call<readonly Row[]>
type AnyWork = CommandWork<readonly Row[], Awaited<ReturnType<AnyCommand['work']>>['schema']>

type Performed = Pick<AnyCommand, 'isReported' | 'isDeed' | 'tellsDry' | 'isPrivate' | 'work'>

/** Does a command's work, and prints its results. `label`: its name, for the log. */
export async function perform(command: Performed, call: AnyCall, label: string, io: Io): Promise<ExitCode> {
  const { run, lines, exit, follow, next }: AnyWork = await command.work()
  let last: { readonly result: unknown } | undefined
  try {
    for await (const result of run(call, io)) {
      last = { result }
      print(result, lines, { command, call, label }, io)
    }
  } catch (error) {
    // What was printed says how far it came, and stdout has no second object.
    if (last === undefined) throw error
    return renderError(error, { ...io, argv: withoutRestart(io.argv) })
  }
  if (last === undefined) return SIGNALS[io.interrupted.reason as keyof typeof SIGNALS] ?? EXIT.done
  const code = exit?.(last.result, call) ?? EXIT.done
  const words = follow?.(last.result, call, io) ?? []
  if (words.length > 0) return (await performWords(words, io)) || code
  const then = next?.(last.result, call, io) ?? []
  if (then.length > 0) io.stderr.write(`${then.join('\n')}\n`)
  return code
}

/** Prints one result: as JSON, as the answer on stdout, or as the summary of a deed on standard error. */
function print(
  result: unknown,
  lines: AnyWork['lines'],
  of: { readonly command: Performed; readonly call: AnyCall; readonly label: string },
  { stdout, stderr, telemetry, env }: Io,
): void {
  const { isReported, isPrivate, tellsDry } = of.command
  const { json } = of.call.values as { readonly json?: boolean }
  const isDry = tellsDry && (result as { readonly dry_run: boolean }).dry_run
  const isDeed = of.command.isDeed && !isDry
  const shown = json ? [] : lines(result, isDeed ? stderr : stdout)
  const text = shown.map((line) => `${line}\n`).join('')
  const summary = isDeed ? text : ''
  if (isReported && !isPrivate) telemetry.summary(of.label, { json: result as Json, text: summary })
  else if (summary !== '') stderr.write(summary)
  if (json) stdout.write(jsonLine(result))
  else if (!isDeed) stdout.write(paintedFor(text, stdout, env))
}

/** Does what a command line says, in this process; code `usage` for a wrong one. */
export async function performWords(argv: readonly string[], io: Io): Promise<ExitCode> {
  const { COMMANDS } = await import('./index.ts')
  const [name = '', ...words] = argv
  const { command } = await COMMANDS[name]!.load()
  if (!('commands' in command)) return performOne(command, words, name, { ...io, argv })
  return performOne(command.commands[words[0]!]!, words.slice(1), name, { ...io, argv })
}

/** Does the same in a world that prints nothing. `said`: what it told last. */
export async function performQuietly<Result>(
  argv: readonly string[],
  { interrupted, env }: Pick<Io, 'interrupted' | 'env'>,
): Promise<{ readonly code: ExitCode; readonly result: Result | undefined; readonly said: string }> {
  let said = ''
  const onMessage = (text: string) => {
    said = text
  }
  const host = hostOf({ signal: interrupted, env, onMessage }, argv)
  const code = await performWords(argv, host).catch((error) => renderError(error, host))
  return { code, result: host.telemetry.takeSummary() as Result | undefined, said }
}

async function performOne(
  command: AnyCommand,
  words: readonly string[],
  label: string,
  io: Io,
): Promise<ExitCode> {
  return perform(command, await readOptions(command.options, words, io.env, command.argument), label, io)
}
