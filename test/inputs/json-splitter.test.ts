import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BrokenJson, JsonSplitter } from '../../src/inputs/json-splitter.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { seedOf } from '../helpers/random.ts'
import { Collected } from './collected.ts'

function split(text: string | Buffer, sizes: readonly number[] = [1 << 20], maxBytes?: number): Collected {
  const sink = new Collected()
  const splitter = new JsonSplitter(sink, maxBytes)
  const bytes = Buffer.from(text)
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const end = at + sizes[i % sizes.length]!
    splitter.push(Buffer.from(bytes.subarray(at, end)))
    at = end
  }
  splitter.end()
  return sink
}

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 })
const objects = fc.array(fc.dictionary(fc.string({ unit: CODE_POINT }), fc.jsonValue()), { maxLength: 6 })

test('an array gives its elements, whatever its layout and however it is cut', () => {
  fc.assert(
    fc.property(
      objects,
      fc.constantFrom('', ' ', '\t', '  '),
      sizes,
      fc.boolean(),
      (values, indent, cuts, bom) => {
        const text = `${bom ? '\uFEFF' : ''}${JSON.stringify(values, null, indent)}\n`
        const { lines, places } = split(text, cuts)
        expect(lines.map((line) => JSON.parse(line))).toEqual(
          values.map((value) => JSON.parse(JSON.stringify(value))),
        )
        const bytes = Buffer.from(text)
        places.forEach(({ offset, number }, i) => {
          expect(bytes[offset]).toBe('{'.charCodeAt(0))
          expect(number).toBe(i + 1)
        })
        expect(lines.join('')).not.toMatch(/[\r\n]/)
      },
    ),
    { seed: seedOf('json-splitter') },
  )
})

test('objects that follow one another are read like those of an array', () => {
  fc.assert(
    fc.property(
      objects,
      fc.constantFrom('\n', ' ', '\r\n', ',\n', '\n\n'),
      sizes,
      (values, between, cuts) => {
        const text = values.map((value) => JSON.stringify(value, null, 1)).join(between)
        expect(split(text, cuts).lines.map((line) => JSON.parse(line))).toEqual(
          values.map((value) => JSON.parse(JSON.stringify(value))),
        )
      },
    ),
    { seed: seedOf('json-splitter') },
  )
})

test('bytes survive: numbers, escapes and blanks inside an element stay as written', () => {
  const element = '{"id": 12345678901234567890,\t"n":[1.0, 1E+5,-0],"s":"\\u00e9 , ] } \\" \\\\"}'
  expect(split(`[${element},${element}\n]`).lines).toEqual([element, element])
})

test('line ends outside strings become blanks, inside them an element stays in one piece', () => {
  expect(split('[{"a":\r\n1},{"a":"x\ny"}]').lines).toEqual(['{"a":  1}', '{"a":"x\ry"}'])
})

test('elements that are no objects are handed on, to be refused', () => {
  expect(split('[1, "a,]b", null ,[1,2], {"a":1} x, true]').lines).toEqual([
    '1',
    '"a,]b"',
    'null',
    '[1,2]',
    '{"a":1} x',
    'true',
  ])
})

test.each(['[]', '', ' \n', '\uFEFF[ ]', '[\n]\n[]\n'])('%j has no elements', (text) => {
  expect(split(text).lines).toEqual([])
  expect(split(text, [1]).lines).toEqual([])
})

test('arrays that follow one another are all read', () => {
  expect(split('[{"a":1}]\n[{"a":2},{"a":3}]').lines).toHaveLength(3)
})

test.each([
  ['[{"a":1}', 8],
  ['[{"a":1},', 9],
  ['[{"a":"x', 8],
  ['[', 1],
  ['{"a":', 5],
  ['[{"a":1}]]', 9],
  ['[{"a":1}] x', 10],
  ['[{"a":1}] "x"', 10],
  ['}', 0],
])('%j is broken at byte %i', (text, offset) => {
  for (const cuts of [[100], [1]]) {
    let broken: unknown
    try {
      split(text, cuts)
    } catch (error) {
      broken = error
    }
    expect(broken).toBeInstanceOf(BrokenJson)
    expect(broken).toMatchObject({ offset })
  }
})

test('an element over the cap is passed over, the others are read', () => {
  const long = `{"a":"${'x'.repeat(200)}"}`
  const { lines, long: skipped, places } = split(`[{"b":1},${long},{"b":2}]`, [7], 100)
  expect(lines).toEqual(['{"b":1}', '{"b":2}'])
  expect(skipped).toEqual([{ offset: 9, length: long.length, number: 2 }])
  expect(places[1]).toEqual({ offset: 10 + long.length, number: 3 })
})
