import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exactJson, parseExact, roundedJson } from '../../src/record/json-values.ts'
import { seedOf } from '../helpers/seed.ts'

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
