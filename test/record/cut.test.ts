import fc from 'fast-check'
import { expect, test } from 'vitest'
import { elements, members } from '../../src/record/json-values.ts'
import { seedOf } from '../helpers/seed.ts'

test.each([
  ['[]', []],
  [' [ ] ', []],
  ['[1]', ['1']],
  ['[1,-0, 1E+5 ,null]', ['1', '-0', '1E+5', 'null']],
  ['["a,]", "\\"", "\\\\"]', ['"a,]"', '"\\""', '"\\\\"']],
  ['[{"k":[1,{"x":"}"}]},[2]]', ['{"k":[1,{"x":"}"}]}', '[2]']],
  ['{"a":1}', []],
  ['"[1]"', []],
])('elements of %s', (json, expected) => expect(elements(json)).toEqual(expected))

test.each([
  ['{}', []],
  [
    '{"a":1,"b" : [1,2] }',
    [
      ['a', '1'],
      ['b', '[1,2]'],
    ],
  ],
  ['{"\\u00e9\\"":12345678901234567890}', [['é"', '12345678901234567890']]],
  [
    '{"a":{"b":":"},"a":null}',
    [
      ['a', '{"b":":"}'],
      ['a', 'null'],
    ],
  ],
  ['[1]', []],
])('members of %s', (json, expected) => expect(members(json)).toEqual(expected))

test('pieces parse to what the whole parses to', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (values, indent) => {
      const pieces = elements(JSON.stringify(values, null, indent))
      expect(pieces.map((piece) => JSON.parse(piece))).toEqual(JSON.parse(JSON.stringify(values)))
    }),
    { seed: seedOf('cut: elements') },
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 1, '\t'), (object, indent) => {
      const text = JSON.stringify(object, null, indent)
      const pieces = members(text).map(([name, json]) => [name, JSON.parse(json)])
      expect(pieces).toEqual(Object.entries(JSON.parse(text)))
    }),
    { seed: seedOf('cut: members') },
  )
})
