import { PosthaulError } from '../errors.ts'
import { Backoff, type BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'

export interface RetryOptions extends BackoffOptions {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Told of each failure that is tried again, and after how long. */
  readonly onRetry?: (error: PosthaulError, waitMs: number) => void
}

/**
 * Does `work` until it succeeds or fails for good. Only errors of the fate `retry` are tried again, with a backoff of
 * their own; the error's `waitMs` is the least wait.
 */
export async function retrying<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, signal, onRetry } = options
  const backoff = new Backoff(options)
  for (;;) {
    const startedAt = clock.now()
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.fate !== 'retry') throw error
      const waitMs = backoff.fail(startedAt, error.waitMs)
      if (waitMs === undefined) throw new GaveUp(error, backoff.since ?? startedAt)
      onRetry?.(error, waitMs)
    }
    // A timer can end a little early.
    for (let left = backoff.remaining; left > 0 && !signal.aborted; left = backoff.remaining) {
      await clock.sleep(left, signal)
    }
  }
}

/** The budget for retries is spent. Of the fate `stop`, so that a retry around this one does not begin it anew. */
export class GaveUp extends PosthaulError {
  /** When the failures in a row began, on the clock's `now`. */
  readonly since: number

  constructor(error: PosthaulError, since: number) {
    const hint = error.hint ?? 'run the same command again later: what is there stays'
    super(error.message, { code: error.code, hint, cause: error })
    this.name = 'GaveUp'
    this.since = since
  }
}
