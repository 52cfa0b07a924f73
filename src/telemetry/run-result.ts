import { EXITS, type ExitCode, type ExitName } from '../errors.ts'
import { number, span } from '../text/words.ts'
import type { Entry, FateCounts, Level } from './entry.ts'

/** How a run ended. */
export interface Ending {
  /** The command, as a user names it. */
  readonly command: string
  readonly code: ExitCode
  readonly seconds: number
  /** Those of the summary; null if there was none. */
  readonly counts: FateCounts | null
  /** Whether the summary says that all was done; null if there was none. */
  readonly finished: boolean | null
  /** An error was told. */
  readonly isStopped: boolean
}

/** How the ways to end are told. An interruption was asked for, but the work is not done. */
const ENDS: Readonly<Record<ExitName, readonly [words: string, level: Level, why?: string]>> = {
  done: ['done', 'info'],
  bug: ['stopped by a bug', 'error'],
  usage: ['not begun', 'error'],
  rejects: ['done', 'warn', 'problems were found'],
  auth: ['stopped', 'error', 'a key is missing, or was refused'],
  paused: ['paused', 'error'],
  mismatch: ['not begun: something does not match what was saved before', 'error'],
  locked: ['not begun: another run is at work', 'error'],
  sighup: ['interrupted', 'warn'],
  sigint: ['interrupted', 'warn'],
  sigterm: ['interrupted', 'warn'],
}

/** The name of an exit code, as a word that a script can test. */
export function outcomeOf(code: ExitCode): ExitName {
  const names = Object.keys(EXITS) as ExitName[]
  return names.find((name) => EXITS[name].code === code) ?? 'bug'
}

/** The last line of a run: its result. `more`: further members. */
export function resultEntry(ending: Ending, more: Readonly<Record<string, unknown>>): Entry {
  const { command, code, seconds, counts, finished } = ending
  const outcome = outcomeOf(code)
  const [words, level, meaning] = ENDS[outcome]
  const special = howOf(ending, outcome)
  const [how, why] = special === undefined ? [words, meaning] : [special]
  const said = countWords(counts)
  const what = said === '' ? how : `${how}: ${said},`
  return {
    event: 'result',
    level,
    label: command,
    message: `${what}${how.startsWith('not begun') ? '' : ` ${how.startsWith('done') ? 'in' : 'after'} ${span(seconds * 1000)}`}${why ? `: ${why}` : ''} (exit code ${code})`,
    members: { exit_code: code, outcome, finished, seconds: Number(seconds.toFixed(3)), counts, ...more },
  }
}

/** What the exit code alone does not tell. */
function howOf({ counts, finished, isStopped }: Ending, outcome: ExitName): string | undefined {
  if (outcome === 'done' && finished === false) return 'stopped as asked'
  // What was counted had begun.
  if (outcome === 'usage' && countWords(counts) !== '') return 'stopped'
  if (outcome !== 'rejects') return undefined
  if (isStopped || finished === false) return 'stopped by what was found'
  return counts?.written !== undefined && (counts.rejected ?? 0) > 0 ? 'done, with rejects' : undefined
}

function countWords(counts: FateCounts | null): string {
  // Findings are counted too, which are no events.
  if (counts?.written === undefined) return ''
  const { written, rejected = 0, pending = 0 } = counts
  const said = [`${number(written)} written`, `${number(rejected)} rejected`]
  return [...said, ...(pending > 0 ? [`${number(pending)} pending`] : [])].join(', ')
}
