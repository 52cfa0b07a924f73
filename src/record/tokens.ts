import { hex4, isBigInteger, isHuge, isRoundedDecimal, skipDigits } from './bytes.ts'
import { FLAG, type Tape } from './tape.ts'

/** What a byte means inside a string: 0 plain, 1 closing quote, 2 backslash, 3 control character, 4 beyond ASCII. */
export const IN_STRING = new Uint8Array(256)
IN_STRING.fill(3, 0, 0x20)
IN_STRING.fill(4, 0x80)
IN_STRING[0x22] = 1
IN_STRING[0x5c] = 2

/** FLAG.packed for what JSON of an object or array can begin with in text: brackets, blanks, and escapes of them. */
export const PACKED = new Uint8Array(256)
for (const byte of Buffer.from('{[ \\')) PACKED[byte] = FLAG.packed

/** What may follow a backslash, besides the u of a code unit. */
const SHORT_ESCAPES = new Set(Buffer.from('"\\/bfnrt'))

/**
 * The escape sequence whose backslash is at `at`: returns the index after it, or -1 when it is none. A pair of surrogates
 * is one sequence; a surrogate without its pair is flagged on the tape.
 */
export function scanEscape(bytes: Buffer, at: number, end: number, tape: Tape): number {
  if (at + 1 >= end) return -1
  const byte = bytes[at + 1]!
  if (byte !== 0x75) return SHORT_ESCAPES.has(byte) ? at + 2 : -1
  const unit = hex4(bytes, at + 2, end)
  if (unit < 0) return -1
  if (unit < 0xd800 || unit > 0xdfff) return at + 6
  if (unit <= 0xdbff && bytes[at + 6] === 0x5c && bytes[at + 7] === 0x75) {
    const low = hex4(bytes, at + 8, end)
    if (low >= 0xdc00 && low <= 0xdfff) return at + 12
  }
  tape.flags |= FLAG.loneSurrogate
  return at + 6
}

/**
 * Scans the JSON number at `at`: returns the index after it, or the complement of the index of the first wrong byte.
 * A number that the service refuses or rounds sets its flag on the tape.
 */
export function scanNumber(bytes: Buffer, at: number, end: number, tape: Tape): number {
  let i = bytes[at] === 0x2d ? at + 1 : at
  const digits = i
  if (i < end && bytes[i] === 0x30) i++
  else {
    i = skipDigits(bytes, i, end)
    if (i === digits) return ~i
  }
  const integerEnd = i
  let exact = true
  if (i < end && bytes[i] === 0x2e) {
    const fraction = i + 1
    i = skipDigits(bytes, fraction, end)
    if (i === fraction) return ~i
    exact = false
  }
  if (i < end && (bytes[i]! | 0x20) === 0x65) {
    i++
    if (i < end && (bytes[i] === 0x2b || bytes[i] === 0x2d)) i++
    const exponent = i
    i = skipDigits(bytes, exponent, end)
    if (i === exponent) return ~i
    if (isHuge(bytes, at, i)) tape.flags |= FLAG.hugeNumber
    else if (isRoundedDecimal(bytes, at, i)) tape.flags |= FLAG.bigInteger
    return i
  }
  // Shorter ones have no more digits than a double holds.
  if (i - digits > 15) {
    if (integerEnd - digits > 300 && isHuge(bytes, at, i)) tape.flags |= FLAG.hugeNumber
    else if (exact ? isBigInteger(bytes, digits, i) : isRoundedDecimal(bytes, digits, i))
      tape.flags |= FLAG.bigInteger
  }
  return i
}
