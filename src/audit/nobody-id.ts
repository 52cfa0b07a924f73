import { isIllegalId } from '../record/illegal-id.ts'
import { isJunkId } from '../record/junk-id.ts'

const BACKSLASH = 0x5c
const ZERO = 0x30
/** In bytes of JSON. */
const LONGEST_NOBODY = 80
/** The longest word that stands for nobody: `not_authenticated`. */
const LONGEST_WORD = 17
const UUID_LENGTH = 36

/** True for an id of which the service makes no person, or which many people share. */
export function isNobody(id: string): boolean {
  return isIllegalId(id) || isJunkId(id)
}

/**
 * False for most ids that people have, by a look at two bytes and the length: the words that stand for nobody are short,
 * the UUID of zeros begins with one, and all others are in quotes, blanks or brackets.
 */
export function mayBeNobody(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start
  if (length > LONGEST_NOBODY) return false
  const first = bytes[start]!
  if (!isWordly(first) || !isWordly(bytes[end - 1]!)) return true
  return length <= LONGEST_WORD || (length === UUID_LENGTH && first === ZERO)
}

function isWordly(byte: number): boolean {
  const small = byte | 0x20
  return (byte >= ZERO && byte <= 0x39) || (small >= 0x61 && small <= 0x7a)
}

/** A JSON string, decoded. */
export function textAt(bytes: Buffer, start: number, end: number): string {
  for (let i = start + 1; i < end - 1; i++) {
    if (bytes[i] === BACKSLASH) return JSON.parse(bytes.toString('utf8', start, end)) as string
  }
  return bytes.toString('utf8', start + 1, end - 1)
}
