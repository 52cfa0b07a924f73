import { describe, expect, test } from 'vitest'
import { readBatch } from '../../../../src/sandbox/ingest/v1/batch.ts'
import { readV1Events } from '../../../../src/sandbox/ingest/v1/event.ts'
import { uuid } from '../../harness.ts'

const NOW = Date.parse('2024-06-01T12:00:00Z')
const TIME = '2024-03-01T12:34:56.789Z'
const CREATED = '2024-06-01T11:59:59Z'

/** A sender whose clock is 90 seconds ahead. */
const HEAD = { token: 'phc_x', encoding: undefined, sentAt: BigInt(NOW + 90_000) * 1000n, lib: undefined }

const event = (n: number, more: object = {}) => ({
  event: 'a',
  uuid: uuid(n),
  distinct_id: 'u',
  timestamp: TIME,
  ...more,
})

function readText(body: string, head: Parameters<typeof readV1Events>[1] | object = {}) {
  const { events, historical } = readBatch(Buffer.from(body))
  return readV1Events(events, { ...HEAD, historical, now: NOW, ...head })
}

const read = (events: readonly object[], head: object = {}) =>
  readText(JSON.stringify({ created_at: CREATED, batch: events }), head)
const one = (more: object, head: object = {}) => read([event(1, more)], head)[0]!
const stored = (more: object, head: object = {}) => one(more, head).event!

describe('the whole request is refused for', () => {
  const envelope = (more: object) => JSON.stringify({ created_at: CREATED, batch: [event(1)], ...more })
  const withEvent = (more: object) => envelope({ batch: [event(1), event(2, more)] })
  const bodies: [what: string, body: string, tag: string][] = [
    ['broken JSON', '{', 'request_parsing_error'],
    ['a list', '[]', 'request_parsing_error'],
    ['no created_at', envelope({ created_at: undefined }), 'request_parsing_error'],
    ['a created_at of now', envelope({ created_at: 'now' }), 'invalid_batch'],
    ['no batch', envelope({ batch: undefined }), 'request_parsing_error'],
    ['an empty batch', envelope({ batch: [] }), 'empty_batch'],
    ['historical_migration "true"', envelope({ historical_migration: 'true' }), 'request_parsing_error'],
    ['historical_migration null', envelope({ historical_migration: null }), 'request_parsing_error'],
    ['an event that is a list', envelope({ batch: [[]] }), 'request_parsing_error'],
    ['an event without a name', withEvent({ event: undefined }), 'request_parsing_error'],
    ['a name that is a number', withEvent({ event: 1 }), 'request_parsing_error'],
    ['a distinct_id that is a number', withEvent({ distinct_id: 1 }), 'request_parsing_error'],
    ['a distinct_id of null', withEvent({ distinct_id: null }), 'request_parsing_error'],
    ['a timestamp that is a number', withEvent({ timestamp: 1 }), 'request_parsing_error'],
    ['a session_id that is a number', withEvent({ session_id: 1 }), 'request_parsing_error'],
    ['a uuid of null', withEvent({ uuid: null }), 'request_parsing_error'],
    ['a blank uuid', withEvent({ uuid: ' ' }), 'missing_event_uuid'],
    ['a uuid that is none', withEvent({ uuid: 'x' }), 'invalid_event_uuid'],
    ['a uuid that is there twice', withEvent({ uuid: uuid(1).toUpperCase() }), 'duplicate_event_uuid'],
    ['a member that is there twice', '{"created_at":"","created_at":"","batch":[]}', 'request_parsing_error'],
    ['an unpaired surrogate in a name', withEvent({ event: '\ud800' }), 'request_parsing_error'],
  ]
  test.each(bodies)('%s', (_, body, tag) => {
    expect(() => readText(body)).toThrow(expect.objectContaining({ name: 'V1Refusal', tag }))
  })
})

describe('an event is dropped for', () => {
  const wide = 'ä'.repeat(101)
  test.each([
    ['an empty name', { event: '' }, 'missing_event_name'],
    ['a name of 202 bytes', { event: wide }, 'event_name_too_long'],
    ['a blank distinct_id', { distinct_id: ' \u2003' }, 'missing_distinct_id'],
    ['a distinct_id of 202 bytes', { distinct_id: wide }, 'distinct_id_too_large'],
    ['a time without a zone', { timestamp: '2024-03-01T12:34:56' }, 'invalid_event_timestamp'],
    ['properties of null', { properties: null }, 'malformed_event_properties'],
    ['properties that are a list', { properties: [] }, 'malformed_event_properties'],
    ['options that are a list', { options: [] }, 'invalid_options'],
    ['an option that is no boolean', { options: { cookieless_mode: 'maybe' } }, 'invalid_options'],
    ['its name', { event: '$performance_event' }, 'dropped_performance_event'],
    ['its size', { properties: { x: 'y'.repeat(1e6) } }, 'event_too_big'],
    ['the size of an AI event', { event: '$ai_x', properties: { x: 'y'.repeat(9e6) } }, 'ai_event_too_big'],
  ])('%s, and the others are taken', (_, more, details) => {
    const results = read([event(1), event(2, more), event(3)])
    expect(results.map(({ uuid, result, details }) => [uuid, result, details])).toEqual([
      [uuid(1), 'ok', undefined],
      [uuid(2), 'drop', details],
      [uuid(3), 'ok', undefined],
    ])
    expect(results[1]?.event).toBeUndefined()
  })
})

test('names and ids of 200 bytes pass, and ids lose the blanks around them', () => {
  const name = 'ä'.repeat(100)
  expect(stored({ event: name, distinct_id: `\u2003${name}\n` })).toMatchObject({
    event: name,
    distinctId: name,
  })
})

test('a uuid of any form is answered in lower case with hyphens', () => {
  expect(one({ uuid: ' 018F00000000700080000000000000AB ' }).uuid).toBe(
    '018f0000-0000-7000-8000-0000000000ab',
  )
})

describe('the time', () => {
  const at = (more: object, head: object = {}) => stored(more, head).timestamp
  const micros = (text: string) => BigInt(Date.parse(text)) * 1000n

  test('moves by the difference of the clocks, however small', () => {
    expect(at({})).toBe(micros('2024-03-01T12:33:26.789Z'))
    expect(at({}, { sentAt: BigInt(NOW) * 1000n - 40n })).toBe(micros(TIME) + 40n)
  })

  test('stays where disable_skew_correction is set', () => {
    expect(at({ options: { disable_skew_correction: true } })).toBe(micros(TIME))
  })

  test('is now beyond 23 hours ahead, unless disable_skew_correction is set', () => {
    const timestamp = '2024-06-02T12:00:00Z'
    expect(at({ timestamp })).toBe(BigInt(NOW) * 1000n)
    expect(at({ timestamp, options: { disable_skew_correction: true } })).toBe(micros(timestamp))
  })
})

describe('properties', () => {
  test('take in what came beside them, which wins', () => {
    const properties = { z: 1, $lib: 'web', $session_id: 'old', $ignore_sent_at: false }
    const options = {
      cookieless_mode: false,
      disable_skew_correction: true,
      process_person_profile: false,
      product_tour_id: 't',
      else: 1,
    }
    const { properties: taken } = stored(
      { properties, options, session_id: 's', window_id: 'w' },
      { lib: { name: 'posthaul', version: '1' } },
    )
    expect(JSON.stringify(taken)).toBe(
      JSON.stringify({
        z: 1,
        $lib: 'posthaul',
        $session_id: 's',
        $ignore_sent_at: true,
        $window_id: 'w',
        $cookieless_mode: false,
        $product_tour_id: 't',
        $process_person_profile: false,
        $lib_version: '1',
        $sent_at: '2024-06-01T12:01:30Z',
      }),
    )
  })

  test('are left alone but for $sent_at where nothing came beside them', () => {
    const { properties } = stored({
      properties: { $lib: 'web' },
      session_id: null,
      options: { cookieless_mode: null },
    })
    expect(properties).toEqual({ $lib: 'web', $sent_at: '2024-06-01T12:01:30Z' })
  })

  test.each([
    [true, true],
    ['TRUE', true],
    [' 1 ', true],
    [2, true],
    [0, false],
    ['false', false],
  ])('an option of %j is %j', (cookieless_mode, expected) => {
    const { properties } = stored({ options: { process_person_profile: cookieless_mode } })
    expect(properties.$process_person_profile).toBe(expected)
  })

  test('are not looked into: what breaks /batch/ passes', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const events = ['"\\ud800"', '1e400', deep(900)].map((value, n) => {
      const text = JSON.stringify(event(n, { properties: { x: 'here' } }))
      return text.replace('"here"', () => value)
    })
    const results = readText(`{"created_at":"${CREATED}","batch":[${events}]}`)
    expect(results.map(({ result }) => result)).toEqual(['ok', 'ok', 'ok'])
  })
})

test.each(['0', 'Anonymous', ' NULL ', '[object Object]', '00000000-0000-0000-0000-000000000000', 'backend'])(
  'a distinct_id of "%s" is taken without person, groups and merge',
  (distinct_id) => {
    const properties = { $groups: { company: 'acme' }, $anon_distinct_id: 'anon' }
    const outcome = one({ distinct_id, event: '$identify', properties })
    expect(outcome).toMatchObject({ result: 'ok', details: 'person_processing_disabled' })
    expect(outcome.event).toMatchObject({ distinctId: distinct_id.trim(), personless: true })
  },
)
