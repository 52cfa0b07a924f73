import { PosthaulError } from '../errors.ts'
import type { Clock } from '../sources/clock.ts'
import { VendorError } from '../sources/vendor-error.ts'

const FIRST_MS = 500
const MOST_MS = 60_000

export interface RetryOptions {
  /** How long failures in a row are borne before it is given up, in milliseconds. */
  readonly retryForMs: number
  readonly clock: Clock
  /** In [0, 1). */
  readonly random: () => number
  readonly signal: AbortSignal
  /** Told of each failure that is tried again, and after how long. */
  readonly onRetry?: (error: PosthaulError, waitMs: number) => void
}

/**
 * Does `work` until it succeeds or fails for good. Only errors of the fate `retry` are tried again, after an
 * exponential wait with full jitter, or the longer one that the vendor asked for.
 */
export async function retrying<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { retryForMs, clock, random, signal, onRetry } = options
  let since: number | undefined
  for (let failures = 0; ; failures++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.fate !== 'retry') throw error
      const now = clock.wall()
      since ??= now
      const jitter = random() * Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures, 16))
      const asked = error instanceof VendorError ? (error.waitMs ?? 0) : 0
      const wait = Math.ceil(Math.max(jitter, asked))
      if (now + wait - since > retryForMs) throw new GaveUp(error, since)
      onRetry?.(error, wait)
      await clock.sleep(wait, signal)
    }
  }
}

/** Backoff is at its end. Of the fate `stop`, so that a retry around this one does not begin it anew. */
export class GaveUp extends PosthaulError {
  /** When the failures in a row began, in milliseconds since the epoch. */
  readonly since: number

  constructor(error: PosthaulError, since: number) {
    const hint = error.hint ?? 'run the same command again later: what is there stays'
    super(error.message, { code: error.code, hint, cause: error })
    this.name = 'GaveUp'
    this.since = since
  }
}
