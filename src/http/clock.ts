import { setTimeout as sleep } from 'node:timers/promises'

/** The time, as an interface, so that tests can replace it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since the epoch. This clock can be set back. */
  wall(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => performance.now(),
  wall: () => Date.now(),
  async sleep(ms, signal) {
    // A timer takes at most 2^31 - 1 ms. Callers read the clock again after a sleep in any case.
    await sleep(Math.min(ms, 2 ** 31 - 1), undefined, signal && { signal }).catch(() => undefined)
  },
}
