import { PosthaulError } from '../errors.ts'
import { formatUtc, type WindowSpan } from '../sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../text/units.ts'

/*
 * The schedule of a migration that a daily cron runs until the old tool is switched off, in UTC throughout.
 *
 * Every run takes one window: its own span goes on where the last one ended, and ends 48 hours before now. It fetches five
 * days more than that, before its own span, for events that came late. What it makes of those days leaves out what earlier
 * windows have already (`transform --after`). After days without a run, one window covers all of them.
 *
 *     own span of window 1      own span of window 2     48 h
 *     [from ................)   [............)          ......... now
 *                   [ 5 days    fetched again )
 *
 * A window's bounds are fixed when it begins: a run that was killed goes on with the same window, whatever the time is then.
 * Once the old tool is off and its last own span is done, a final window, whose own span is empty, fetches the last five
 * days again; after it nothing is left.
 */

/** The service takes events for history only when they are this old: docs/cutover.md. */
const SEAM_MS = 48 * MS_PER_HOUR
/** How far back a window looks for events that came late. Mixpanel takes them up to five days late. */
const WINDOW_LATE_MS = 5 * MS_PER_DAY

/** What the user says about time. */
export interface Schedule {
  /** The first instant of the history, in ms since the epoch; an edge. */
  readonly from: number
  /** When the old tool is switched off, in ms; undefined while that is not known. It is rounded up to an edge. */
  readonly until?: number | undefined
  /** The length of the vendor's own windows, in ms: spans are cut at its multiples, counted from midnight UTC. */
  readonly edgeMs: number
}

/** One run's share. Plain data, to be kept in the state of a migration. */
export interface MigrationWindow {
  /** `2024-03-01_2024-03-02`: its own span, which names its folders. */
  readonly name: string
  /** What no earlier window has; empty in the final one. */
  readonly own: WindowSpan
  /** What is exported: its own span, and the days before that are fetched again. */
  readonly fetch: WindowSpan
}

/** A window that was begun, in the order in which they were. */
export interface BegunWindow extends MigrationWindow {
  readonly done: boolean
}

/** What a run has to do now. */
export type Next =
  | { readonly kind: 'window'; readonly window: MigrationWindow }
  /** Nothing yet; at this time (ms) there is. */
  | { readonly kind: 'wait'; readonly at: number }
  /** Nothing any more. */
  | { readonly kind: 'done' }

/**
 * What is next at the time `now`, in ms. Code `mismatch` if the windows began at another time than the schedule, `config`
 * if the schedule begins inside a window of the vendor's, or after it ends.
 */
export function nextWindow(schedule: Schedule, begun: readonly BegunWindow[], now: number): Next {
  const { from, edgeMs } = schedule
  assertSchedule(schedule, begun)
  const last = begun.at(-1)
  if (last && !last.done) return { kind: 'window', window: last }
  const start = last?.own.end ?? from
  const until = schedule.until === undefined ? undefined : ceiling(schedule.until, edgeMs)
  if (until !== undefined && start >= until) return atTheEnd(from, last, start, now)
  const end = Math.min(floor(now - SEAM_MS, edgeMs), until ?? Number.POSITIVE_INFINITY)
  if (end <= start) return { kind: 'wait', at: start + edgeMs + SEAM_MS }
  return { kind: 'window', window: windowOf(from, { start, end }) }
}

/** The window of a migration without a schedule: all of it, or what `to` was moved on by since it was done. */
export function wholeWindow(
  { from, to = from }: { readonly from: number; readonly to?: number | undefined },
  begun: readonly MigrationWindow[],
): MigrationWindow | undefined {
  const start = begun.at(-1)?.own.end ?? from
  return to <= start ? undefined : windowOf(from, { start, end: to })
}

/** All own spans are done up to `end`. */
function atTheEnd(from: number, last: BegunWindow | undefined, end: number, now: number): Next {
  if (last && last.own.start === last.own.end) return { kind: 'done' }
  const at = end + SEAM_MS + WINDOW_LATE_MS
  if (now < at) return { kind: 'wait', at }
  return { kind: 'window', window: windowOf(from, { start: end, end }) }
}

function windowOf(from: number, own: WindowSpan): MigrationWindow {
  return {
    name: `${formatUtc(own.start)}_${formatUtc(own.end)}`,
    own,
    fetch: { start: Math.max(from, own.start - WINDOW_LATE_MS), end: own.end },
  }
}

function assertSchedule({ from, until, edgeMs }: Schedule, begun: readonly BegunWindow[]): void {
  if (from % edgeMs !== 0) {
    const edges = edgeMs === MS_PER_DAY ? 'a day' : `a multiple of ${edgeMs / MS_PER_HOUR} h from midnight`
    throw new PosthaulError(`the migration begins at ${new Date(from).toISOString()}, inside a window`, {
      code: 'config',
      hint: `begin it at ${edges}, UTC, such as ${formatUtc(floor(from, edgeMs))}`,
    })
  }
  if (until !== undefined && until <= from) {
    throw new PosthaulError(`the migration ends at ${new Date(until).toISOString()}, before it begins`, {
      code: 'config',
      hint: `it begins at ${formatUtc(from)}: give a later end, or none while the old tool is in use`,
    })
  }
  assertBegunAt(from, begun)
}

/** Code `mismatch` where windows were begun for another span than `from` to `to`: what is done is not what is asked. */
export function assertSpan(
  { from, to }: { readonly from: number; readonly to?: number | undefined },
  begun: readonly MigrationWindow[],
): void {
  assertBegunAt(from, begun)
  const end = begun.at(-1)?.own.end
  if (end === undefined || to === undefined || to >= end) return
  throw otherSpan(
    `ends at ${formatUtc(to)} now, and its last window at ${formatUtc(end)}`,
    `end it at ${formatUtc(end)} or later`,
  )
}

function assertBegunAt(from: number, [first]: readonly MigrationWindow[]): void {
  if (!first || first.own.start === from) return
  const start = formatUtc(first.own.start)
  throw otherSpan(
    `begins at ${formatUtc(from)} now, and its first window at ${start}`,
    `begin it at ${start} again`,
  )
}

function otherSpan(what: string, mend: string): PosthaulError {
  return new PosthaulError(`the migration ${what}`, {
    code: 'mismatch',
    hint: `${mend}; another history needs folders of its own`,
  })
}

function floor(instant: number, edgeMs: number): number {
  return Math.floor(instant / edgeMs) * edgeMs
}

function ceiling(instant: number, edgeMs: number): number {
  return Math.ceil(instant / edgeMs) * edgeMs
}
