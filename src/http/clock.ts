import { setTimeout as sleep } from 'node:timers/promises'
import { LONGEST_TIMER_MS } from '../text/index.ts'

/** The time, as an interface, so that tests can replace it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since the epoch. This clock can be set back. */
  wall(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. `ref: false`: the process may end meanwhile. */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly ref: boolean }): Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  async sleep(ms, signal, { ref } = { ref: true }) {
    // An import may take weeks, and a timer less than 25 days.
    let left = ms
    do {
      const timer = sleep(Math.min(left, LONGEST_TIMER_MS), undefined, { ref, ...(signal && { signal }) })
      await timer.catch(() => undefined)
      left -= LONGEST_TIMER_MS
    } while (left > 0 && !signal?.aborted)
  },
}
