import { EXIT, type ExitCode, PosthaulError, SIGNALS } from '../errors.ts'
import type { Io } from '../io.ts'
import { continueCommand, helpCommand, withOptions } from './command-line.ts'
import { folded } from './fold.ts'
import { visible } from './visible.ts'

/**
 * Prints an error for a user (what happened, what to do, how to continue) and returns its exit code. `command`: the
 * names that lead to the command whose help tells more.
 */
export function renderError(
  error: unknown,
  io: Pick<Io, 'stderr' | 'argv' | 'interrupted' | 'env'>,
  command: readonly string[] = io.argv.slice(0, 1),
): ExitCode {
  if (!(error instanceof PosthaulError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    io.stderr.write(
      `posthaul: this is a bug: ${stack}\n  please report it with the lines above; the state on disk is safe\n`,
    )
    return EXIT.bug
  }
  // Messages repeat text of servers and users, whose control characters a terminal must not obey.
  io.stderr.write(folded(visible(error.message), '  ', 'posthaul: '))
  for (const line of error.lines) io.stderr.write(folded(visible(line), '      ', '    '))
  if (error.hint) io.stderr.write(folded(visible(error.hint), '  '))
  // A command stays on one line, however long, because a folded one can't be pasted.
  // After a mistake in the command line the same line would fail again, so it is not repeated.
  if (error.code === 'usage') io.stderr.write(`  all options: ${helpCommand(command)}\n`)
  else io.stderr.write(`  then: ${continueCommand(withOptions(io.argv, error.options))}\n`)
  if (error.code === 'interrupted')
    return SIGNALS[io.interrupted.reason as keyof typeof SIGNALS] ?? EXIT.sigint
  return error.exitCode
}
