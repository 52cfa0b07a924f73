const BACKSLASH = 0x5c
const [SMALL_X, ZERO, SEVEN] = [0x78, 0x30, 0x37]

/** What a letter after a backslash stands for, in Postgres' COPY and MySQL's OUTFILE. */
const LETTERS = new Map(
  Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', Z: '\x1a' }).map(
    ([letter, char]) => [letter.charCodeAt(0), char.charCodeAt(0)],
  ),
)

/**
 * Undoes the backslash escapes of COPY's text form in [start, end), in place; returns the new end. Up to three octal digits
 * or `x` and up to two hexadecimal ones are a byte; any other character stands for itself.
 * Source: PostgreSQL's manual, COPY, "Text Format"; MySQL's, LOAD DATA, "FIELDS ESCAPED BY".
 */
export function unescapeCell(bytes: Buffer, start: number, end: number): number {
  let to = bytes.indexOf(BACKSLASH, start)
  if (to < 0 || to >= end) return end
  for (let at = to; at < end; ) {
    const byte = bytes[at++]!
    if (byte !== BACKSLASH || at === end) {
      bytes[to++] = byte
      continue
    }
    const next = bytes[at]!
    const digits = next === SMALL_X ? digitsAt(bytes, at + 1, Math.min(end, at + 3), 16) : 0
    if (digits > 0) {
      bytes[to++] = Number.parseInt(bytes.toString('latin1', at + 1, at + 1 + digits), 16)
      at += 1 + digits
    } else if (next >= ZERO && next <= SEVEN) {
      const octal = digitsAt(bytes, at, Math.min(end, at + 3), 8)
      bytes[to++] = Number.parseInt(bytes.toString('latin1', at, at + octal), 8) & 0xff
      at += octal
    } else {
      bytes[to++] = LETTERS.get(next) ?? next
      at++
    }
  }
  return to
}

/** How many digits of a base stand in [start, end), from its beginning. */
function digitsAt(bytes: Buffer, start: number, end: number, base: 8 | 16): number {
  const digit = base === 8 ? /[0-7]/ : /[\da-f]/i
  let at = start
  while (at < end && digit.test(String.fromCharCode(bytes[at]!))) at++
  return at - start
}
