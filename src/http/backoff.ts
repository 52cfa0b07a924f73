import { MS_PER_MINUTE } from '../units.ts'
import type { Clock } from './clock.ts'

/** How long failures are borne. */
export interface BackoffOptions {
  /** Milliseconds of failures in a row after which it is given up. */
  readonly retryForMs: number
  readonly clock: Pick<Clock, 'now'>
  /** In [0, 1). */
  readonly random: () => number
}

const BASE_MS = 500
const MOST_MS = MS_PER_MINUTE
// A wait of nothing would meet a server in trouble with a burst.
const LEAST_MS = 100

/**
 * The waits between tries, and one pause for all who share it. Waits are exponential with full jitter, so that
 * neither lanes nor machines come back in step. A wait that the server asks for is the least of it.
 */
export class Backoff {
  readonly #options: BackoffOptions
  #until = Number.NEGATIVE_INFINITY
  #failures = 0
  #since: number | undefined

  constructor(options: BackoffOptions) {
    this.#options = options
  }

  /** Milliseconds until the next request may start. */
  get remaining(): number {
    return Math.max(0, this.#until - this.#options.clock.now())
  }

  /** When the present run of failures began, on the clock's `now`; undefined when there is none. */
  get since(): number | undefined {
    return this.#since
  }

  /** A request succeeded: whatever was wrong is over. */
  calm(): void {
    this.#failures = 0
    this.#since = undefined
  }

  /**
   * A request that started at `startedAt` failed; the server asked for a wait of `askedMs`. Returns the pause in
   * milliseconds that all now keep, or undefined when the budget would be spent before it ends.
   */
  fail(startedAt: number, askedMs = 0): number | undefined {
    const { clock, random, retryForMs } = this.#options
    const now = clock.now()
    this.#since ??= now
    const ceiling = Math.min(MOST_MS, BASE_MS * 2 ** Math.min(this.#failures, 16))
    // Requests that were under way when another failed tell of the same trouble: that is one failure, not four.
    const same = this.#failures > 0 && startedAt < this.#until
    if (!same) this.#failures++
    const jitter = same ? 0 : Math.max(LEAST_MS, random() * ceiling)
    const until = Math.max(this.#until, now + Math.max(askedMs, jitter))
    if (until - this.#since > retryForMs) return undefined
    this.#until = until
    return until - now
  }
}
