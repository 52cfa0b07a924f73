import { InvalidArgumentError } from 'commander'
import type { Parse } from '../options/values.ts'
import { isTimeZone } from '../record/zone.ts'

/** A whole number of at least `least`, for an option's value. */
export function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
    throw new InvalidArgumentError(`Expected a whole number from ${least} on.`)
  }
}

/** A share between 0 and 1, for an option's value. */
export function ratio(text: string): number {
  const value = Number(text)
  if (text.trim() !== '' && value >= 0 && value <= 1) return value
  throw new InvalidArgumentError('Expected a number from 0 to 1.')
}

/** The name of a time zone, for an option's value. */
export function timeZone(text: string): string {
  if (isTimeZone(text)) return text
  throw new InvalidArgumentError('There is no such time zone; expected a name such as Europe/Vienna.')
}

/** Makes a setting's reader the reader of an option's value. */
export function read<T>(parse: Parse<T>): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(`${error.message}.`)
      throw error
    }
  }
}
