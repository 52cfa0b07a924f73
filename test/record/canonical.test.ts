import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../../src/record/json-values.ts'
import { seedOf } from '../helpers/seed.ts'

test.each([
  [
    ' { "b" : 1.0 , "a" : [ 12345678901234567890, { "d":-0, "c":1E+5 } ] } ',
    '{"a":[12345678901234567890,{"c":1E+5,"d":-0}],"b":1.0}',
  ],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"\\u0061":1}', '{"a":1}'],
  ['"a, {b}\\" "', '"a, {b}\\" "'],
  ['{}', '{}'],
  ['[]', '[]'],
  ['{"__proto__":1}', '{"__proto__":1}'],
])('%s', (json, canonical) => expect(canonicalJson(json)).toBe(canonical))

test('order and blanks make no difference, and nothing else is lost', () => {
  const seed = seedOf('canonical')
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const backwards = Object.fromEntries(Object.entries(value).reverse())
      const canonical = canonicalJson(JSON.stringify(value))
      expect(canonicalJson(JSON.stringify(backwards, null, 2))).toBe(canonical)
      expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)))
    }),
    { seed },
  )
})
