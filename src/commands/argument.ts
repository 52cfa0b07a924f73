import { InvalidArgumentError } from 'commander'
import type { Parse } from '../config/values.ts'

/** Makes a setting's reader a reader of an option's argument. */
export function argument<T>(parse: Parse<T>): (text: string) => T {
  return (text) => {
    try {
      return parse(text)
    } catch (error) {
      if (error instanceof RangeError) throw new InvalidArgumentError(error.message)
      throw error
    }
  }
}
