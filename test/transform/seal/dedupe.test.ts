import { expect, test } from 'vitest'
import { readUuidBytes } from '../../../src/record/uuid.ts'
import { uuidRange } from '../../../src/transform/seal/dedupe.ts'

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
