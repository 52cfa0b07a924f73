import { EXIT, type ExitCode, SIGNALS } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Row } from '../options/row.ts'
import { jsonLine } from '../text/json.ts'
import { paintedFor } from '../text/paint.ts'
import type { AnyCommand, Call, CommandWork } from './command.ts'
import { renderError } from './render-error.ts'

type Json = Readonly<Record<string, unknown>>
export type AnyCall = Call<readonly Row[]>
export type AnyWork = CommandWork<readonly Row[], Awaited<ReturnType<AnyCommand['work']>>['schema']>

/** Does a command's work, and prints its results. `label`: its name, for the log. */
export async function perform(
  command: Pick<AnyCommand, 'isReported' | 'isDeed' | 'isPrivate' | 'work'>,
  call: AnyCall,
  label: string,
  io: Io,
): Promise<ExitCode> {
  const { stdout, stderr, telemetry, interrupted } = io
  const { run, lines, exit, next }: AnyWork = await command.work()
  const { json } = call.values as { readonly json?: boolean }
  let last: { readonly result: unknown } | undefined
  try {
    for await (const result of run(call, io)) {
      last = { result }
      const shown = json && command.isDeed ? [] : lines(result, command.isDeed ? stderr : stdout)
      const text = shown.map((line) => `${line}\n`).join('')
      if (command.isReported && !command.isPrivate)
        telemetry.summary(label, { json: result as Json, text: command.isDeed ? text : '' })
      if (json) stdout.write(jsonLine(result))
      else if (!command.isDeed) stdout.write(paintedFor(text, stdout, io.env))
    }
  } catch (error) {
    // What was printed says how far it came, and stdout has no second object.
    if (last === undefined) throw error
    return renderError(error, io)
  }
  if (last === undefined) return SIGNALS[interrupted.reason as keyof typeof SIGNALS] ?? EXIT.done
  const then = next?.(last.result, io) ?? []
  if (then.length > 0) stderr.write(`${then.join('\n')}\n`)
  return exit?.(last.result, call) ?? EXIT.done
}
