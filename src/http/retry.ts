import { PosthaulError } from '../errors.ts'
import { MS_PER_MINUTE } from '../text/units.ts'
import type { Clock } from './clock.ts'

interface BackoffOptions {
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

export interface RetryOptions extends BackoffOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  readonly onRetry?: (error: PosthaulError, waitMs: number) => void
  /** True to give up before the budget is spent, after `tries` failures in a row that took `lastedMs` milliseconds. */
  readonly givesUp?: (error: PosthaulError, tries: number, lastedMs: number) => boolean
}

/**
 * Calls `work` until it succeeds or fails for good. Only errors with the fate `retry` are tried again, with a backoff.
 * No wait is shorter than the error's `waitMs`. Throws GaveUp when the budget is spent.
 */
export async function retrying<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry, givesUp } = options
  const backoff = new Backoff(options)
  const beganAt = clock.now()
  for (let tries = 1; ; tries++) {
    const startedAt = clock.now()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.fate !== 'retry') throw error
      const waitMs = backoff.fail(startedAt, error.waitMs)
      if (waitMs === undefined || givesUp?.(error, tries, clock.now() - beganAt))
        throw new GaveUp(error, tries, backoff.since ?? startedAt)
      onRetry?.(error, waitMs)
    }
    // A timer can end a little early.
    for (let left = backoff.remaining; left > 0 && !signal.aborted; left = backoff.remaining) {
      await clock.sleep(left, signal)
    }
  }
}

/** The budget for retries is spent, or nothing more is expected of them. The fate is `stop`, so that an outer retry does not begin again. */
export class GaveUp extends PosthaulError {
  /** When the failures in a row began, by the clock's `now`. */
  readonly since: number
  /** Failures in a row. */
  readonly tries: number

  constructor(error: PosthaulError, tries: number, since: number) {
    const hint = error.hint ?? 'run the same command again later: what is done is kept'
    super(error.message, { code: error.code, hint, cause: error })
    this.name = 'GaveUp'
    this.since = since
    this.tries = tries
  }
}

/** True for the statuses of refusals that end by themselves: overload, throttling, an outage. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

// The three forms of RFC 9110, and ISO 8601. Date.parse alone would take a year out of any text: `in 2099`.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
// The oldest form has no zone, and Date.parse would take the machine's.
const ZONE = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/

/**
 * The milliseconds that a Retry-After header asks for (seconds or an HTTP date); undefined if there is none or it
 * cannot be read. `now` is when the answer came, in ms since the epoch.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim()
  if (!value) return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000
  if (!HTTP_DATE.test(value) && !ISO_DATE.test(value)) return undefined
  const until = Date.parse(ZONE.test(value) ? value : `${value} GMT`)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}
