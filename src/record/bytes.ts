/** A double holds every number of so many digits, unless it is smaller than the least of full precision. */
const EXACT_DIGITS = 15
const LEAST_EXACT = 2 ** -1022

/** Start value and multiplier of FNV-1a. */
const HASH_START = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193

/** FNV-1a, four bytes at a step and the rest byte by byte. */
export function hashBytes(bytes: Buffer, start: number, end: number): number {
  let hash = HASH_START
  let i = start
  for (; i + 4 <= end; i += 4) {
    const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
    hash = hashWord(hash, word)
  }
  for (; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, HASH_PRIME)
  return hash
}

/** One step of `hashBytes` over four bytes, little endian. */
function hashWord(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, HASH_PRIME)
  // A product's low bits depend on low bits alone, and tables use the low bits: the high ones are mixed in.
  return product ^ (product >>> 15)
}

/** Mixes all bits of a hash into those that choose a slot or a range: ids that count up differ in few bits. */
export function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}

/**
 * Looks at four bytes inside a JSON string: 0 when all are plain (no quote, backslash, control character, nothing
 * beyond ASCII); otherwise the lowest bit set is the top bit of the first byte that is not plain.
 *
 * A subtraction sets a byte's top bit exactly when the byte is the one looked for, or below a blank. Its borrow can
 * change the bytes above, but only the lowest bit set is used.
 */
export function specials(word: number): number {
  const quote = (word ^ 0x22222222) - 0x01010101
  const backslash = (word ^ 0x5c5c5c5c) - 0x01010101
  return (quote | backslash | (word - 0x20202020) | word) & 0x80808080
}

/** Index after the string of valid JSON whose opening quote is at `quote`. */
export function stringEnd(bytes: Buffer, quote: number): number {
  let at = quote + 1
  while (bytes[at] !== 0x22) at += bytes[at] === 0x5c ? 2 : 1
  return at + 1
}

/** A view of the same bytes, to read several at a step. */
export function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

/** The same numbers in an array of another length: twice as long, unless told otherwise. */
export function grown(from: Int32Array, length = from.length * 2): Int32Array<ArrayBuffer> {
  const to = new Int32Array(length)
  to.set(from)
  return to
}

/** Which of the four bytes (0 to 3) `specials` found first. */
export function firstSpecial(mask: number): number {
  return (31 - Math.clz32(mask & -mask)) >> 3
}

/** True when [start, end) begins with `head`. A loop: most differ at once, and `compare` costs ten steps of it. */
export function beginsWith(bytes: Buffer, start: number, end: number, head: Buffer): boolean {
  if (end - start < head.length) return false
  for (let i = 0; i < head.length; i++) if (bytes[start + i] !== head[i]) return false
  return true
}

/** True when `word` is somewhere in [start, end). */
export function holds(bytes: Buffer, start: number, end: number, word: Buffer): boolean {
  for (let at = start; at + word.length <= end; at++) if (beginsWith(bytes, at, end, word)) return true
  return false
}

/** Index after the ASCII `word` at `at`, or the complement of the index of the first byte that differs. */
export function wordEnd(bytes: Buffer, at: number, end: number, word: string): number {
  for (let i = 0; i < word.length; i++) {
    if (at + i >= end || bytes[at + i] !== word.charCodeAt(i)) return ~(at + i)
  }
  return at + word.length
}

/** Index after the run of decimal digits at `at`. */
export function skipDigits(bytes: Buffer, at: number, end: number): number {
  let i = at
  while (i < end && bytes[i]! >= 0x30 && bytes[i]! <= 0x39) i++
  return i
}

/** True when the number's text is beyond the double range: the service would refuse the whole batch. */
export function isHuge(bytes: Buffer, start: number, end: number): boolean {
  return !Number.isFinite(Number(bytes.toString('latin1', start, end)))
}

/** True when the number in the digits (no sign) is over 2^53: the service rounds such a number later. */
export function isBigInteger(bytes: Buffer, start: number, end: number): boolean {
  const length = end - start
  if (length !== 16) return length > 16
  return bytes.toString('latin1', start, end) > '9007199254740992'
}

/**
 * True when a number with a fraction or an exponent has digits that a double doesn't give back, in 17 digits or in as few
 * as it needs: the service rounds such a number later. So has one so small that a double has no digits for it.
 */
export function isRoundedDecimal(bytes: Buffer, start: number, end: number): boolean {
  let significant = 0
  let at = start
  for (; at < end && (bytes[at]! | 0x20) !== 0x65; at++) {
    const byte = bytes[at]!
    if (byte >= 0x30 && byte <= 0x39 && (significant > 0 || byte !== 0x30)) significant++
  }
  if (significant <= EXACT_DIGITS && at === end) return false
  const text = bytes.toString('latin1', start, end)
  const value = Number(text)
  if (significant <= EXACT_DIGITS && Math.abs(value) >= LEAST_EXACT) return false
  const digits = digitsOf(text)
  return digitsOf(value.toPrecision(17)) !== digits && digitsOf(String(value)) !== digits
}

/** The digits of a number without the zeros at both ends. */
function digitsOf(text: string): string {
  const [digits = ''] = text.replaceAll(/[-.]/g, '').split(/e/i)
  return digits.replace(/^0+|0+$/g, '')
}

/** The code unit in four hexadecimal digits, or -1. */
export function hex4(bytes: Buffer, at: number, end: number): number {
  if (at + 4 > end) return -1
  let unit = 0
  for (let i = at; i < at + 4; i++) {
    const byte = bytes[i]!
    const lower = byte | 0x20
    if (byte >= 0x30 && byte <= 0x39) unit = unit * 16 + byte - 0x30
    else if (lower >= 0x61 && lower <= 0x66) unit = unit * 16 + lower - 0x57
    else return -1
  }
  return unit
}

/** Length of the UTF-8 sequence at `at` (2 to 4), or 0 when it is none: overlong forms and surrogates are refused. */
export function utf8Length(bytes: Buffer, at: number, end: number): number {
  const first = bytes[at]!
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (at + length > end) return 0
  const second = bytes[at + 1]!
  if (second < 0x80 || second > 0xbf) return 0
  if (length > 2) {
    if (first === 0xe0 && second < 0xa0) return 0
    if (first === 0xed && second > 0x9f) return 0
    if (first === 0xf0 && second < 0x90) return 0
    if (first === 0xf4 && second > 0x8f) return 0
    if ((bytes[at + 2]! & 0xc0) !== 0x80) return 0
    if (length === 4 && (bytes[at + 3]! & 0xc0) !== 0x80) return 0
  }
  return length
}

/**
 * Copies [start, end) of `from` to `to` and returns the index after the copy; up to three bytes after it are written
 * too. `size` is the length of `from`: reading that property costs a call. Pieces of events are short, and a call to
 * `copy` costs as much as two hundred bytes of this loop.
 *
 * Eight bytes at a step are copied as one double, twice as fast as two words. A platform may change the bits of a NaN,
 * but UTF-8 text never has those of one: the top byte would be 0xff, which text never holds, or 0x7f after a byte from
 * 0xf0 on, which only a byte from 0x80 on may follow. The bytes after `end` may be anything, so the last step copies
 * words.
 */
export function copyBytes(
  from: DataView,
  size: number,
  start: number,
  end: number,
  into: DataView,
  to: number,
): number {
  const ahead = to - start
  let at = start
  for (; at + 8 <= end; at += 8) into.setFloat64(at + ahead, from.getFloat64(at, true), true)
  const last = Math.min(end, size - 3)
  for (; at < last; at += 4) into.setInt32(at + ahead, from.getInt32(at, true), true)
  for (; at < end; at++) into.setUint8(at + ahead, from.getUint8(at))
  return end + ahead
}

/** Pieces longer than this are copied by the platform: for shorter ones the call costs more than a loop. */
const LONG = 256

/** The same for pieces of any length. `words` is a view of `from`, `intoWords` one of `into`. */
export function copyPiece(
  from: Buffer,
  words: DataView,
  start: number,
  end: number,
  into: Buffer,
  intoWords: DataView,
  to: number,
): number {
  if (end - start <= LONG) return copyBytes(words, from.length, start, end, intoWords, to)
  from.copy(into, to, start, end)
  return to + end - start
}

/** A JSON text without the white space outside of its strings: the same bytes where it has none. */
export function packedJson(json: Buffer): Buffer {
  let out: Buffer | undefined
  let [to, inString] = [0, false]
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]!
    if (!inString && (byte === 0x20 || (byte >= 0x09 && byte <= 0x0d))) {
      out ??= Buffer.from(json)
      continue
    }
    if (byte === 0x22) inString = !inString
    if (out) out[to] = byte
    to++
    // What an escape stands before ends no string.
    if (!inString || byte !== 0x5c) continue
    at++
    if (out) out[to] = json[at]!
    to++
  }
  return out === undefined ? json : out.subarray(0, to)
}
