import { guessTime } from './loose-time.ts'

const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:([Zz])|([+-])(\d\d):(\d\d))$/

/** Microseconds since the epoch of a strict RFC 3339 time, which has an offset; undefined for anything else. */
export function parseRfc3339(text: string): bigint | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', , sign, hours = 0, minutes = 0] = match
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  // A member that is out of range carries into the next one.
  if (date.toISOString().slice(0, 19) !== `${year}-${month}-${day}T${hour}:${minute}:${second}`)
    return undefined
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return (BigInt(date.getTime()) - BigInt(offset) * 60_000n) * 1000n + micros
}

const FUTURE_MS = 23 * 3_600_000
const YEAR_10000 = BigInt(Date.UTC(10_000, 0)) * 1000n
const YEAR_0 = BigInt(Date.parse('0000-01-01T00:00:00Z')) * 1000n
const HOURS_ONLY = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?[+-]\d\d$/

/** Microseconds since the epoch, or undefined for what the service can't read as a time. `now` is in milliseconds. */
export function parseTimestamp(text: string, now: number): bigint | undefined {
  return parseRfc3339(HOURS_ONLY.test(text) ? `${text}:00` : text) ?? guessTime(text, now)
}

interface EventTime {
  readonly timestamp: unknown
  readonly offset: unknown
  /** The sender's clock when it sent the request: microseconds. Undefined: unknown, or the event says to ignore it. */
  readonly sentAt: bigint | undefined
  /** Milliseconds. */
  readonly now: number
}

/** Microseconds; and why the time that the event says was ignored. */
interface TimeFound {
  readonly micros: bigint
  readonly flaw?: string
}

/** When an event happened: as it says, moved by the difference of the clocks, never in the future. */
export function eventTime({ timestamp, offset, sentAt, now }: EventTime): TimeFound {
  const nowMicros = BigInt(now) * 1000n
  if (typeof offset === 'number') return withinBounds(nowMicros - BigInt(offset) * 1000n, now)
  if (timestamp === undefined || timestamp === null) return { micros: nowMicros }
  const said = typeof timestamp === 'string' ? parseTimestamp(timestamp, now) : undefined
  if (said === undefined) return { micros: nowMicros, flaw: 'not a time' }
  return withinBounds(sentAt === undefined ? said : said - (sentAt - nowMicros), now)
}

function withinBounds(micros: bigint, now: number): TimeFound {
  const time = clampFuture(micros, now)
  return time < YEAR_0 || time >= YEAR_10000 ? { micros: 0n, flaw: 'out of bounds' } : { micros: time }
}

/** A time that is not too far ahead of `now` (milliseconds), or `now` itself; microseconds. */
export function clampFuture(micros: bigint, now: number): bigint {
  const nowMicros = BigInt(now) * 1000n
  return micros > nowMicros + BigInt(FUTURE_MS) * 1000n ? nowMicros : micros
}
