import { MICROS_PER_SECOND, SECONDS_PER_DAY } from '../text/index.ts'
import { daysFromCivil, isNumericTime, parseTime, zoneOffsetMicros } from './time.ts'

/** Reads a text of one form to microseconds since the epoch; undefined for any other text. `zone`: of times without an offset. */
export type TimeForm = (text: string, zone: string | undefined) => number | undefined

/** Bare numbers, by the power of ten that makes microseconds of them. */
const EPOCHS: Readonly<Record<string, number>> = { epoch_s: 6, epoch_ms: 3, epoch_us: 0, epoch_ns: -3 }

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** What each token of a format stands for, the longest first. */
const TOKENS: ReadonlyArray<readonly [token: string, part: string, pattern: string]> = [
  ['YYYY', 'year', '\\d{4}'],
  ['YY', 'shortYear', '\\d\\d'],
  ['MMMM', 'monthName', '[A-Za-z]{3,9}\\.?'],
  ['MMM', 'monthName', '[A-Za-z]{3,9}\\.?'],
  ['MM', 'month', '\\d\\d?'],
  ['M', 'month', '\\d\\d?'],
  ['dddd', '', '[A-Za-z]{2,9}\\.?'],
  ['ddd', '', '[A-Za-z]{2,9}\\.?'],
  ['DD', 'day', '\\d\\d?'],
  ['D', 'day', '\\d\\d?'],
  ['HH', 'hour', '\\d\\d?'],
  ['H', 'hour', '\\d\\d?'],
  ['hh', 'hour', '\\d\\d?'],
  ['h', 'hour', '\\d\\d?'],
  ['mm', 'minute', '\\d\\d'],
  ['m', 'minute', '\\d\\d?'],
  ['ss', 'second', '\\d\\d'],
  ['SSS', 'fraction', '\\d+'],
  ['S', 'fraction', '\\d+'],
  ['A', 'half', '[AaPp]\\.?[Mm]\\.?'],
  ['Z', 'offset', 'Z|UTC|GMT|[+-]\\d\\d(?::?\\d\\d)?'],
]

/**
 * Compiles a form of time, such as `MM/DD/YYYY hh:mm A`, `epoch_ns` or `excel`. A day alone is its first moment. RangeError for a
 * format that names no year, month and day, or has a letter that stands for nothing.
 */
export function compileTimeFormat(format: string): TimeForm {
  const power = EPOCHS[format]
  if (power !== undefined) return (text) => epochMicros(text, power)
  if (isExcelFormat(format)) return excelForm(format)
  const parts: string[] = []
  let pattern = ''
  for (let at = 0; at < format.length; ) {
    const known = TOKENS.find(([token]) => format.startsWith(token, at))
    if (known) {
      const [token, part, digits] = known
      pattern += part === '' ? `(?:${digits})` : `(${digits})`
      if (part !== '') parts.push(part)
      at += token.length
      continue
    }
    const letter = format[at++]!
    if (/[a-z]/i.test(letter) && letter !== 'T')
      throw new RangeError(`${letter} stands for nothing in a time format`)
    pattern += letter === ' ' ? '\\s+' : letter.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')
  }
  const twice = parts.find((part, index) => parts.indexOf(part) !== index)
  if (twice !== undefined) throw new RangeError(`the format has the ${twice} twice`)
  const isDay = parts.includes('day') && parts.some((part) => part === 'month' || part === 'monthName')
  if (!isDay || !parts.some((part) => part === 'year' || part === 'shortYear')) {
    throw new RangeError(
      'a time format has a year, a month and a day, such as DD.MM.YYYY HH:mm, or is epoch_ms',
    )
  }
  const form = new RegExp(`^${pattern}$`)
  return (text, zone) => {
    const match = form.exec(text.trim())
    return match ? instantOf(new Map(parts.map((part, index) => [part, match[index + 1]!])), zone) : undefined
  }
}

function instantOf(parts: ReadonlyMap<string, string>, zone: string | undefined): number | undefined {
  const number = (part: string) => Number(parts.get(part) ?? 0)
  const days = daysFromCivil(yearOf(parts), monthOf(parts), number('day'))
  const hour = hourOf(number('hour'), parts.get('half'))
  const [minute, second] = [number('minute'), number('second')]
  if (Number.isNaN(days) || hour === undefined || minute > 59 || second > 59) return undefined
  const fraction = Number((parts.get('fraction') ?? '0').slice(0, 6).padEnd(6, '0'))
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second
  const wall = seconds * MICROS_PER_SECOND + fraction
  const offset = parts.get('offset')
  if (offset !== undefined) return wall - offsetMicros(offset)
  return zone === undefined ? wall : wall - zoneOffsetMicros(wall, zone)
}

function yearOf(parts: ReadonlyMap<string, string>): number {
  const short = parts.get('shortYear')
  if (short === undefined) return Number(parts.get('year'))
  return Number(short) + (Number(short) < 70 ? 2000 : 1900)
}

function monthOf(parts: ReadonlyMap<string, string>): number {
  const name = parts.get('monthName')
  return name === undefined ? Number(parts.get('month')) : MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
}

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

function offsetMicros(offset: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60 * MICROS_PER_SECOND
}

/** Digits below the microsecond are cut. */
function epochMicros(text: string, power: number): number | undefined {
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,20})(?:\.(\d+))?$/.exec(text.trim()) ?? []
  if (whole === undefined) return undefined
  const digits = power < 0 ? whole.slice(0, power) : whole + fraction.slice(0, power).padEnd(power, '0')
  return (sign === '-' ? -1 : 1) * Number(digits || 0)
}

/** Days from the first one of Excel's calendars to 1970-01-01, by the name of the format. */
const EXCEL_EPOCHS: Readonly<Record<string, number>> = { excel: 25_569, 'excel-1904': 24_107 }
/** In the calendar of 1900, day 60 is 29 February 1900, which never was; days before it count from one day later. */
const NO_DAY = 60
/** The last day of year 9999. */
const LAST: Readonly<Record<string, number>> = { excel: 2_958_465, 'excel-1904': 2_957_003 }

/** True for days as Excel counts them: from 1900 (`excel`), as on Windows, or from 1904 (`excel-1904`). */
function isExcelFormat(format: string): boolean {
  return Object.hasOwn(EXCEL_EPOCHS, format)
}

/**
 * Reads numbers of days, whose fraction is the time of day, as wall time of the zone: 45650.75 is 2024-12-24 18:00:00. A
 * fraction has as many digits as the file gives it, so it is the whole second that lies within its last digit; a
 * time further from any second is rounded to the millisecond, the finest that Excel knows.
 */
function excelForm(format: string): (text: string, zone: string | undefined) => number | undefined {
  const [epoch, last] = [EXCEL_EPOCHS[format]!, LAST[format]!]
  return (text, zone) => {
    const [, digits, fraction = ''] = /^(0|[1-9]\d{0,6})(?:\.(\d+))?$/.exec(text.trim()) ?? []
    if (digits === undefined) return undefined
    const day = Number(digits)
    const is1900 = format === 'excel'
    if (day > last || (is1900 && (day < 1 || day === NO_DAY))) return undefined
    const days = day - epoch + (is1900 && day < NO_DAY ? 1 : 0)
    const wall = days * SECONDS_PER_DAY * MICROS_PER_SECOND + timeOfDay(fraction)
    return zone === undefined ? wall : wall - zoneOffsetMicros(wall, zone)
  }
}

/** Microseconds since midnight. */
function timeOfDay(fraction: string): number {
  const seconds = Number(`0.${fraction || 0}`) * SECONDS_PER_DAY
  const second = Math.round(seconds)
  const lastDigit = SECONDS_PER_DAY / 10 ** fraction.length
  const exact = Math.abs(seconds - second) <= lastDigit ? second : Math.round(seconds * 1000) / 1000
  return Math.round(exact * MICROS_PER_SECOND)
}

/** Reads a source's time to microseconds since the epoch. RangeError for text that is none. */
export type TimeReader = (text: string) => number

/** A reader of times: of the forms that a mapping file names, in their order, and of those that `parseTime` knows. */
export function timeReader(formats: readonly string[], zone: string | undefined): TimeReader {
  if (formats.length === 0) return (text) => parseTime(text, zone)
  const isExcel = formats.some(isExcelFormat)
  const forms = formats.map(compileTimeFormat)
  return (text) => {
    for (const form of forms) {
      const instant = form(text, zone)
      if (instant !== undefined) return instant
    }
    // Among days as Excel counts them, 0.5 or 60 is no number of seconds.
    if (isExcel && isNumericTime(text)) throw new RangeError(`not a day as Excel counts them: ${text}`)
    return parseTime(text, zone)
  }
}
