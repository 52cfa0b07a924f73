import { hex4 } from './bytes.ts'
import { FLAG, type Tape } from './tape.ts'

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
