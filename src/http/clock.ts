import { setTimeout as sleep } from 'node:timers/promises'

/** Time, so that a test can hand out its own. */
export interface Clock {
  /** Milliseconds on a clock that never goes back. */
  now(): number
  /** Milliseconds since the epoch. */
  wall(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  async sleep(ms, signal) {
    // A timer holds at most 2^31 - 1 ms; callers look at the clock again in any case.
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, signal && { signal }).catch(() => undefined)
  },
}
