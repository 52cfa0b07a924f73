import { setTimeout as sleep } from 'node:timers/promises'

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
    // A timer takes at most 2^31 - 1 ms. Callers read the clock again after a sleep in any case.
    const timer = sleep(Math.min(ms, 2 ** 31 - 1), undefined, { ref, ...(signal && { signal }) })
    await timer.catch(() => undefined)
  },
}
