import type { Migration } from '../../migration/migration-file.ts'
import type { Portion, RunStageName, StageDecision } from '../../migration/stages.ts'
import { assertSpan, type Next, nextWindow, wholeWindow } from '../../migration/windows.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import type { DoneStage, RunState } from './run-state.ts'

/** Prints by what they are of: two stages with the same prints do the same. */
export type Prints = Readonly<Record<string, string>>

/** What a change of a print is to a user. */
export const CHANGED: Readonly<Record<string, string>> = {
  settings: 'its settings have changed',
  mapping: 'the mapping file has changed',
  preset: 'the preset has changed',
  tables: 'the joined tables have changed',
  input: 'its input has changed',
  sent: 'events were sent since',
  query: 'the query has changed',
}

export const NOT_DONE = 'not done yet'

/** The one reason for which what was sent may be sent again. */
export const NOT_WHOLE = 'what it made is not whole any more'

/**
 * Whether a stage has something to do. `done`: how it ended when it was last run. `prints`: of what it would work with now.
 * `output`: the sha256 of the manifest that is there now; undefined if none is, or a part of it is gone.
 */
export function decideStage(
  stage: RunStageName,
  done: DoneStage | undefined,
  prints: Prints,
  output: string | undefined,
): StageDecision {
  if (!done) return { runs: true, why: NOT_DONE }
  const names = [...new Set([...Object.keys(done.prints), ...Object.keys(prints)])]
  // Raw records that are gone say nothing against the events that were made of them.
  const isUsedUp = stage === 'transform' && prints.input === undefined
  const changed = names.find((name) => done.prints[name] !== prints[name] && !(isUsedUp && name === 'input'))
  if (!done.finished) return { runs: true, why: unfinished(stage, done) }
  if (changed !== undefined) return { runs: true, why: CHANGED[changed] ?? `${changed} has changed` }
  if (done.output !== null && done.output !== output) return { runs: true, why: NOT_WHOLE }
  return { runs: false, why: 'done' }
}

function unfinished(stage: RunStageName, { exit }: DoneStage): string {
  if (exit === 0) return 'stopped in time, and goes on'
  if (exit === 3 && stage === 'export') return 'the vendor counts more; it fetches again'
  if (exit === 3 && stage === 'check') return 'it found errors'
  if (exit === 3 && stage === 'verify') return 'not all was there'
  return `ended with exit code ${exit}`
}

/** What it finds is said, and keeps no other window from being carried. */
export function isLook(stage: RunStageName): boolean {
  return stage === 'verify'
}

/** A portion to look at, and the names of those before it. */
export interface PortionTurn {
  readonly portion: Portion
  readonly earlier: readonly string[]
  /** All of it was done before, and others have come after it. */
  readonly isPast: boolean
}

/** The portions that were begun, in order. Code `mismatch` if they are of another span than the migration file says now. */
export function begunPortions({ source, isScheduled }: Migration, state: RunState): PortionTurn[] {
  if (source.kind === 'files') return [{ portion: 'files', earlier: [], isPast: false }]
  // An end that is said after the last window only ends the schedule.
  assertSpan({ from: source.from, to: isScheduled ? undefined : source.to }, state.windows)
  return state.windows.map((window, at, all) => ({
    portion: window,
    earlier: all.slice(0, at).map(({ name }) => name),
    isPast: window.done && at < all.length - 1,
  }))
}

/** What comes after those that were begun: nothing until the last one of them is done. */
export function nextPortion(
  migration: Migration,
  state: RunState,
  now: number,
): PortionTurn | Exclude<Next, { kind: 'window' }> {
  const { source, isScheduled } = migration
  if (source.kind === 'files') return { kind: 'done' }
  const begun = state.windows
  const last = begun.at(-1)
  if (last && !last.done) return { kind: 'done' }
  const earlier = begun.map(({ name }) => name)
  if (!isScheduled) {
    const window = wholeWindow(source, begun)
    return window ? { portion: window, earlier, isPast: false } : { kind: 'done' }
  }
  const { from, to: until } = source
  const next = nextWindow({ from, until, edgeMs: MS_PER_DAY }, begun, now)
  return next.kind === 'window' ? { portion: next.window, earlier, isPast: false } : next
}
