const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Calls `each` with the span of every item of the array at `start`; the bytes must have been scanned before. */
export function eachItem(
  bytes: Buffer,
  start: number,
  end: number,
  each: (start: number, end: number) => void,
): void {
  let depth = 0
  let first = start + 1
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte === QUOTE) {
      i++
      while (bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) depth++
    else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) depth--
    const last = depth === 0
    if (!last && !(byte === COMMA && depth === 1)) continue
    const from = skipBlanks(bytes, first, i)
    const to = dropBlanks(bytes, from, i)
    if (to > from) each(from, to)
    if (last) return
    first = i + 1
  }
}

function skipBlanks(bytes: Buffer, start: number, end: number): number {
  let i = start
  while (i < end && bytes[i]! <= 0x20) i++
  return i
}

function dropBlanks(bytes: Buffer, start: number, end: number): number {
  let i = end
  while (i > start && bytes[i - 1]! <= 0x20) i--
  return i
}
