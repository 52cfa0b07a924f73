import { describe, expect, test } from 'vitest'
import { readEvent } from '../../../src/sandbox/ingest/event.ts'
import { readRequest } from '../../../src/sandbox/ingest/request.ts'
import { parseBody } from '../../../src/sandbox/ingest/strict-json.ts'
import { parseUuid } from '../../../src/sandbox/ingest/uuid.ts'

const NOW = Date.parse('2024-06-01T12:00:00Z')

/** Reads one event the way a request is read. */
function read(json: string) {
  const parsed = parseBody(Buffer.from(`{"api_key":"phc_x","batch":[${json}]}`))
  const { events, historical, sentAt } = readRequest(parsed)
  return readEvent(events[0]!, { digits: parsed.numericIds.get(0), historical, sentAt, now: NOW })
}

describe('distinct_id', () => {
  test.each([
    ['"distinct_id":"u1"', 'u1'],
    ['"$distinct_id":"u1"', 'u1'],
    ['"properties":{"distinct_id":"inner"}', 'inner'],
    ['"distinct_id":"top","properties":{"distinct_id":"inner"}', 'top'],
    ['"distinct_id":null,"properties":{"distinct_id":"inner"}', 'inner'],
    ['"distinct_id":"","properties":{"distinct_id":"inner"}', 'inner'],
    ['"distinct_id":"  u1\\t"', '  u1\t'],
    ['"distinct_id":"a\\u0000b"', 'a\ufffdb'],
    ['"distinct_id":23', '23'],
    ['"distinct_id":12345678901234567890', '12345678901234567890'],
    ['"properties":{"distinct_id":9007199254740993}', '9007199254740993'],
    ['"distinct_id":99999999999999999999', '1e20'],
    ['"distinct_id":1.0', '1.0'],
    ['"distinct_id":-0', '-0.0'],
    ['"distinct_id":0.00000015', '1.5e-7'],
    ['"distinct_id":true', 'true'],
    ['"distinct_id":["a",1]', '["a",1]'],
    ['"distinct_id":{"b":1,"a":2}', '{"a":2,"b":1}'],
    [`"distinct_id":"${'x'.repeat(250)}"`, 'x'.repeat(200)],
    [`"distinct_id":"${'😀'.repeat(250)}"`, '😀'.repeat(200)],
  ])('%s', (members, expected) => {
    expect(read(`{"event":"a",${members}}`)?.distinctId).toBe(expected)
  })

  test.each(['', '"distinct_id":null', '"distinct_id":""', '"distinct_id":" \\n"'])('none: %s', (members) => {
    expect(() => read(`{${[`"event":"a"`, members].filter(Boolean).join(',')}}`)).toThrow(
      'event submitted without a distinct_id',
    )
  })
})

describe('uuid', () => {
  test.each([
    ['018f0000-0000-7000-8000-000000000001'],
    ['018F0000-0000-7000-8000-000000000001'],
    ['018f0000000070008000000000000001'],
    ['{018f0000-0000-7000-8000-000000000001}'],
    ['urn:uuid:018f0000-0000-7000-8000-000000000001'],
  ])('%s', (text) => {
    expect(parseUuid(text)).toBeDefined()
  })

  test.each(['not-a-uuid', '018f0000', '{018f0000-0000-7000-8000-000000000001'])('refused: %s', (text) => {
    expect(() => read(`{"event":"a","distinct_id":"u","uuid":"${text}"}`)).toThrow('UUID parsing failed')
  })

  test.each(['""', 'null'])('%s gets a fresh one of version 7', (text) => {
    const made = read(`{"event":"a","distinct_id":"u","uuid":${text}}`)?.uuid ?? 0n
    expect((made >> 76n) & 0xfn).toBe(7n)
    expect((made >> 62n) & 0b11n).toBe(0b10n)
    expect(made >> 80n).toBe(BigInt(NOW))
  })
})

describe('types', () => {
  test.each([
    ['{"distinct_id":"u"}', 'missing field `event`'],
    ['{"event":1,"distinct_id":"u"}', 'invalid type for `event`'],
    ['{"event":null,"distinct_id":"u"}', 'invalid type for `event`'],
    ['{"event":"a","distinct_id":"u","timestamp":1709294400}', 'invalid type for `timestamp`'],
    ['{"event":"a","distinct_id":"u","properties":null}', 'invalid type for `properties`'],
    ['{"event":"a","distinct_id":"u","properties":[]}', 'invalid type for `properties`'],
    ['{"event":"a","distinct_id":"u","uuid":7}', 'invalid type for `uuid`'],
    ['{"event":"a","distinct_id":"u","$set":"x"}', 'invalid type for `$set`'],
    ['{"event":"a","distinct_id":"u","offset":1.5}', 'invalid type for `offset`'],
    ['"a"', 'invalid type'],
  ])('%s', (json, reason) => {
    expect(() => read(json)).toThrow(`failed to hydrate events from request: ${reason}`)
  })

  test('an empty name', () => {
    expect(() => read('{"event":"","distinct_id":"u"}')).toThrow('event submitted with an empty event name')
  })
})

describe('properties', () => {
  test('pass through a JavaScript number', () => {
    const json = '{"event":"a","distinct_id":"u","properties":{"n":12345678901234567890,"x":1.0,"z":1E+5}}'
    expect(JSON.stringify(read(json)?.properties)).toBe('{"n":12345678901234567000,"x":1,"z":100000}')
  })

  test('take in $set and $set_once', () => {
    const json = `{"event":"a","distinct_id":"u","$set":{"a":1},"$set_once":{"b":2},
      "properties":{"$set":{"a":0,"c":3}}}`
    expect(read(json)?.properties).toEqual({ $set: { a: 1, c: 3 }, $set_once: { b: 2 } })
  })

  test('beyond a megabyte inside JSON refuse the request', () => {
    const json = (size: number) => `{"event":"a","distinct_id":"u","properties":{"x":"${'y'.repeat(size)}"}}`
    expect(() => read(json(999_000))).not.toThrow()
    expect(() => read(json(1_000_000))).toThrow('maximum event size exceeded')
    // Quotes grow: each is four characters once it is JSON inside JSON.
    const quotes = `{"event":"a","distinct_id":"u","properties":{"x":"${'\\"'.repeat(260_000)}"}}`
    expect(() => read(quotes)).toThrow('maximum event size exceeded')
  })
})

test('$performance_event is dropped without a word', () => {
  expect(read('{"event":"$performance_event","distinct_id":"u"}')).toBeUndefined()
})
