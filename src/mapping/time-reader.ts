import { isExcelFormat } from '../record/excel-time.ts'
import { isNumericTime, parseTime } from '../record/time.ts'
import { compileTimeFormat } from '../record/time-format.ts'

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
