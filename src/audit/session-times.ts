import { isUuidV7 } from '../record/uuid.ts'
import { MICROS_PER_MS, MS_PER_DAY } from '../units.ts'

const SESSION_ID = Buffer.from('"$session_id":')
const UUID_LENGTH = 36

/** The start of the value, as it is shown. */
const SHOWN = 50

/**
 * True if an event line names a session that web analytics will not take: its id is no UUID of version 7, or one of a
 * time after the event, or 24 hours and more before it. `instant` in microseconds.
 */
export function hasOddSession(line: Buffer, instant: number): boolean {
  const found = line.indexOf(SESSION_ID)
  if (found < 0) return false
  const start = found + SESSION_ID.length
  const end = start + UUID_LENGTH + 2
  const value = line.toString('latin1', start, end)
  if (value.startsWith('null')) return false
  const id = value.slice(1, -1)
  if (value[0] !== '"' || value.at(-1) !== '"' || !isUuidV7(id)) return true
  const since = Math.floor(instant / MICROS_PER_MS) - Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
  return since < 0 || since >= MS_PER_DAY
}

/** The session that an event line names, as it is written: `$session_id "s1"`. */
export function sessionText(line: Buffer): string {
  const start = line.indexOf(SESSION_ID) + SESSION_ID.length
  const value = line.toString('utf8', start, start + SHOWN)
  const end = /^"(?:[^"\\]|\\.)*"|^[^,}]*/.exec(value)?.[0] || value
  return `$session_id ${end}`
}
