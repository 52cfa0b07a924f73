/** What a pacer keeps to. */
export interface Pace {
  /** The cap: no 60 seconds see more events than this. */
  readonly perMinute: number
  /** How many requests can be under way at once. */
  readonly lanes: number
}

// The part of the cap that is kept for bursts: a smaller one costs batch size, a larger one throughput.
const RESERVE = 0.02

/** The lowest cap that leaves the pacer something to hand out. */
export function leastPerMinute(lanes: number): number {
  return lanes + 2
}

/** The most events that one batch may hold under a cap. */
export function burstOf({ perMinute, lanes }: Pace): number {
  return Math.max(1, Math.floor((perMinute * RESERVE) / (lanes + 1)))
}

/** Events per second once the bucket is running. */
export function ratePerSecond({ perMinute, lanes }: Pace): number {
  return (perMinute - Math.max(perMinute * RESERVE, lanes + 1)) / 60
}

/**
 * A token bucket, one token an event, that starts empty. Every request takes its events' tokens as it starts, retries too.
 *
 * Why no minute exceeds the cap, seen from the server: of the events that arrive within 60 s, those of requests
 * started before the window are at most `lanes` stragglers of `burst` each; those started within it are at most
 * what the bucket held (`burst`) and what flowed in (60 × rate). burst × (lanes + 1) + 60 × rate is the cap. A run
 * that follows another starts with an empty bucket, so two runs together flow no faster than one.
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

  /** Takes `events` tokens and returns 0, or takes none and returns the milliseconds until they are there. */
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
