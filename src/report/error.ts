import { EXIT, type ExitCode, PosthaulError, SIGNALS } from '../errors.ts'
import type { Io } from '../io.ts'
import { continueCommand, helpCommand, withOptions } from './command-line.ts'
import { folded } from './fold.ts'
import { visible } from './visible.ts'

/**
 * Prints an error the way a user reads it (what, what to do, how to go on) and returns its exit code. `command`: the
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
      `posthaul: a bug: ${stack}\n  please report it with the lines above; the state on disk is safe\n`,
    )
    return EXIT.bug
  }
  // Messages hold servers' words and users' names: they are shown, and never obeyed by the terminal.
  io.stderr.write(folded(visible(error.message), '  ', 'posthaul: '))
  for (const line of error.lines) io.stderr.write(folded(visible(line), '      ', '    '))
  if (error.hint) io.stderr.write(folded(visible(error.hint), '  '))
  // A command stays on one line, however long: a folded one can't be pasted.
  // A mistaken command line is not repeated; any other goes on once the cause is gone.
  if (error.code === 'usage') io.stderr.write(`  all options: ${helpCommand(command)}\n`)
  else io.stderr.write(`  then: ${continueCommand(withOptions(io.argv, error.options))}\n`)
  if (error.code === 'interrupted')
    return SIGNALS[io.interrupted.reason as keyof typeof SIGNALS] ?? EXIT.sigint
  return error.exitCode
}
