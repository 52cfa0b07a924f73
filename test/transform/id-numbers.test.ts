import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Id } from '../../src/record/id.ts'
import { IdNumbers } from '../../src/transform/id-numbers.ts'
import { idOf } from '../helpers/ids.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('id numbers')

test('ids are numbered as they are met, in bytes or as text, before and after they are forgotten', () => {
  const id = fc.oneof(
    fc.constantFrom('u1', 'u2', 'Zoë', 'a b'),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
  )
  fc.assert(
    fc.property(
      fc.array(fc.tuple(id, fc.boolean()), { maxLength: 60 }),
      fc.nat({ max: 60 }),
      (met, forgetAt) => {
        const numbers = new IdNumbers()
        const expected = new Map<string, number>()
        for (const [at, [text, isText]] of met.entries()) {
          if (at === forgetAt) {
            numbers.clear()
            expected.clear()
          }
          if (!expected.has(text)) expected.set(text, expected.size)
          expect(numbers.of(isText ? Id.ofText(text) : idOf(text))).toBe(expected.get(text))
          expect(numbers.count).toBe(expected.size)
        }
      },
    ),
    { seed, numRuns: 500 },
  )
})

test('many ids, and long ones, make it larger', () => {
  const numbers = new IdNumbers()
  const idAt = (at: number) => Id.ofText(`${'x'.repeat(at % 200)}${at}`)
  for (let at = 0; at < 10_000; at++) expect(numbers.of(idAt(at))).toBe(at)
  for (let at = 0; at < 10_000; at++) expect(numbers.of(idAt(at))).toBe(at)
  expect(numbers.of(Id.ofText('y'.repeat(200_000)))).toBe(10_000)
  expect(numbers.of(Id.ofText('y'.repeat(200_000)))).toBe(10_000)
})
