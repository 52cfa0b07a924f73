import { describe, expect, test } from 'vitest'
import { jsonTextOf } from '../../src/library/json-text.ts'

class Row {
  readonly id = 7
}

const shared = { a: 1 }
const circular: Record<string, unknown> = {}
circular.self = { again: circular }

test.each<[string, unknown, string]>([
  ['a number as JSON has it', 1e21, '1e+21'],
  ['minus nought', -0, '-0'],
  ['a bigint of any size', 12345678901234567890n, '12345678901234567890'],
  ['text with quotes and line ends', 'a"b\n\u2028', JSON.stringify('a"b\n\u2028')],
  ['half a surrogate pair, as an escape', 'x\ud800', '"x\\ud800"'],
  ['null', null, 'null'],
  ['a date', new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ['an address', new URL('https://example.com/a'), '"https://example.com/a"'],
  ['what its toJSON says', { toJSON: (key: string) => `key ${key}` }, '"key "'],
  ['an object of a class', new Row(), '{"id":7}'],
  ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['a member that is undefined is none', { a: undefined, b: [1, 'x'] }, '{"b":[1,"x"]}'],
  ['a member named __proto__', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
  ['the same object twice', [shared, shared], '[{"a":1},{"a":1}]'],
])('%s', (_, value, text) => {
  expect(jsonTextOf(value, 'v')).toBe(text)
})

describe('what JSON does not have is an error that names the member', () => {
  test.each<[string, unknown, RegExp]>([
    ['NaN', { price: [1, Number.NaN] }, /^properties\.price\[1\] is NaN/],
    ['Infinity', Number.NEGATIVE_INFINITY, /^properties is -Infinity/],
    ['a function', { a: { b: () => 1 } }, /^properties\.a\.b is a function/],
    ['a symbol', { a: Symbol('x') }, /^properties\.a is a symbol/],
    ['undefined in an array', { a: [undefined] }, /^properties\.a\[0\] is undefined/],
    ['a hole in an array', { a: new Array(1) }, /^properties\.a\[0\] is undefined/],
    ['undefined itself', undefined, /^properties is undefined/],
    ['an invalid date', { at: new Date(Number.NaN) }, /^properties\.at is an invalid date/],
    ['a circle', circular, /^properties\.self\.again\.self.*… is nested too deep, or refers to itself/],
    ['a Map', { a: new Map([[1, 2]]) }, /^properties\.a is a Map: its content would be lost/],
    ['a Set', { a: new Set([1]) }, /^properties\.a is a Set/],
    ['bytes', { a: new Uint8Array(2) }, /^properties\.a is a Uint8Array/],
    ['an Error', { a: new Error('x') }, /^properties\.a is a Error/],
    [
      'a getter that throws',
      Object.defineProperty({}, 'g', { enumerable: true, get: () => decodeURI('%') }),
      /^properties\.g could not be read: URI/,
    ],
    [
      'a getter of a toJSON that throws',
      { a: Object.defineProperty({}, 'toJSON', { get: () => decodeURI('%') }) },
      /^properties\.a could not be read: URI/,
    ],
    [
      'a proxy that throws',
      { a: new Proxy({}, { ownKeys: () => [decodeURI('%')] }) },
      /^properties\.a could not be read: URI/,
    ],
    ['a toJSON that throws', { a: { toJSON: () => decodeURI('%') } }, /^properties\.a could not be read/],
  ])('%s', (_, value, message) => {
    expect(() => jsonTextOf(value, 'properties')).toThrow(
      expect.objectContaining({ code: 'input', fate: 'reject', message: expect.stringMatching(message) }),
    )
  })
})
