import type { Throttle } from '../options.ts'
import { ApiError } from './api-error.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/** Limits the requests of each personal key in a minute and in an hour. */
export class RequestThrottle {
  readonly #limits: Throttle
  readonly #now: () => number
  readonly #times = new Map<string, number[]>()

  constructor(limits: Throttle, now: () => number) {
    this.#limits = limits
    this.#now = now
  }

  /** Counts a request. Throws ApiError `throttled` if it is over a limit. */
  admit(key: string): void {
    const now = this.#now()
    const times = (this.#times.get(key) ?? []).filter((time) => time > now - HOUR_MS)
    const { perMinute, perHour = Number.POSITIVE_INFINITY } = this.#limits
    const wait = Math.max(waitFor(times, perMinute, MINUTE_MS, now), waitFor(times, perHour, HOUR_MS, now))
    if (wait === 0) times.push(now)
    this.#times.set(key, times)
    if (wait === 0) return
    const seconds = Math.ceil(wait / 1000)
    throw new ApiError(429, {
      type: 'throttled_error',
      code: 'throttled',
      detail: `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    })
  }
}

function waitFor(times: readonly number[], limit: number, windowMs: number, now: number): number {
  // The request that has to leave the window before another one fits in.
  const blocking = times[times.length - limit]
  return blocking === undefined || limit > times.length ? 0 : Math.max(0, blocking + windowMs - now)
}
