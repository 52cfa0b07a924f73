import { EXIT, type ExitCode, PosthaulError, SIGNALS } from '../errors.ts'
import type { Io } from '../io.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { helpCommand, withOptions } from '../text/command-line.ts'
import { folded } from '../text/fold.ts'
import { posthaulLine } from '../text/shell-word.ts'
import { visible } from '../text/visible.ts'

const ERROR = { event: 'error', level: 'error', label: 'posthaul' } as const
/** After these the same command fails again, unless something is changed in it. */
const REFUSED_FOR_GOOD: ReadonlySet<string> = new Set(['usage', 'mismatch'])
/** What must be done before the same command works. */
const ONCE: Readonly<Record<string, string>> = {
  input: 'that is mended',
  config: 'that is mended',
  auth: 'that is done',
}
/** Of a stage of `posthaul run`, whose command line nobody has typed. */
const BY_HAND =
  'run has no such option: do this stage once by hand with it, then run again; what is to hold for every window goes into the migration file'
const BUG_HINT = 'please report it with the lines above; the state on disk is safe'

/**
 * Prints an error for a user (what happened, what to do, how to continue) and returns its exit code. `command`: the
 * names that lead to the command whose help tells more.
 */
export function renderError(
  thrown: unknown,
  io: Pick<Io, 'telemetry' | 'argv' | 'interrupted' | 'isStage'>,
  command: readonly string[] = io.argv.slice(0, 1),
): ExitCode {
  // Where a process may open few files, it fails anywhere, also where it loads its own program.
  const isOutOfFiles = ['EMFILE', 'ENFILE'].includes(errnoOf(thrown) ?? '')
  const { path = 'a file' } = isOutOfFiles ? (thrown as { path?: string }) : {}
  const error = isOutOfFiles ? fileError(thrown, 'open', path) : thrown
  if (!(error instanceof PosthaulError)) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
    const members = { code: 'bug', hint: BUG_HINT, lines: [], next_command: null }
    const block = `posthaul: this is a bug: ${stack}\n  ${BUG_HINT}\n`
    io.telemetry.tell({ ...ERROR, message: `this is a bug: ${stack}`, block, members })
    return EXIT.bug
  }
  const { code, message, hint = null, lines } = error
  const isOtherLine = Object.keys(error.options).length > 0
  const { once = isOtherLine ? undefined : ONCE[code] } = error
  const stopped = SIGNALS[io.interrupted.reason as keyof typeof SIGNALS] ?? EXIT.sigint
  // The run says that it was told to stop, and what to do then.
  if (code === 'interrupted' && io.isStage) return stopped
  // A line that would be refused again is not repeated.
  const isForGood = REFUSED_FOR_GOOD.has(code) && once === undefined && !isOtherLine
  const then = isForGood ? null : posthaulLine(withOptions(io.argv, error.options))
  const isByHand = io.isStage && / --[a-z]/.test(hint ?? '')
  const block = [
    // Messages repeat text of servers and users, whose control characters a terminal must not obey.
    folded(visible(message), '  ', 'posthaul: '),
    ...lines.map((line) => folded(visible(line), '      ', '    ')),
    hint === null ? '' : folded(visible(hint), '  '),
    isByHand ? folded(BY_HAND, '  ') : '',
    // A command stays on one line, however long, because a folded one can't be pasted.
    then !== null
      ? `  ${once === undefined ? 'then' : `once ${once}`}: ${then}\n`
      : isByHand
        ? `  by hand: ${posthaulLine(io.argv)}\n`
        : code === 'usage'
          ? `  options: ${helpCommand(command)}\n`
          : '',
  ].join('')
  io.telemetry.tell({ ...ERROR, message, block, members: { code, hint, lines, next_command: then } })
  return error.code === 'interrupted' ? stopped : error.exitCode
}
