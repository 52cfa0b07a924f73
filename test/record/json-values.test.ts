import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalJson,
  elements,
  exactJson,
  members,
  parseExact,
  roundedJson,
} from '../../src/record/json-values.ts'
import { seedOf } from '../helpers/random.ts'

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

describe('JSON whose numbers keep their digits', () => {
  test.each([
    ['{"a":12345678901234567890}', '{"a":12345678901234567000}'],
    ['[1e400,-1E+999]', '["1e400","-1E+999"]'],
    ['{"a":[0.12345678901234567890]}', '{"a":[0.12345678901234568]}'],
    ['{"a":"9 12345678901234567890 \\"x","b":9007199254740993}', undefined],
  ])('%s', (json, rounded) => {
    const value = parseExact(json)
    expect(exactJson(value)).toBe(json)
    if (rounded !== undefined) expect(roundedJson(value)).toBe(rounded)
  })

  test('numbers that a double holds are numbers, however they are written', () => {
    expect(parseExact('[1.0,1e3,100000000000000000000,0.1,-0,1.50E-7,0e0,5e-324]')).toEqual([
      1, 1000, 1e20, 0.1, -0, 1.5e-7, 0, 5e-324,
    ])
    expect(() => parseExact('{"a":12345678901234567890')).toThrow(SyntaxError)
  })

  test('any JSON comes out as it went in', () => {
    fc.assert(
      fc.property(fc.json(), fc.bigInt(), (json, digits) => {
        const both = `[${JSON.stringify(JSON.parse(json))},${digits}]`
        expect(exactJson(parseExact(both))).toBe(both)
      }),
      { seed: seedOf('exact-json') },
    )
  })
})

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
