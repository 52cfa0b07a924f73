import { setTimeout as delay } from 'node:timers/promises'
import { PosthaulError } from '../errors.ts'

/** A wait worth telling the user about. */
export interface Wait {
  readonly ms: number
  readonly why: string
}

/** How many requests the service takes in a minute and in an hour. */
export interface Allowance {
  readonly perMinute: number
  readonly perHour: number
}

/** The documented allowance of the groups endpoints, shared by all requests of a key. */
export const REST_ALLOWANCE: Allowance = { perMinute: 480, perHour: 4800 }
/** The documented allowance of the query endpoint. */
export const QUERY_ALLOWANCE: Allowance = { perMinute: 240, perHour: 2400 }

/** The clock a throttle lives by, so that a test need not wait. */
export interface Clock {
  /** Milliseconds. */
  now(): number
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

export const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    try {
      // A timer holds at most 2^31 - 1 ms; the throttle looks at the clock again in any case.
      await delay(Math.min(ms, 2 ** 31 - 1), undefined, { signal })
    } catch (cause) {
      throw new PosthaulError('interrupted while waiting for the service', { code: 'interrupted', cause })
    }
  },
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Keeps all requests of a run within the allowance, and at rest while the service asks for it. */
export class Throttle {
  readonly #allowance: Allowance
  readonly #clock: Clock
  readonly #onWait: (wait: Wait) => void
  /** When each request of the last hour was let go, oldest first. */
  readonly #sent: number[] = []
  #restUntil = 0
  #restWhy = ''
  #queue: Promise<void> = Promise.resolve()

  constructor(allowance: Allowance, onWait: (wait: Wait) => void, clock: Clock = SYSTEM_CLOCK) {
    this.#allowance = allowance
    this.#onWait = onWait
    this.#clock = clock
  }

  /** Resolves when the next request may go, first come, first served. */
  async take(signal: AbortSignal): Promise<void> {
    const turn = this.#queue.then(() => this.#next(signal))
    // One who gives up must not stop those behind.
    this.#queue = turn.catch(() => {})
    return turn
  }

  /** No request goes for `ms`: the service asked for it. */
  rest(ms: number, why: string): void {
    const until = this.#clock.now() + ms
    if (until <= this.#restUntil) return
    this.#restUntil = until
    this.#restWhy = why
  }

  async #next(signal: AbortSignal): Promise<void> {
    for (;;) {
      const wait = this.#wait()
      if (wait.ms <= 0) break
      this.#onWait(wait)
      await this.#clock.sleep(wait.ms, signal)
    }
    this.#sent.push(this.#clock.now())
  }

  #wait(): Wait {
    const now = this.#clock.now()
    while (this.#sent.length > 0 && this.#sent[0]! <= now - HOUR) this.#sent.shift()
    const { perMinute, perHour } = this.#allowance
    const waits: Wait[] = [
      { ms: this.#restUntil - now, why: this.#restWhy },
      { ms: this.#freeIn(perMinute, MINUTE, now), why: `the service allows ${perMinute} requests a minute` },
      { ms: this.#freeIn(perHour, HOUR, now), why: `the service allows ${perHour} requests an hour` },
    ]
    return waits.reduce((longest, wait) => (wait.ms > longest.ms ? wait : longest))
  }

  #freeIn(limit: number, span: number, now: number): number {
    const oldest = this.#sent.at(-limit)
    return oldest === undefined ? 0 : oldest + span - now
  }
}
