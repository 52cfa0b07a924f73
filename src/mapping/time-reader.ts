import { parseTime } from '../record/time.ts'
import { compileTimeFormat } from '../record/time-format.ts'

/** Reads a source's time to microseconds since the epoch. RangeError for text that is none. */
export type TimeReader = (text: string) => number

/** A reader of times: of the forms that a mapping file names, in their order, and of those that `parseTime` knows. */
export function timeReader(formats: readonly string[], zone: string | undefined): TimeReader {
  if (formats.length === 0) return (text) => parseTime(text, zone)
  const forms = formats.map(compileTimeFormat)
  return (text) => {
    for (const form of forms) {
      const instant = form(text, zone)
      if (instant !== undefined) return instant
    }
    return parseTime(text, zone)
  }
}
