/** True for the statuses of refusals that end by themselves: overload, throttling, an outage. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

// The three forms of RFC 9110, and ISO 8601. Date.parse alone would take a year out of any text: `in 2099`.
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d/
const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
// The oldest form has no zone, and Date.parse would take the machine's.
const ZONE = /(?:GMT|UTC|Z|[+-]\d\d:?\d\d)$/

/**
 * The milliseconds that a Retry-After header asks for (seconds or an HTTP date); undefined if there is none or it
 * cannot be read. `now` is when the answer came, in ms since the epoch.
 */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  const value = header?.trim()
  if (!value) return undefined
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000
  if (!HTTP_DATE.test(value) && !ISO_DATE.test(value)) return undefined
  const until = Date.parse(ZONE.test(value) ? value : `${value} GMT`)
  return Number.isNaN(until) ? undefined : Math.max(0, until - now)
}
