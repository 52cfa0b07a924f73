import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elementSpans } from '../../src/mapping/explode.ts'
import { seedOf } from '../helpers/seed.ts'

function cut(json: string, most = 1000): string[] | undefined {
  const bytes = Buffer.from(`xx${json}yy`)
  const spans = elementSpans(bytes, 2, bytes.length - 2, most)
  return spans?.flatMap((at, i) => (i % 2 === 0 ? [bytes.toString('utf8', at, spans[i + 1])] : []))
}

test.each([
  ['[]', []],
  ['[ \t]', []],
  ['[1.0]', ['1.0']],
  ['[1,-0 , 1E+5,true]', ['1', '-0', '1E+5', 'true']],
  ['[{"a":[1,2]},[],"]",{"b":"}\\"],"}]', ['{"a":[1,2]}', '[]', '"]"', '{"b":"}\\"],"}']],
  ['["é\\\\", "\\\\\\""]', ['"é\\\\"', '"\\\\\\""']],
])('%s', (json, expected) => {
  expect(cut(json)).toEqual(expected)
})

test('more elements than wanted are not cut', () => {
  expect(cut('[1,2,3]', 3)).toHaveLength(3)
  expect(cut('[1,2,3,4]', 3)).toBeUndefined()
})

test('any array is cut as JSON.parse reads it', () => {
  const blank = fc.constantFrom('', ' ', '\t')
  fc.assert(
    fc.property(fc.array(fc.json()), blank, blank, (values, before, after) => {
      const pieces = cut(`[${values.map((value) => before + value + after).join(',')}]`)!
      expect(pieces.map((piece) => JSON.parse(piece))).toEqual(values.map((value) => JSON.parse(value)))
      for (const piece of pieces) expect(piece).toBe(piece.trim())
    }),
    { seed: seedOf('elements') },
  )
})
