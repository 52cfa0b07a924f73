import { MICROS_PER_DAY, MICROS_PER_SECOND, MS_PER_DAY, SECONDS_PER_DAY } from '../text/units.ts'
import { zoneOffsetMicros } from './zone.ts'

/** Bare numbers below this are seconds (to the year 2286), from here milliseconds, from 1000 times it microseconds. */
const MILLIS_FROM = 10_000_000_000

/** After an offset, RFC 9557 has the name of the zone in brackets: Java writes `Z[UTC]`. */
const INSTANT =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:\s?(Z|z|UTC|[+-]\d\d(?::?\d\d)?)(?:\[!?[\w/+-]{1,60}\])?)?$/
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parses a source time to microseconds since the epoch (UTC). Rejects, never guesses: RangeError on 25:61.
 * Formats: RFC 3339; `YYYY-MM-DD HH:MM:SS[.ffffff]` without an offset, read in `zone` (UTC when there is none); a
 * bare number of seconds, milliseconds or microseconds, told apart by its size. Digits below the microsecond are cut. Digits that
 * are as well a date, as 20240301, are refused unless they are a moment from 2005 on.
 */
export function parseTime(text: string, zone?: string): number {
  const common = parseCommon(text)
  if (common >= 0) {
    const isUtc = zone === undefined || text.charCodeAt(text.length - 1) === 0x5a
    return isUtc ? common : common - zoneOffsetMicros(common, zone)
  }
  // Every form of an instant has its first dash there, so a bare number needs no regular expression.
  const match = text.charCodeAt(4) === 0x2d ? INSTANT.exec(text) : null
  if (!match) return parseNumber(text)
  const [, year, month, day, hour, minute, second = '0', fraction = '', offset] = match
  const days = daysFromCivil(Number(year), Number(month), Number(day))
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) throw bad(text)
  if (Number.isNaN(days)) throw bad(text)
  const seconds = days * SECONDS_PER_DAY + Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const wall = seconds * MICROS_PER_SECOND + micros(fraction)
  if (offset === undefined) return zone === undefined ? wall : wall - zoneOffsetMicros(wall, zone)
  return wall - parseOffset(offset, text)
}

/**
 * The wall time of the commonest form, `YYYY-MM-DD?HH:MM:SS[.fraction][Z]`, five times as fast as the regular
 * expression; -1 for any other text, valid or not.
 */
function parseCommon(text: string): number {
  const { length } = text
  if (length < 19 || text.charCodeAt(4) !== 0x2d || text.charCodeAt(7) !== 0x2d) return -1
  const between = text.charCodeAt(10)
  if ((between !== 0x54 && between !== 0x20) || text.charCodeAt(13) !== 0x3a || text.charCodeAt(16) !== 0x3a)
    return -1
  const hour = digitsAt(text, 11, 2)
  const minute = digitsAt(text, 14, 2)
  const second = digitsAt(text, 17, 2)
  const days = daysFromCivil(digitsAt(text, 0, 4), digitsAt(text, 5, 2), digitsAt(text, 8, 2))
  if (!(hour <= 23 && minute <= 59 && second <= 59 && days >= 0)) return -1
  let fraction = 0
  let at = 19
  if (at < length && text.charCodeAt(at) === 0x2e) {
    let scale = 100_000
    const first = ++at
    for (; at < length; at++) {
      const digit = text.charCodeAt(at) - 0x30
      if (digit < 0 || digit > 9) break
      fraction += digit * scale
      scale = scale === 1 ? 0 : scale / 10
    }
    if (at === first) return -1
  }
  const isEnd = at === length || (at === length - 1 && text.charCodeAt(at) === 0x5a)
  return isEnd
    ? (days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + fraction
    : -1
}

/** The number in `count` digits, or NaN. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return Number.NaN
    value = value * 10 + digit
  }
  return value
}

/** The same; undefined for text that is no time. */
export function timeOrNone(text: string, zone?: string): number | undefined {
  try {
    return parseTime(text, zone)
  } catch {
    return undefined
  }
}

/** True when the text is a bare number, which some callers must refuse. */
export function isNumericTime(text: string): boolean {
  return NUMBER.test(text)
}

function parseNumber(text: string): number {
  const whole = wholeNumber(text)
  if (whole >= 0) {
    const instant =
      whole >= MILLIS_FROM * 1000 ? whole : whole * (whole >= MILLIS_FROM ? 1000 : MICROS_PER_SECOND)
    const form = instant < DATES_BEFORE ? compactForm(text) : undefined
    if (form === undefined) return instant
    throw new RangeError(
      `${text} reads as a date: say time_format: ${form}, or, for a number since 1970, ${epochOf(whole)}`,
    )
  }
  const match = NUMBER.exec(text)
  if (!match) throw bad(text)
  const [, sign, integer = '', fraction = ''] = match
  const value = Number(integer)
  const digits = value >= MILLIS_FROM * 1000 ? 0 : value >= MILLIS_FROM ? 3 : 6
  const scaled = value * 10 ** digits + Number(fraction.slice(0, digits).padEnd(digits, '0') || 0)
  return sign === '-' ? -scaled : scaled
}

/** Digits that are a moment before this one, 2005-01-01, and a date too, are most likely the date. */
const DATES_BEFORE = 1_104_537_600 * MICROS_PER_SECOND

/** The form of digits that are a date from 1900 to 2099, by the day, the minute or the second. */
function compactForm(text: string): string | undefined {
  const match = /^((?:19|20)\d\d)(\d\d)(\d\d)(?:([01]\d|2[0-3])([0-5]\d)([0-5]\d)?)?$/.exec(text)
  if (!match || Number.isNaN(daysFromCivil(Number(match[1]), Number(match[2]), Number(match[3]))))
    return undefined
  return 'YYYYMMDDHHmmss'.slice(0, text.length)
}

function epochOf(whole: number): string {
  return whole >= MILLIS_FROM * 1000 ? 'epoch_us' : whole >= MILLIS_FROM ? 'epoch_ms' : 'epoch_s'
}

/** The number in 1 to 16 digits; -1 for any other text. */
function wholeNumber(text: string): number {
  if (text.length === 0 || text.length > 16) return -1
  let value = 0
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 0x30
    if (digit < 0 || digit > 9) return -1
    value = value * 10 + digit
  }
  return value
}

function parseOffset(offset: string, text: string): number {
  if (offset === 'Z' || offset === 'z' || offset === 'UTC') return 0
  const hours = Number(offset.slice(1, 3))
  const minutes = Number(offset.slice(3).replace(':', '') || 0)
  if (hours > 23 || minutes > 59) throw bad(text)
  return (offset[0] === '-' ? -1 : 1) * (hours * 60 + minutes) * 60 * MICROS_PER_SECOND
}

function micros(fraction: string): number {
  return fraction === '' ? 0 : Number(fraction.slice(0, 6).padEnd(6, '0'))
}

function bad(text: string): RangeError {
  return new RangeError(`not a time: ${JSON.stringify(text.slice(0, 60))}`)
}

/** Days since 1970-01-01 of a proleptic Gregorian date; NaN when there is no such date. */
export function daysFromCivil(year: number, month: number, day: number): number {
  if (month < 1 || month > 12 || day < 1 || day > 31) return Number.NaN
  if (day > 28 && day > daysInMonth(year, month)) return Number.NaN
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return (
    era * 146_097 +
    yearOfEra * 365 +
    Math.floor(yearOfEra / 4) -
    Math.floor(yearOfEra / 100) +
    dayOfYear -
    719_468
  )
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** The UTC day of an instant, counted from 1970-01-01. */
export function dayOf(instant: number): number {
  return Math.floor(instant / MICROS_PER_DAY)
}

/** `YYYY-MM-DD` of a day counted from 1970-01-01. */
export function dayText(day: number): string {
  return new Date(day * MS_PER_DAY).toISOString().slice(0, 10)
}

let cachedDay = Number.NaN
const cachedDayText = Buffer.alloc(11)

/** Writes an instant of the years 1970 to 2255 (2^53 µs) at `at`: 27 characters, `2024-03-01T12:34:56.789123Z`. */
export function writeInstant(bytes: Buffer, at: number, instant: number): void {
  const day = dayOf(instant)
  if (day !== cachedDay) {
    cachedDay = day
    cachedDayText.write(`${dayText(day)}T`, 'latin1')
  }
  for (let i = 0; i < 11; i++) bytes[at + i] = cachedDayText[i]!
  const rest = instant - day * MICROS_PER_DAY
  const seconds = Math.floor(rest / MICROS_PER_SECOND)
  const fraction = rest - seconds * MICROS_PER_SECOND
  const hours = (seconds / 3600) | 0
  const minutes = ((seconds - hours * 3600) / 60) | 0
  twoDigits(bytes, at + 11, hours, 0x3a)
  twoDigits(bytes, at + 14, minutes, 0x3a)
  twoDigits(bytes, at + 17, seconds - hours * 3600 - minutes * 60, 0x2e)
  const millis = (fraction / 1000) | 0
  threeDigits(bytes, at + 20, millis)
  threeDigits(bytes, at + 23, fraction - millis * 1000)
  bytes[at + 26] = 0x5a
}

function twoDigits(bytes: Buffer, at: number, value: number, separator: number): void {
  const tens = (value / 10) | 0
  bytes[at] = 0x30 + tens
  bytes[at + 1] = 0x30 + value - tens * 10
  bytes[at + 2] = separator
}

function threeDigits(bytes: Buffer, at: number, value: number): void {
  const hundreds = (value / 100) | 0
  const tens = ((value - hundreds * 100) / 10) | 0
  bytes[at] = 0x30 + hundreds
  bytes[at + 1] = 0x30 + tens
  bytes[at + 2] = 0x30 + value - hundreds * 100 - tens * 10
}

const asText = Buffer.alloc(27)

/** The 27 characters as text. RangeError for no number, or one that is beyond any date. */
export function formatInstant(instant: number): string {
  if (instant >= 0 && Number.isSafeInteger(instant)) {
    writeInstant(asText, 0, instant)
    return asText.toString('latin1')
  }
  const day = dayOf(instant)
  const rest = instant - day * MICROS_PER_DAY
  const millis = new Date(day * MS_PER_DAY + Math.floor(rest / 1000)).toISOString().slice(0, 23)
  return `${millis}${String(rest % 1000).padStart(3, '0')}Z`
}
