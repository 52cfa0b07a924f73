/** True for the statuses of refusals that end by themselves: overload, throttling, an outage. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/**
 * The milliseconds that a Retry-After header asks for (seconds or an HTTP date); undefined if there is none or it
 * cannot be read. `now` is when the answer came, in ms since the epoch.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim()
  if (!value) return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000
  const until = Date.parse(value)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}
