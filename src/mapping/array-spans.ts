const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The elements of the array at [start, end) of valid JSON: index of the first byte of each and after its last one, one
 * after the other. Undefined when it has more than `most` of them.
 */
export function elementSpans(bytes: Buffer, start: number, end: number, most: number): number[] | undefined {
  const spans: number[] = []
  let at = blanksEnd(bytes, start + 1, end)
  while (at < end && bytes[at] !== CLOSE_ARRAY) {
    if (spans.length === 2 * most) return undefined
    const after = valueEnd(bytes, at, end)
    spans.push(at, after)
    at = blanksEnd(bytes, after, end)
    if (bytes[at] === COMMA) at = blanksEnd(bytes, at + 1, end)
  }
  return spans
}

function blanksEnd(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && bytes[at]! <= 0x20) at++
  return at
}

/** Index after the value that begins at `from`. */
function valueEnd(bytes: Buffer, from: number, end: number): number {
  let depth = 0
  let at = from
  while (at < end) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = stringEnd(bytes, at)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++
      at++
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      // The end of the array itself ends a number or a word.
      if (depth === 0) return at
      depth--
      at++
    } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return at
    else {
      at++
      continue
    }
    if (depth === 0) return at
  }
  return at
}

function stringEnd(bytes: Buffer, quote: number): number {
  let at = quote + 1
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at + 1
}
