// Values that libraries send when they know nobody: linking them would make one person of thousands.
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

/** True for an id that stands for nobody in particular, quoted or not: it must never link two persons. */
export function isJunkId(id: string): boolean {
  // The longest of them is a UUID in quotes; few real ids get further than this.
  if (id.length > LONGEST && id.trim().length > LONGEST) return false
  const bare = /^(["']).*\1$/s.test(id) ? id.slice(1, -1) : id
  return bare.trim() === '' || ANY_CASE.has(bare.trim().toLowerCase())
}
