import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { LONGEST_TIMER_MS } from '../text/units.ts'

/** The time, as an interface, so that tests can replace it. */
export interface Clock {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Milliseconds since the epoch. This clock can be set back. */
  wall(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. `ref: false`: the process may end meanwhile. */
  sleep(ms: number, signal?: AbortSignal, options?: { readonly ref: boolean }): Promise<void>
}

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

/**
 * Waits for `work`, but no longer than until `signal` aborts: then it resolves to undefined. The work itself goes on, and
 * nobody hears how it ends.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  let onAbort: () => void = () => undefined
  const aborted = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined)
    signal.addEventListener('abort', onAbort, { once: true })
    if (signal.aborted) resolve(undefined)
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    // A listener that stays would keep the work in memory during the run.
    signal.removeEventListener('abort', onAbort)
  }
}

interface Deadline {
  readonly signal: AbortSignal
  /** True once the time, and none of the signals, has ended it. */
  readonly isLate: boolean
  release(): void
}

/**
 * Aborts when one of the signals does, or `ms` milliseconds have passed. It is made by hand: on Node 20 a signal of
 * AbortSignal.timeout that is a part of AbortSignal.any alone is collected, and never aborts. `release` is called when the
 * work is done.
 */
export function deadline(ms: number, signals: readonly AbortSignal[]): Deadline {
  const ends = new AbortController()
  let isLate = false
  const end = () => ends.abort()
  const timer = setTimeout(() => {
    isLate = !ends.signal.aborted
    end()
  }, ms)
  // What is waited for keeps the process alive.
  timer.unref()
  for (const signal of signals) {
    // Node warns the user of more than ten that wait for one signal at once. Each takes itself off when it is released.
    setMaxListeners(0, signal)
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  }
  return {
    signal: ends.signal,
    get isLate() {
      return isLate
    },
    release: () => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', end)
    },
  }
}
