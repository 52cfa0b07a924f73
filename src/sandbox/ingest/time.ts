const RFC3339 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?([Zz]|[+-]\d{2}:?\d{2}))?)?$/

const FUTURE_MS = 23 * 3_600_000
/** A smaller difference between the sender's clock and ours counts as the network's delay. */
const SKEW_MS = 150_000

/** Microseconds since the epoch, or undefined for what the service can't read as a time. No zone means UTC. */
export function parseTimestamp(text: string): bigint | undefined {
  const match = RFC3339.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // A day that the month does not have rolls over to the next month: the text is not a date.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  const offset = offsetMinutes(zone)
  if (offset === undefined) return undefined
  const micros = BigInt(fraction.padEnd(6, '0').slice(0, 6))
  return (BigInt(date.getTime()) - BigInt(offset) * 60_000n) * 1000n + micros
}

function offsetMinutes(zone: string): number | undefined {
  if (zone === 'Z' || zone === 'z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(-2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes)
}

export interface EventTime {
  readonly timestamp: unknown
  readonly offset: unknown
  /** The request's `sent_at`, in milliseconds. */
  readonly sentAt: number | undefined
  readonly now: number
}

/** When an event happened, in microseconds: as it says, moved by the sender's clock skew, never in the future. */
export function eventTime({ timestamp, offset, sentAt, now }: EventTime): bigint {
  const nowMicros = BigInt(now) * 1000n
  const said = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (said === undefined) {
    return typeof offset === 'number' ? nowMicros - BigInt(offset) * 1000n : nowMicros
  }
  const skew = sentAt === undefined ? 0 : now - sentAt
  const micros = Math.abs(skew) > SKEW_MS ? said + BigInt(skew) * 1000n : said
  return micros > nowMicros + BigInt(FUTURE_MS) * 1000n ? nowMicros : micros
}
