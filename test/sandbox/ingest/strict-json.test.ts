import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseBody } from '../../../src/sandbox/ingest/strict-json.ts'
import { seedOf } from '../../helpers/random.ts'

const read = (text: string) => parseBody(Buffer.from(text))
const event = (members: string): string => `{"api_key":"phc_x","batch":[{"event":"a",${members}}]}`
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('refuses what the service refuses and JSON.parse takes', () => {
  test.each([
    ['an unpaired high surrogate', event('"properties":{"x":"\\ud83d!"}'), 'lone leading surrogate'],
    ['a high surrogate at the end', event('"properties":{"x":"\\uD83D"}'), 'lone leading surrogate'],
    ['two high surrogates', event('"properties":{"x":"\\ud83d\\ud83d"}'), 'lone leading surrogate'],
    ['an unpaired low surrogate', event('"properties":{"x":"\\udE00"}'), 'lone trailing surrogate'],
    ['a surrogate in a key', event('"properties":{"\\ud83d":1}'), 'lone leading surrogate'],
    ['1e400', event('"properties":{"x":1e400}'), 'number out of range'],
    ['-1E+400', event('"properties":{"x":[-1E+400]}'), 'number out of range'],
    ['400 digits', event(`"properties":{"x":${'9'.repeat(400)}}`), 'number out of range'],
    ['128 levels', nested(128), 'recursion limit exceeded'],
    ['the same key twice', event('"uuid":"","uuid":""'), 'duplicate field `uuid`'],
    ['an unknown key twice', event('"x":1,"x":2'), 'duplicate field `x`'],
    ['both distinct ids', event('"distinct_id":"a","$distinct_id":"a"'), 'duplicate field `$distinct_id`'],
    ['both keys of an event', event('"token":"a","api_key":"a"'), 'duplicate field `api_key`'],
    ['__proto__ twice', event('"__proto__":1,"__proto__":2'), 'duplicate field `__proto__`'],
    ['a key spelt in two ways', event('"\\u0065vent":"b"'), 'duplicate field `event`'],
    ['both keys of the envelope', '{"api_key":"a","token":"a","batch":[]}', 'duplicate field `token`'],
    ['a repeated key of a lone event', '{"event":"a","event":"a"}', 'duplicate field `event`'],
    ['a repeated key in an array', '[{"event":"a","$token":"a","token":"a"}]', 'duplicate field `token`'],
  ])('%s', (_, text, reason) => {
    expect(() => JSON.parse(text)).not.toThrow()
    expect(() => read(text)).toThrow(`failed to parse request: ${reason}`)
  })

  test('says where', () => {
    expect(() => read('{"batch":[\n  1e999]}')).toThrow('number out of range at line 2 column 8')
  })

  test('invalid UTF-8', () => {
    expect(() => parseBody(Buffer.from([0x22, 0xff, 0x22]))).toThrow('failed to decode request')
  })

  test('a byte order mark', () => {
    expect(() => read('\ufeff{}')).toThrow('failed to parse request')
  })
})

describe('takes what the service takes', () => {
  test.each([
    ['a surrogate pair', event('"properties":{"x":"\\ud83d\\ude00"}')],
    ['an escaped backslash before u', event('"properties":{"x":"\\\\ud83d"}')],
    ['1e308 and 1e-400', event('"properties":{"x":[1e308,1e-400]}')],
    ['127 levels', nested(127)],
    ['repeated keys inside properties', event('"properties":{"x":1,"x":2,"token":1,"api_key":2}')],
    ['repeated keys in a nested object', event('"properties":{"o":{"event":1,"event":2}}')],
    ['keys that JavaScript objects are born with', event('"toString":1,"constructor":2,"__proto__":3')],
    ['the keys of different events', '[{"event":"a"},{"event":"a"}]'],
    ['brackets and quotes in strings', event('"properties":{"x":"[[\\"{{"}')],
  ])('%s', (_, text) => {
    expect(read(text).value).toEqual(JSON.parse(text))
  })

  test('any JSON without the above', () => {
    fc.assert(
      // Unique keys come from the object; strings are well formed unless asked otherwise.
      fc.property(fc.json({ maxDepth: 6 }), (text) => {
        fc.pre(!/distinct_id|token|api_key/.test(text))
        expect(read(text).value).toEqual(JSON.parse(text))
      }),
      { seed: seedOf('sandbox JSON'), numRuns: 500 },
    )
  })
})

test('broken JSON is refused whatever precedes it', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (text, at) => {
      const cut = text.slice(0, at % text.length)
      let valid = true
      try {
        JSON.parse(cut)
      } catch {
        valid = false
      }
      fc.pre(!valid)
      expect(() => read(cut)).toThrow('failed to parse request')
    }),
    { seed: seedOf('sandbox broken JSON'), numRuns: 500 },
  )
})

test('keeps the digits of numeric ids, by event', () => {
  const text = `{"batch":[
    {"event":"a","distinct_id":"x","properties":{"o":{"distinct_id":1}}},
    {"event":"a","$distinct_id":12345678901234567890},
    {"event":"a","properties":{"distinct_id":-7}}
  ]}`
  expect([...read(text).numericIds]).toEqual([
    [1, { top: '12345678901234567890' }],
    [2, { inner: '-7' }],
  ])
})
