/*
 * JSON whose numbers keep their digits. A number that a double would change is held as a string that begins with half of
 * a surrogate pair, which no text from a file or from the service has; `exactJson` writes its digits again.
 */

const MARK = '\ud800#'
/** The mark as `JSON.stringify` writes it. */
const WRITTEN = '\\ud800#'
const MARKED = /"\\ud800#([^"]*)"/g
/** Where a number could be longer than a double holds. */
const SUSPECT = /[:,[]\s*-?(?:[\d.]{16}|[\d.]+[eE])/
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g

/** Parses JSON. Throws a SyntaxError. */
export function parseExact(json: string): unknown {
  if (!SUSPECT.test(json)) return JSON.parse(json)
  return JSON.parse(json.replace(TOKEN, (token) => (isExact(token) ? token : JSON.stringify(MARK + token))))
}

/** A value of `parseExact` as JSON, with the digits that it came with. */
export function exactJson(value: unknown): string {
  return unmarked(value, (digits) => digits)
}

/** The same as a service holds it: numbers as doubles, and those beyond their range as strings of their digits. */
export function roundedJson(value: unknown): string {
  return unmarked(value, (digits) =>
    Number.isFinite(Number(digits)) ? String(Number(digits)) : `"${digits}"`,
  )
}

/** The same with strings of digits, for those who can't hold such numbers. */
export function readableJson(value: unknown): string {
  return unmarked(value, (digits) => `"${digits}"`)
}

function unmarked(value: unknown, write: (digits: string) => string): string {
  const json = JSON.stringify(value)
  return json.includes(WRITTEN) ? json.replace(MARKED, (_, digits: string) => write(digits)) : json
}

function isExact(token: string): boolean {
  if (token.startsWith('"')) return true
  const number = Number(token)
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(token)
}

/** The digits of a number without zeros at their ends, and the power of ten of the last one. */
function digitsOf(token: string): string {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  if (kept === '') return '0'
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}
