import { MS_PER_MINUTE } from '../text/index.ts'
import type { Clock } from './clock.ts'

/** How long failures are retried. */
export interface BackoffOptions {
  /** The budget: the most milliseconds that failures in a row may last. */
  readonly retryForMs: number
  readonly clock: Pick<Clock, 'now'>
  /** A random number in [0, 1). */
  readonly random: () => number
}

const BASE_MS = 500
const MOST_MS = MS_PER_MINUTE
// Without a least wait, a server in trouble would get a burst of requests.
const LEAST_MS = 100

/**
 * The waits between tries, shared by all callers of one Backoff. Waits are exponential with full jitter, so that lanes
 * and machines do not try again at the same moment. No wait is shorter than the server asks for.
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

  /** When the current failures in a row began, by the clock's `now`; undefined if the last request succeeded. */
  get since(): number | undefined {
    return this.#since
  }

  /** Call it when a request succeeded: the failures in a row are over. */
  reset(): void {
    this.#failures = 0
    this.#since = undefined
  }

  /**
   * Call it when a request that started at `startedAt` failed; `askedMs` is the wait that the server asked for. Returns
   * the wait in milliseconds, which all callers keep, or undefined if the budget ends before it.
   */
  fail(startedAt: number, askedMs = 0): number | undefined {
    const { clock, random, retryForMs } = this.#options
    const now = clock.now()
    this.#since ??= now
    const ceiling = Math.min(MOST_MS, BASE_MS * 2 ** Math.min(this.#failures, 16))
    // Requests that were under way when another one failed count as the same failure.
    const same = this.#failures > 0 && startedAt < this.#until
    if (!same) this.#failures++
    const jitter = same ? 0 : Math.max(LEAST_MS, random() * ceiling)
    const until = Math.max(this.#until, now + Math.max(askedMs, jitter))
    if (until - this.#since > retryForMs) return undefined
    this.#until = until
    return until - now
  }
}
