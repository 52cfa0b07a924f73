import { KIB } from '../text/units.ts'

/** A text, and where a buffer has it as JSON, quotes included. */
export interface Spelling {
  readonly text: string
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
}

const POOL_BYTES = 64 * KIB

/** One buffer for many spellings: an event that takes its values from few buffers is the fastest to write. */
let pool = Buffer.alloc(POOL_BYTES)
let used = 0

/** Spells a text as JSON, for code that puts it into many events. */
export function spell(text: string): Spelling {
  const json = JSON.stringify(text)
  const size = json.length * 3
  if (size > POOL_BYTES) {
    const bytes = Buffer.from(json)
    return { text, bytes, start: 0, end: bytes.length }
  }
  if (used + size > POOL_BYTES) {
    // The full one lives as long as a spelling in it is known.
    pool = Buffer.alloc(POOL_BYTES)
    used = 0
  }
  const start = used
  used += pool.write(json, start, 'utf8')
  return { text, bytes: pool, start, end: used }
}
