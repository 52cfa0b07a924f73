import { MS_PER_DAY } from '../../text/index.ts'
import type { Migration } from './migration-file.ts'
import type { RunState } from './run-state.ts'
import { type Portion, stepName, wholeWindow } from './stages.ts'
import { type Next, nextWindow } from './windows.ts'

/** A portion to look at, and the names of those before it. */
export interface PortionTurn {
  readonly portion: Portion
  readonly earlier: readonly string[]
  /** All of it was done before, and others have come after it. */
  readonly isPast: boolean
}

/** The portions that were begun, in order. */
export function begunPortions({ source }: Migration, state: RunState): PortionTurn[] {
  if (source.kind === 'files') return [{ portion: 'files', earlier: [], isPast: false }]
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

/** The name of a turn's portion. */
export function windowOf({ portion }: PortionTurn): string {
  return stepName(portion)
}
