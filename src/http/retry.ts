import { PosthaulError } from '../errors.ts'
import { Backoff, type BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'

export interface RetryOptions extends BackoffOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Called before each retry, with the error and the wait. */
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
