import { ByteWriter } from './byte-writer.ts'
import { LARGEST_INTEGER, LEAST_INTEGER, MOST_ARRAYS } from './stored-properties.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x5b
const CLOSE = 0x5d
const MINUS = 0x2d
/** The shortest integer beyond 64 bits: a negative one. */
const LONG_DIGITS = 19

/** True if the bytes hold so many brackets that arrays may be nested too deep: that is known without a look at the text. */
export function mayBeDeep(bytes: Buffer, from: number, end: number): boolean {
  let at = from - 1
  for (let count = 0; count <= MOST_ARRAYS; count++) {
    at = bytes.indexOf(OPEN, at + 1)
    if (at < 0 || at >= end) return false
  }
  return true
}

/** True if arrays are nested deeper in a JSON value than the service can read, objects between them not counted. */
export function hasDeepArrays(bytes: Buffer, start: number, end: number): boolean {
  let open = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = closingQuote(bytes, i)
    else if (byte === CLOSE) open--
    else if (byte === OPEN && ++open > MOST_ARRAYS) return true
  }
  return false
}

/**
 * Copies a JSON object; each array of it that is nested too deep becomes a string of its own text, byte for byte. The
 * object keeps its members: only arrays in no other array become text. Undefined where none is; `count` is told of each.
 */
export function deepAsText(bytes: Buffer, start: number, end: number, count: () => void): Buffer | undefined {
  let made: ByteWriter | undefined
  let copied = start
  for (let i = start; i < end; i++) {
    if (bytes[i] === QUOTE) i = closingQuote(bytes, i)
    if (bytes[i] !== OPEN) continue
    const after = arrayEnd(bytes, i)
    if (hasDeepArrays(bytes, i, after)) {
      made ??= new ByteWriter(end - start + 64)
      made.copy(bytes, copied, i)
      made.json(bytes.toString('utf8', i, after))
      count()
      copied = after
    }
    i = after - 1
  }
  made?.copy(bytes, copied, end)
  return made?.bytes.subarray(0, made.length)
}

/** True if a JSON value holds an integer that has no room in 64 bits. */
export function hasLongInteger(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte === QUOTE) i = closingQuote(bytes, i)
    else if (byte === MINUS || isDigit(byte)) {
      let after = i + 1
      while (after < end && isDigit(bytes[after]!)) after++
      const digits = after - i
      const isInteger = after === end || !isPartOfNumber(bytes[after]!)
      if (isInteger && digits >= LONG_DIGITS && isLong(bytes.toString('latin1', i, after))) return true
      // What is behind a dot or an e belongs to the number that was looked at.
      while (after < end && (isDigit(bytes[after]!) || isPartOfNumber(bytes[after]!))) after++
      i = after - 1
    }
  }
  return false
}

function isLong(digits: string): boolean {
  const value = BigInt(digits)
  return value > LARGEST_INTEGER || value < LEAST_INTEGER
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

/** `.`, `e`, `E`, `+`, `-` */
function isPartOfNumber(byte: number): boolean {
  return byte === 0x2e || (byte | 0x20) === 0x65 || byte === 0x2b || byte === MINUS
}

function arrayEnd(bytes: Buffer, at: number): number {
  let open = 0
  for (let i = at; ; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) i = closingQuote(bytes, i)
    else if (byte === OPEN) open++
    else if (byte === CLOSE && --open === 0) return i + 1
  }
}

function closingQuote(bytes: Buffer, at: number): number {
  let i = at + 1
  while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
  return i
}
