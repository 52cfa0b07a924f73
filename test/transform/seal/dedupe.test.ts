import { expect, test } from 'vitest'
import { readUuidBytes } from '../../../src/record/uuid.ts'
import { BufferPool } from '../../../src/transform/run/buffer-pool.ts'
import { SeenEvents, uuidRange } from '../../../src/transform/seal/dedupe.ts'
import { seeded, seedOf } from '../../helpers/random.ts'

// A day that is too large for the memory budget is judged a range of uuids at a time, so the ranges must be of about
// equal size whatever the vendor's ids look like.
const FAMILIES: Record<string, (n: number) => string> = {
  'version 1, all of one machine': (n) => `${hex(n * 7919, 8)}-05e1-11ee-8c99-0242ac120002`,
  'version 7, of one millisecond': (n) => `018f3b7c-1111-7000-8000-${hex(n, 12)}`,
  'counted in the first group': (n) => `${hex(n, 8)}-0000-4000-8000-000000000000`,
  'counted in steps of a thousand': (n) => `00000000-0000-4000-8000-${hex(n * 1000, 12)}`,
}

test.each(Object.entries(FAMILIES))('ranges of uuids are of about equal size: %s', (_, uuid) => {
  const passes = 5
  const words = new Uint32Array(4)
  const sizes = new Array<number>(passes).fill(0)
  for (let n = 0; n < 10_000; n++) {
    readUuidBytes(Buffer.from(uuid(n)), 0, words)
    sizes[uuidRange(words, 0, passes)]!++
  }
  expect(Math.min(...sizes)).toBeGreaterThan(1500)
  expect(Math.max(...sizes)).toBeLessThan(2500)
})

function hex(value: number, digits: number): string {
  return (value % 16 ** digits).toString(16).padStart(digits, '0')
}

const random = seeded(seedOf('seen events'))

function uuid(): string {
  const digit = () => Math.floor(random() * 16).toString(16)
  return 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx'.replace(/x/g, digit)
}

function count(seen: SeenEvents, id: string, name = ''): number {
  const bytes = Buffer.from(`..${id}${name}`)
  return seen.count(bytes, 2, 38, bytes.length)
}

test('counts each event by its uuid and its name, as it grows', () => {
  const seen = new SeenEvents(100, new BufferPool())
  const expected = new Map<string, number>()
  const ids = Array.from({ length: 20_000 }, uuid)
  for (let i = 0; i < 60_000; i++) {
    const id = ids[Math.floor(random() * ids.length)]!
    const name = random() < 0.5 ? '"a","distinct_id":"b"' : `"${Math.floor(random() * 3)}"`
    const key = id + name
    const before = expected.get(key) ?? 0
    if (count(seen, id, name) !== before) expect(key).toBe('counted')
    expected.set(key, before + 1)
  }
})

test('tells apart what differs in one digit, and names whose letters are the same', () => {
  const seen = new SeenEvents(100, new BufferPool())
  const id = uuid()
  expect(count(seen, id)).toBe(0)
  for (let at = 0; at < 36; at++) {
    if (id[at] === '-') continue
    const other = id.slice(0, at) + (id[at] === 'f' ? '0' : 'f') + id.slice(at + 1)
    expect(count(seen, other)).toBe(0)
  }
  for (const name of ['ab', 'ba', 'a', 'b', 'aab', 'aba', '"a","b"', '"b","a"'])
    expect(count(seen, id, name)).toBe(0)
  expect(count(seen, id)).toBe(1)
})

test('forgets when it is cleared', () => {
  const seen = new SeenEvents(100, new BufferPool())
  const id = uuid()
  count(seen, id)
  count(seen, id)
  seen.clear()
  expect(count(seen, id)).toBe(0)
})

/** Ids as some machines make them: many bits the same in all. */
const KINDS: ReadonlyArray<readonly [string, (i: number) => string]> = [
  ['random', uuid],
  ['counted up in the last digits', (i) => `00000000-0000-0000-0000-${i.toString(16).padStart(12, '0')}`],
  ['counted up in the first digits', (i) => `${i.toString(16).padStart(8, '0')}-0000-1000-8000-00000000beef`],
  [
    'counted up in the middle',
    (i) =>
      `00000000-${(i >> 8).toString(16).padStart(4, '0')}-60${(i & 255).toString(16).padStart(2, '0')}-8000-00000000beef`,
  ],
  [
    'version 1 of one machine',
    (i) => `${((i * 10_000) >>> 0).toString(16).padStart(8, '0')}-304d-11e6-934f-22000b56058f`,
  ],
]

test.each(KINDS)('finds ids that are %s without a long search', (_, make) => {
  const seen = new SeenEvents(100, new BufferPool())
  // Where they all fall into one place, this takes minutes.
  for (let i = 0; i < 60_000; i++) if (count(seen, make(i)) !== 0) expect(i).toBe('new')
  for (let i = 0; i < 60_000; i++) if (make !== uuid && count(seen, make(i)) !== 1) expect(i).toBe('known')
})
