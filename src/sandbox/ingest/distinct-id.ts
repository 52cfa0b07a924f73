import { isObject } from './strict-json.ts'

const MAX_CHARACTERS = 200
const BLANKS = /^\p{White_Space}+|\p{White_Space}+$/gu

/** A text without the blanks around it, which are those of Unicode. */
export function trimBlanks(text: string): string {
  return text.replace(BLANKS, '')
}

/** True for an id that `distinctId` cut. */
export function isCut(value: unknown, id: string): boolean {
  return typeof value === 'string' && value.length > id.length
}

/** The id an event is stored under, blanks around it included, or undefined when it has none. `digits` is a numeric id as it was written. */
export function distinctId(value: unknown, digits: string | undefined): string | undefined {
  if (value === undefined || value === null) return undefined
  const text = asText(value, digits).replaceAll('\0', '\ufffd')
  if (trimBlanks(text) === '') return undefined
  // Characters, not UTF-16 units; most ids are short enough not to be counted.
  return text.length > MAX_CHARACTERS ? Array.from(text).slice(0, MAX_CHARACTERS).join('') : text
}

function asText(value: unknown, digits: string | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number' && digits !== undefined) return numberText(digits)
  return JSON.stringify(sorted(value))
}

/** A number as the service writes it: 64-bit integers keep their digits, all else is the shortest double. */
function numberText(digits: string): string {
  if (/^-?\d+$/.test(digits) && digits !== '-0') {
    const integer = BigInt(digits)
    if (integer >= -(2n ** 63n) && integer < 2n ** 64n) return digits
  }
  const value = Number(digits)
  if (value === 0) return digits.startsWith('-') ? '-0.0' : '0.0'
  const size = Math.abs(value)
  if (size < 1e-5 || size >= 1e16) return value.toExponential().replace('e+', 'e')
  // JavaScript writes all of this range without an exponent.
  return Number.isInteger(value) ? `${value}.0` : String(value)
}

/** Keys in order, as the service's maps have them. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}
