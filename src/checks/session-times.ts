import { MICROS_PER_MS, MS_PER_DAY } from '../text/units.ts'

/** Without its first quote: a line has many quotes, and a search that begins with one takes twice the time. */
const NEEDLE = Buffer.from('$session_id":')
const NULL = Buffer.from('null')
const QUOTE = 0x22
const HYPHEN = 0x2d
const UUID_LENGTH = 36
/** Digits of the time: the first 48 bits. */
const TIME_DIGITS = 12
const HEX = new Int8Array(256).fill(-1)
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16)
  HEX[text.charCodeAt(0)] = digit
  HEX[text.toUpperCase().charCodeAt(0)] = digit
}

/** The start of the value, as it is shown. */
const SHOWN = 50

/**
 * True if an event line names a session that web analytics will not take: its id is no UUID of version 7, or one of a
 * time after the event, or 24 hours and more before it. `instant` in microseconds. `from`: where properties can begin.
 */
export function hasOddSession(line: Buffer, instant: number, from = 0): boolean {
  const start = sessionAt(line, from)
  if (start < 0 || line.compare(NULL, 0, NULL.length, start, start + NULL.length) === 0) return false
  if (line[start] !== QUOTE || line[start + 1 + UUID_LENGTH] !== QUOTE) return true
  const since = Math.floor(instant / MICROS_PER_MS) - timeOfV7(line, start + 1)
  return !(since >= 0 && since < MS_PER_DAY)
}

/** Where the value of `$session_id` begins; -1 for none. */
function sessionAt(line: Buffer, from: number): number {
  for (let at = line.indexOf(NEEDLE, from); at >= 0; at = line.indexOf(NEEDLE, at + 1))
    if (line[at - 1] === QUOTE) return at + NEEDLE.length
  return -1
}

/** The time (ms) in a UUID of version 7, which is read from its bytes: most events have one. NaN for anything else. */
function timeOfV7(line: Buffer, start: number): number {
  let [time, digits] = [0, 0]
  for (let i = 0; i < UUID_LENGTH; i++) {
    const byte = line[start + i]!
    if (i === 8 || i === 13 || i === 18 || i === 23) {
      if (byte !== HYPHEN) return Number.NaN
      continue
    }
    const digit = HEX[byte]!
    const isRight = i === 14 ? digit === 7 : i === 19 ? (digit & 0b1100) === 0b1000 : true
    if (digit < 0 || !isRight) return Number.NaN
    if (digits++ < TIME_DIGITS) time = time * 16 + digit
  }
  return time
}

/** The session that an event line names, as it is written: `$session_id "s1"`. */
export function sessionText(line: Buffer): string {
  const start = sessionAt(line, 0)
  const value = line.toString('utf8', start, start + SHOWN)
  const end = /^"(?:[^"\\]|\\.)*"|^[^,}]*/.exec(value)?.[0] || value
  return `$session_id ${end}`
}
