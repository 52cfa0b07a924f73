import { expect, test } from 'vitest'
import { isProven, type Verification } from '../../src/checks/verification.ts'

const equal = { cells: [], doubled: [], here: 2, apart: 0, values: undefined, inputs: [] }
const isProvenWith = (more: object) => isProven({ ...equal, ...more } as unknown as Verification)

test('events that are there under two times prove nothing, nor does an event in another table alone', () => {
  expect(isProvenWith({})).toBe(true)
  expect(isProvenWith({ doubled: [{ day: '2024-03-01', event: 'a', more: 1 }] })).toBe(false)
  expect(isProvenWith({ here: 0, apart: 2 })).toBe(false)
  expect(isProvenWith({ values: { changed: 0, absent: 1 } })).toBe(false)
})
