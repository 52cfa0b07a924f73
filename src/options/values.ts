/** Reads a setting's text; a RangeError says what was expected. */
export type Parse<T> = (text: string) => T

/** Text that is taken as it is. */
export const text: Parse<string> = (value) => value

/** A whole number from `least` on; `10_000` and `10,000` are read as people write them. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): Parse<number> {
  return (value) => {
    const number = /^\d+(?:[_,]\d{3})*$/.test(value) ? Number(value.replaceAll(/[_,]/g, '')) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new RangeError(`expected a whole number ${range}`)
  }
}

/** One of a few words. */
export function oneOf<T extends string>(...words: readonly T[]): Parse<T> {
  return (value) => {
    const word = words.find((candidate) => candidate === value)
    if (word !== undefined) return word
    throw new RangeError(`expected ${words.join(' or ')}`)
  }
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A span of time such as `90s`, `50m`, `1h30m` or `2d`, in milliseconds. */
export const duration: Parse<number> = (value) => {
  if (!/^(?:\d+(?:ms|s|m|h|d))+$/.test(value))
    throw new RangeError('expected a time such as 90s, 50m or 1h30m')
  let total = 0
  for (const [, amount, unit] of value.matchAll(/(\d+)(ms|s|m|h|d)/g))
    total += Number(amount) * UNIT_MS[unit!]!
  return total
}
