import { MICROS_PER_SECOND, SECONDS_PER_DAY } from '../text/units.ts'
import { zoneOffsetMicros } from './zone.ts'

/** Days from the first one of Excel's calendars to 1970-01-01, by the name of the format. */
const EPOCHS: Readonly<Record<string, number>> = { excel: 25_569, 'excel-1904': 24_107 }
/** In the calendar of 1900, day 60 is 29 February 1900, which never was; days before it count from one day later. */
const NO_DAY = 60
/** The last day of year 9999. */
const LAST: Readonly<Record<string, number>> = { excel: 2_958_465, 'excel-1904': 2_957_003 }

/** True for days as Excel counts them: from 1900 (`excel`), as on Windows, or from 1904 (`excel-1904`). */
export function isExcelFormat(format: string): boolean {
  return Object.hasOwn(EPOCHS, format)
}

/**
 * Reads numbers of days, whose fraction is the time of day, as wall time of the zone: 45650.75 is 2024-12-24 18:00:00. A
 * fraction has as many digits as the file gives it, so it is the whole second that lies within its last digit; a
 * time further from any second is rounded to the millisecond, the finest that Excel knows.
 */
export function excelForm(format: string): (text: string, zone: string | undefined) => number | undefined {
  const [epoch, last] = [EPOCHS[format]!, LAST[format]!]
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
