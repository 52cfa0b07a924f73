import { PosthaulError } from '../errors.ts'
import * as rows from '../options/import-rows.ts'
import type { Options, Resolved, ValueSource } from '../options/options.ts'
import { flagOf, type Values } from '../options/row.ts'
import { MICROS_PER_MS, MS_PER_HOUR } from '../text/units.ts'
import { number } from '../text/words.ts'

/** The service wants to be asked before a migration that sends more events a minute than this. */
export const OPEN_PER_MINUTE = 10_000
/** The service wants to be asked before a migration of more events than this. */
export const OPEN_EVENTS = 20_000_000

/** The options that say how fast events may go, and how many. */
export const CAP_ROWS = [rows.MAX_EVENTS_PER_MINUTE, rows.MAX_EVENTS, rows.LANES] as const

/** The caps. Throws if they are too low for the lanes, or so high that they need approval. */
export function capsOf({ values, resolved }: Options<Values<typeof CAP_ROWS>>, approved: boolean) {
  const least = leastPerMinute(values.lanes)
  const { value, source, from } = resolved.maxEventsPerMinute
  if (value < least) {
    throw new PosthaulError(`${from} is "${value}": expected a whole number from ${least} on`, {
      code: codeOf(source),
      hint: `raise the cap, or lower ${flagOf(rows.LANES)}: each lane needs a share of the cap`,
    })
  }
  return {
    perMinute: allowed(resolved.maxEventsPerMinute, OPEN_PER_MINUTE, 'events a minute', approved),
    events: allowed(resolved.maxEvents, OPEN_EVENTS, 'events', approved),
  }
}

function allowed(cap: Resolved<number>, open: number, unit: string, approved: boolean): number {
  if (cap.value <= open || approved) return cap.value
  throw new PosthaulError(
    `${cap.from} is over ${number(open)} ${unit}: the service must approve that first`,
    {
      code: codeOf(cap.source),
      hint: `once its team has approved the migration, add ${flagOf(rows.APPROVED)}`,
    },
  )
}

function codeOf(source: ValueSource): 'usage' | 'config' {
  return source === 'cli' ? 'usage' : 'config'
}

/** The service can bill events younger than this as live ones. */
export const YOUNG_HOURS = 48

/** The instant (microseconds) from which events count as young, given the time `nowMs` (ms since the epoch). */
export function youngSince(nowMs: number): number {
  return (nowMs - YOUNG_HOURS * MS_PER_HOUR) * MICROS_PER_MS
}

/** The error of an import at the volume cap of `events`. */
export function volumeReached(events: number): PosthaulError {
  const message = `the volume cap is reached: ${events.toLocaleString('en')} ${events === 1 ? 'event' : 'events'} of this migration, over all inputs`
  if (events >= OPEN_EVENTS) {
    const hint = 'ask the service before you send more; then add --approved --max-events <n>'
    return new PosthaulError(message, { code: 'paused', hint })
  }
  const hint = 'the rest is sent when the cap is raised; up to 20 million events you need not ask the service'
  const options = { '--max-events': String(OPEN_EVENTS) }
  return new PosthaulError(message, { code: 'paused', hint, options })
}

/** The limits that a pacer keeps. */
export interface Pace {
  /** The cap: no 60 seconds hold more events than this. */
  readonly perMinute: number
  /** How many requests can be under way at once. */
  readonly lanes: number
  /** The most lanes that a run of this import has had; fewer than `lanes` counts as `lanes`. */
  readonly mostLanes?: number
}

// The share of the cap that is reserved for bursts. A smaller one costs batch size, a larger one throughput.
const RESERVE = 0.02

/** The lowest cap under which the pacer can grant events, after runs with up to `mostLanes` lanes. */
export function leastPerMinute(mostLanes: number): number {
  return mostLanes + 2
}

/** The most events that one batch may hold under a cap. */
export function burstOf({ perMinute, lanes }: Pace): number {
  return Math.max(1, Math.floor((perMinute * RESERVE) / (lanes + 1)))
}

/** Events per second that the bucket grants in the long run. */
export function ratePerSecond({ perMinute, lanes, mostLanes = lanes }: Pace): number {
  const reserve = Math.max(perMinute * RESERVE, lanes + 1, mostLanes + 1)
  return (perMinute - reserve) / 60
}

/**
 * A token bucket that starts empty, with one token for each event. Every request, retries too, takes its events' tokens
 * when it starts.
 *
 * Why no minute at the server exceeds the cap, over any chain of runs. A run of `lanes` lanes has bursts of at most
 * `burst` events, gains tokens at `rate`, and reserves `reserve` = cap - 60 × rate. Two things are true by
 * construction: burst × (lanes + 1) <= reserve, and no run reserves less than a run before it (`mostLanes` only grows).
 * Take a minute that begins during run A or in the pause after it. The events that arrive in it come from
 *   - requests that A started before the minute: at most one for each lane, so lanes(A) × burst(A);
 *   - the tokens in A's bucket when the minute began: at most burst(A);
 *   - the tokens that the buckets of A and of the runs after it gained: one run at a time, each from an empty bucket,
 *     none faster than A, so at most 60 × rate(A) = cap - reserve(A).
 * The first two are at most reserve(A), so the sum is at most the cap.
 */
export class Pacer {
  /** The most events `take` grants at once. */
  readonly burst: number
  readonly #perMs: number
  readonly #now: () => number
  #tokens = 0
  #at: number

  constructor(pace: Pace, now: () => number) {
    this.burst = burstOf(pace)
    this.#perMs = ratePerSecond(pace) / 1000
    this.#now = now
    this.#at = now()
  }

  /** Takes `events` tokens and returns 0, or takes none and returns the milliseconds until there are enough. */
  take(events: number): number {
    if (events > this.burst) throw new RangeError(`${events} events at once, but the burst is ${this.burst}`)
    const now = this.#now()
    this.#tokens = Math.min(this.burst, this.#tokens + (now - this.#at) * this.#perMs)
    this.#at = now
    if (this.#tokens < events) return Math.max(1, (events - this.#tokens) / this.#perMs)
    this.#tokens -= events
    return 0
  }
}
