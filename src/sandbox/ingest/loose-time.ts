// The forms of a time that /batch/ guesses when it is not RFC 3339. A part that a form lacks is taken from now: a date
// alone gets the present time of day, an hour alone today. A form without a zone is UTC.

const HOUR = '(?<hour>\\d{1,2}):(?<minute>\\d{2})'
const CLOCK = `${HOUR}(?::(?<second>\\d{2}))?`
const FINE_CLOCK = `${HOUR}(?::(?<second>\\d{2})(?:\\.(?<fraction>\\d{1,9}))?)?`
const HALF = '\\s*(?<half>am|pm|AM|PM)?'
const ZONE = '(?<zone>[+-]\\d\\d(?::?\\d\\d)?|[a-zA-Z]{1,4})'
const YMD = '(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})'
const NAME = '(?<name>[a-zA-Z]{3,9})'
const DAY = '(?<day>\\d{1,2})'
const YEAR = '(?<year>\\d{2,4})'

const FORMS = [
  // 2024-03-01 12:34:56.5, also PM, +02, PST
  `${YMD}\\s+${FINE_CLOCK}${HALF}`,
  `${YMD}\\s+${FINE_CLOCK}\\s*${ZONE}`,
  YMD,
  `${YMD}\\s*${ZONE}`,
  // Fri, 1 Mar 2024 12:34:56 GMT
  `(?:(?<weekday>[a-zA-Z]{3}),\\s*)?${DAY}\\s+${NAME}\\s+${YEAR}\\s+${CLOCK}\\s+${ZONE}`,
  // 4:00pm
  `${CLOCK}${HALF}`,
  `${CLOCK}${HALF}\\s+${ZONE}`,
  // 2024-Mar-01
  `(?<year>\\d{4})-${NAME}-(?<day>\\d{2})`,
  // Mar 1 12:34:56, Mar 1 at 9:24 PM
  `(?<name>[a-zA-Z]{3})\\s+${DAY}\\s+${HOUR}:(?<second>\\d{2})`,
  `(?<name>[a-zA-Z]{3})\\s+${DAY}\\s+at\\s+${HOUR}\\s*(?<half>am|pm|AM|PM)`,
  // March 1, 2024 12:34 PM
  `${NAME}\\.?\\s+${DAY},\\s+${YEAR},?\\s+${CLOCK}${HALF}`,
  `${NAME}\\s+${DAY},?\\s+(?<year>\\d{4})\\s*,?(?:at)?\\s+${CLOCK}${HALF}\\s+${ZONE}`,
  `${NAME}\\.?\\s+${DAY},\\s+${YEAR}`,
  // 1 March 2024 12:34
  `${DAY}\\s+${NAME}\\s+${YEAR},?\\s+${FINE_CLOCK}`,
  `${DAY}\\s+${NAME}\\s+${YEAR}`,
  // 3/1/24 12:34 PM, the month first
  `(?<month>\\d{1,2})/${DAY}/${YEAR}(?:\\s+${FINE_CLOCK}${HALF})?`,
  `(?<year>\\d{4})/(?<month>\\d{1,2})/${DAY}(?:\\s+${FINE_CLOCK}${HALF})?`,
  // 3.1.2024, 2024.3.1, 2024.3
  `(?<month>\\d{1,2})\\.${DAY}\\.${YEAR}`,
  `(?<year>\\d{4})\\.(?<month>\\d{1,2})(?:\\.${DAY})?`,
  // 240301 12:34:56
  `(?<year>\\d{2})(?<month>\\d{2})(?<day>\\d{2})\\s+${HOUR}:(?<second>\\d{2})`,
  // 2024年03月01日12时34分56秒
  '(?<year>\\d{4})年(?<month>\\d{2})月(?<day>\\d{2})日(?:(?<hour>\\d{2})时(?<minute>\\d{2})分(?<second>\\d{2})秒)?',
  // 2024-03-01T12:34:56, UTC whatever offset without a colon follows it
  `${YMD}[Tt]${FINE_CLOCK}(?:[+-]\\d{2}(?:\\d{2})?)?`,
].map((form) => new RegExp(`^${form}$`))

const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)
const WEEKDAYS = 'sun mon tue wed thu fri sat'.split(' ')
/** Hours ahead of UTC of the zones that have a name. */
const ZONES = new Map([
  ...['ut', 'utc', 'gmt', 'z'].map((name) => [name, 0] as const),
  ...['pdt', 'mdt', 'cdt', 'edt'].map((name, at) => [name, at - 7] as const),
  ...['pst', 'mst', 'cst', 'est'].map((name, at) => [name, at - 8] as const),
])

/** Digits of an epoch time, by their number: microseconds of one. */
const EPOCHS: Readonly<Record<number, (digits: bigint) => bigint>> = {
  10: (seconds) => seconds * 1_000_000n,
  13: (millis) => millis * 1000n,
  19: (nanos) => nanos / 1000n,
}

type Parts = Readonly<Record<string, string | undefined>>

/** Guesses the time of a text as the service does: microseconds since the epoch. `now` is in milliseconds. */
export function guessTime(text: string, now: number): bigint | undefined {
  if (/^\d{10,19}$/.test(text)) return EPOCHS[text.length]?.(BigInt(text))
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups
    const time = parts && timeOf(parts, now)
    if (time !== undefined) return time
  }
  return undefined
}

function timeOf(parts: Parts, now: number): bigint | undefined {
  const offset = offsetOf(parts.zone)
  const clock = clockOf(parts)
  if (offset === undefined || clock === undefined) return undefined
  const there = new Date(now + offset)
  const date = dateOf(parts, there)
  if (date === undefined) return undefined
  const weekday = parts.weekday?.toLowerCase()
  if (weekday !== undefined && WEEKDAYS[new Date(date).getUTCDay()] !== weekday) return undefined
  const ofDay = clock ?? { millis: there.getTime() - Date.UTC(...ymd(there)), micros: 0n }
  return BigInt(date + ofDay.millis - offset) * 1000n + ofDay.micros
}

function ymd(date: Date): [number, number, number] {
  return [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
}

/** Midnight of the day, in milliseconds; undefined if there is no such day. */
function dateOf(parts: Parts, today: Date): number | undefined {
  const [thisYear, , thisDay] = ymd(today)
  const month = monthOf(parts, today)
  const year = parts.year === undefined ? thisYear : fullYear(parts.year)
  const day = parts.day === undefined ? thisDay : Number(parts.day)
  const date = new Date(0)
  date.setUTCFullYear(year, month, day)
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date.getTime() : undefined
}

/** Month index from 0, or -1 if the text names no month. */
function monthOf({ name, month }: Parts, today: Date): number {
  if (month !== undefined) return Number(month) - 1
  if (name === undefined) return today.getUTCMonth()
  const word = name.toLowerCase()
  return MONTHS.findIndex((month) => word === month || word === month.slice(0, 3))
}

function fullYear(digits: string): number {
  if (digits.length > 2) return Number(digits)
  return Number(digits) + (Number(digits) < 70 ? 2000 : 1900)
}

/** The time of day; null if the text has no time, undefined if the time is wrong. */
function clockOf({ hour, minute, second = '0', fraction = '', half }: Parts) {
  if (hour === undefined) return null
  const hours = half === undefined ? Number(hour) : hourOfHalf(Number(hour), half.toLowerCase())
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  if (half !== undefined && fraction !== '') return undefined
  const millis = ((hours * 60 + Number(minute)) * 60 + Number(second)) * 1000
  return { millis, micros: BigInt(fraction.padEnd(6, '0').slice(0, 6)) }
}

function hourOfHalf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return 24
  return (hour % 12) + (half === 'pm' ? 12 : 0)
}

/** Milliseconds ahead of UTC; undefined if the text names no zone. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined) return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const named = ZONES.get(zone.toLowerCase())
  if (sign === undefined) return named === undefined ? undefined : named * 3_600_000
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
