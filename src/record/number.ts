import { isBigInteger, isHuge, isRoundedDecimal, skipDigits } from './bytes.ts'
import { FLAG, type Tape } from './tape.ts'

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
