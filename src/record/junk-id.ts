import type { Id } from './id.ts'

// Values that libraries send when they know no user: linking them would make one person of thousands.
const ANY_CASE = new Set([
  'anon',
  'anonymous',
  'guest',
  'distinctid',
  'distinct_id',
  'id',
  'not_authenticated',
  'email',
  'nil',
  'none',
  'null',
  'n/a',
  'na',
  'undefined',
  'unknown',
  'true',
  'false',
  '0',
  '-1',
  '[]',
  '{}',
  'nan',
  '[object object]',
  '00000000-0000-0000-0000-000000000000',
])

const LONGEST = 38

/** First letter and length of every word: for most ids these two already tell that they are none of the words. */
const SHAPES = new Set([...ANY_CASE].map((word) => shape(word.charCodeAt(0), word.length)))

function shape(first: number, length: number): number {
  return first * 64 + length
}

/** False when an id of this shape can't be one of the words: a plain letter or digit at both ends, and a shape that no word has. */
function isSuspect(firstUnit: number, lastUnit: number, length: number): boolean {
  const first = firstUnit | 0x20
  return !isWordly(first) || !isWordly(lastUnit | 0x20) || SHAPES.has(shape(first, length))
}

function isWordly(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x7a)
}

/** True for an id that many people share, quoted or not: it must never link two persons. */
export function isJunkId(id: string): boolean {
  if (!isSuspect(id.charCodeAt(0), id.charCodeAt(id.length - 1), id.length)) return false
  // The longest word is a UUID in quotes: this settles most real ids.
  if (id.length > LONGEST && id.trim().length > LONGEST) return false
  const bare = /^(["']).*\1$/s.test(id) ? id.slice(1, -1) : id
  return bare.trim() === '' || ANY_CASE.has(bare.trim().toLowerCase())
}

/** The same of an id whose text few ask for. */
export function isJunk(id: Id): boolean {
  const { bytes, start, end } = id
  if (bytes !== undefined && !isSuspect(bytes[start]!, bytes[end - 1]!, end - start)) return false
  return isJunkId(id.text)
}
