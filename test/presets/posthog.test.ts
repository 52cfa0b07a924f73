import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { MapperOptions } from '../../src/mapping/mapped.ts'
import type { Mapping } from '../../src/mapping/mapping.ts'
import { readHead } from '../../src/record/head.ts'
import { members } from '../../src/record/json-values.ts'
import { noMends } from '../../src/record/mend.ts'
import { eventText } from '../helpers/event-text.ts'
import { objectText } from '../helpers/json-text.ts'
import { kills } from '../helpers/kills.ts'
import { GIVEN, mapperForFiles } from '../helpers/mapper.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('posthog')
const UUID = '65fdb562-3dcd-5dc3-bc74-78ee4b077e17'
const TIME = '2024-03-01T12:34:56.789123Z'
const GIVEN_TEXT = JSON.stringify(GIVEN).slice(1, -1)

/** Maps one line that is between others. */
function complete(
  json: string | Buffer,
  options: Partial<MapperOptions> = {},
  mapping: Partial<Mapping> = {},
) {
  const mapper = mapperForFiles(options, mapping)
  const bytes = Buffer.concat([Buffer.from('{"'), Buffer.from(json as string), Buffer.from('"}')])
  const mapped = mapper.map(bytes, 2, bytes.length - 2)
  const line = eventText(mapped)
  const { reason, message } = { reason: undefined, message: undefined, ...mapped }
  return { line, status: mapped.status, reason, message, notes: mapper.notes }
}

/** The properties of the line, but for those that every event is given. */
function own(line: string): Record<string, unknown> {
  const { properties } = JSON.parse(line) as { properties: Record<string, unknown> }
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(GIVEN, name)))
}

function event(over: Record<string, unknown> = {}): string {
  return JSON.stringify({
    uuid: UUID,
    event: 'E',
    distinct_id: 'u1',
    timestamp: TIME,
    properties: {},
    ...over,
  })
}

const group = ($group_set: unknown) =>
  event({ event: '$groupidentify', properties: { $group_type: 'org', $group_key: 'o1', $group_set } })

describe('completes', () => {
  test('a whole event into its canonical line', () => {
    expect(complete(event({ properties: { a: 1 } })).line).toBe(
      `{"uuid":"${UUID}","timestamp":"${TIME}","event":"E","distinct_id":"u1","properties":{"distinct_id":"u1","a":1,${GIVEN_TEXT}}}`,
    )
  })

  test('with $set put together from the top level and the properties, byte for byte, as the service does', () => {
    const inner = '{"a":1.0,"b":[1E+5],"c":{"d":2}}'
    const { line } = complete(
      `{"uuid":"${UUID}","event":"E","distinct_id":"u1","timestamp":"${TIME}","$set":{"\\u0061":2,"e":-0},"properties":{"x":1,"$set":${inner}}}`,
    )
    expect(members(members(line).find(([name]) => name === 'properties')![1])).toContainEqual([
      '$set',
      '{"a":2,"b":[1E+5],"c":{"d":2},"e":-0}',
    ])
  })

  test('its own lines to themselves', () => {
    const { line } = complete(event({ properties: { a: [1, { b: null }], $groups: { company: 'acme' } } }))
    expect(complete(line).line).toBe(line)
  })

  test.each<[about: string, over: Record<string, unknown>, distinctId: string]>([
    ['the top level first', { properties: { distinct_id: 'inner' } }, 'u1'],
    ['then properties', { distinct_id: undefined, properties: { distinct_id: 'inner' } }, 'inner'],
    ['null is nothing', { distinct_id: null, properties: { distinct_id: 'inner' } }, 'inner'],
    ['the empty text is nothing', { distinct_id: '', properties: { distinct_id: 'inner' } }, 'inner'],
    ['the usual spelling first', { $distinct_id: 'dollar' }, 'u1'],
    ['the other spelling', { distinct_id: undefined, $distinct_id: 'dollar' }, 'dollar'],
    ['a number is its digits', { distinct_id: 42 }, '42'],
    ['blanks are cut', { distinct_id: ' u1 ' }, 'u1'],
  ])('distinct_id: %s', (_, over, distinctId) => {
    const parsed = JSON.parse(complete(event(over)).line)
    expect([parsed.distinct_id, parsed.properties.distinct_id]).toEqual([distinctId, distinctId])
  })

  test('a distinct_id of more digits than a number holds', () => {
    const { line } = complete(
      `{"event":"E","distinct_id":12345678901234567890,"timestamp":"${TIME}","uuid":"${UUID}"}`,
    )
    expect(line).toContain(
      '"distinct_id":"12345678901234567890","properties":{"distinct_id":"12345678901234567890",',
    )
    expect(own(line)).toEqual({ distinct_id: '12345678901234567890' })
  })

  test.each([
    ['2024-03-01T12:34:56.789123+02:00', '2024-03-01T10:34:56.789123Z'],
    ['2024-03-01 12:34:56', '2024-03-01T12:34:56.000000Z'],
    ['1970-01-02T00:00:00Z', '1970-01-02T00:00:00.000000Z'],
    ['2026-01-01T22:00:00Z', '2026-01-01T22:00:00.000000Z'],
  ])('timestamp %s', (timestamp, expected) => {
    expect(JSON.parse(complete(event({ timestamp })).line).timestamp).toBe(expected)
  })

  test('person properties at the top level move into properties, and win there', () => {
    const { line } = complete(
      event({ $set: { a: 1 }, $set_once: null, properties: { $set: { a: 0 }, $set_once: { b: 2 } } }),
    )
    expect(own(line)).toEqual({ distinct_id: 'u1', $set: { a: 1 }, $set_once: { b: 2 } })
  })

  test.each(['$groupidentify', '$group_identify'])('%s under the name that PostHog acts on', (name) => {
    expect(JSON.parse(complete(event({ event: name })).line).event).toBe('$groupidentify')
  })

  test.each([
    ['another id', '"u2"', { $posthog_distinct_id: 'u2' }],
    ['the same id', '"u1"', {}],
    ['the same id, blanks around it', '" u1 "', {}],
    ['nothing', 'null', {}],
    ['an empty text', '""', {}],
    ['a number', '7', { $posthog_distinct_id: 7 }],
    ['an object', '{"a":1}', { $posthog_distinct_id: { a: 1 } }],
  ])(
    '%s inside properties gives way to the id of the event, and is kept where it differs',
    (_, json, kept) => {
      const { line } = complete(event().replace('{}', `{"distinct_id":${json}}`))
      expect(own(line)).toEqual({ distinct_id: 'u1', ...kept })
    },
  )

  test('members that the service does not know are left out, and counted', () => {
    const beside = { $distinct_id: 'u2', person_properties: '{"plan":"pro"}' }
    const { notes: told } = complete(event(beside))
    expect({ ...told.ignored_members }).toEqual({ $distinct_id: 1, person_properties: 1 })
    const { line, notes } = complete(event({ offset: 1, team_id: 2, __proto__x: 3 }))
    expect(Object.keys(JSON.parse(line))).toEqual(['uuid', 'timestamp', 'event', 'distinct_id', 'properties'])
    expect({ ...notes.ignored_members }).toEqual({ offset: 1, team_id: 1, __proto__x: 1 })
  })

  test('members of a group are left out of an event, and counted; those of a group are not', () => {
    const group = { group_type: 'company', group_type_index: 0, group_key: 'acme', group_properties: {} }
    const { line, notes } = complete(event({ ...group, created_at: TIME }))
    expect(own(line)).toEqual({ distinct_id: 'u1' })
    const one = { group_type: 1, group_type_index: 1, group_key: 1, group_properties: 1, created_at: 1 }
    expect({ ...notes.ignored_members }).toEqual(one)

    const alone = complete(JSON.stringify({ ...group, created_at: TIME, notebook: null }))
    expect(own(alone.line)).toMatchObject({ $group_type: 'company', $group_key: 'acme', $group_set: {} })
    expect({ ...alone.notes.ignored_members }).toEqual({ notebook: 1 })
  })

  test('one line after another, with nothing left of the one before', () => {
    const mapper = mapperForFiles()
    const next = (json: string) => {
      const bytes = Buffer.from(json)
      const mapped = mapper.map(bytes, 0, bytes.length)
      return mapped.status === 'event' ? mapped.text : mapped.reason
    }
    next(event({ distinct_id: undefined, properties: { distinct_id: 'inner', a: 1 }, $set: { b: 2 } }))
    const alike = event({ distinct_id: undefined, properties: { distinct_io: 'inner', a: 1 } })
    expect(next(alike)).toBe('distinct_id_missing')
    expect(next(event({ event: undefined }))).toBe('event_missing')
    expect(own(next(event({ properties: { c: 3 } })))).toEqual({ distinct_id: 'u1', c: 3 })
    expect(JSON.parse(next(event({ uuid: undefined }))).uuid).not.toBe(UUID)
  })

  test('an event without properties', () => {
    expect(own(complete(event({ properties: undefined })).line)).toEqual({ distinct_id: 'u1' })
  })
})

describe('a uuid', () => {
  const without = event({ uuid: undefined })
  test.each([undefined, null, ''])('is made where it is %j, from the content of the line alone', (uuid) => {
    const lines = [event({ uuid }), event({ uuid }), event({ uuid, properties: { a: 1 } })]
    const made = lines.map((line) => JSON.parse(complete(line).line).uuid as string)
    expect(made[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(made[1]).toBe(made[0])
    expect(made[2]).not.toBe(made[0])
  })

  test('is made from the line as it was, before it is mended', () => {
    const one = complete(without.replace('"E"', '"E\\ud800"'))
    const other = complete(without.replace('"E"', '"E\\udfff"'))
    expect(JSON.parse(one.line).event).toBe(JSON.parse(other.line).event)
    expect(JSON.parse(one.line).uuid).not.toBe(JSON.parse(other.line).uuid)
  })

  test.each([UUID.toUpperCase(), UUID.replaceAll('-', ''), `{${UUID}}`, `urn:uuid:${UUID}`])(
    'may be %s',
    (uuid) => {
      expect(JSON.parse(complete(event({ uuid })).line).uuid).toBe(UUID)
    },
  )
})

describe('refuses', () => {
  const deep = `{"event":"E","properties":{"a":${'['.repeat(998)}${']'.repeat(998)}}}`
  test.each<[about: string, line: string | Buffer, reason: string]>([
    ['bad JSON', '{"event":', 'bad_json'],
    ['a cut line', event().slice(0, -5), 'bad_json'],
    ['NaN', event().replace('"u1"', 'NaN'), 'bad_json'],
    ['an array', `[${event()}]`, 'not_an_object'],
    ['text after the object', `${event()} x`, 'trailing_bytes'],
    ['bad UTF-8', Buffer.from(event({ event: '\xff' }), 'latin1'), 'bad_utf8'],
    ['a depth of 1,000', deep, 'too_deep'],
    ['no event', event({ event: undefined }), 'event_missing'],
    ['an event that is null', event({ event: null }), 'event_missing'],
    ['an empty event', event({ event: '' }), 'event_missing'],
    ['an event that is a number', event({ event: 5 }), 'event_not_text'],
    ['no distinct_id', event({ distinct_id: undefined }), 'distinct_id_missing'],
    ['a distinct_id that is null', event({ distinct_id: null }), 'distinct_id_missing'],
    ['an empty distinct_id', event({ distinct_id: '' }), 'distinct_id_missing'],
    ['a blank distinct_id', event({ distinct_id: ' \t' }), 'distinct_id_missing'],
    ['a distinct_id that is an object', event({ distinct_id: {} }), 'distinct_id_not_text'],
    ['a distinct_id that is a boolean', event({ distinct_id: true }), 'distinct_id_not_text'],
    ['a distinct_id of 201 characters', event({ distinct_id: 'x'.repeat(201) }), 'distinct_id_too_long'],
    ['no timestamp', event({ timestamp: undefined }), 'timestamp_missing'],
    ['a timestamp that is null', event({ timestamp: null }), 'timestamp_missing'],
    ['an empty timestamp', event({ timestamp: '' }), 'timestamp_missing'],
    ['a timestamp that is a number', event({ timestamp: 1_709_296_496 }), 'timestamp_not_text'],
    ['a timestamp that is a number in quotes', event({ timestamp: '1709296496' }), 'timestamp_not_text'],
    ['a timestamp that is an object', event({ timestamp: {} }), 'timestamp_missing'],
    ['25:61', event({ timestamp: '2024-03-01T25:61:00Z' }), 'timestamp_unparsable'],
    ['yesterday', event({ timestamp: 'yesterday' }), 'timestamp_unparsable'],
    ['the first day of 1970', event({ timestamp: '1970-01-01T23:59:59Z' }), 'timestamp_too_old'],
    ['1969', event({ timestamp: '1969-07-20T20:17:40Z' }), 'timestamp_too_old'],
    ['2090', event({ timestamp: '2090-01-01T00:00:00Z' }), 'timestamp_in_future'],
    [
      '22 hours and a microsecond ahead',
      event({ timestamp: '2026-01-01T22:00:00.000001Z' }),
      'timestamp_in_future',
    ],
    ['a uuid that is none', event({ uuid: 'abc' }), 'uuid_invalid'],
    ['a uuid that is a number', event({ uuid: 5 }), 'uuid_invalid'],
    ['properties that are an array', event({ properties: [] }), 'properties_not_an_object'],
    ['person properties that are text', event({ $set: 'odd' }), 'set_not_an_object'],
    ['first person properties that are a number', event({ $set_once: 1 }), 'set_once_not_an_object'],
    ['group properties that are a number', group(5), 'group_properties_not_an_object'],
    ['group properties that are a list', group([]), 'group_properties_not_an_object'],
    ['an event over 900,000 bytes', event({ properties: { a: 'x'.repeat(900_000) } }), 'event_too_large'],
  ])('%s', (_, line, reason) => {
    const refused = complete(line)
    expect(refused.reason).toBe(reason)
    expect(refused.message).toMatch(/\w+ \w+/)
  })

  test('and writes whole lines around what it refused', () => {
    const mapper = mapperForFiles()
    const lines = [
      event(),
      event({ properties: { a: 'x'.repeat(900_000) } }),
      event({ event: '' }),
      event(),
    ].map((json) => eventText(mapper.map(Buffer.from(json), 0, Buffer.byteLength(json))))
    const { line } = complete(event())
    expect(lines).toEqual([line, '', '', line])
  })
})

describe('mends and notices', () => {
  test('unpaired surrogates and numbers beyond a double', () => {
    const { line, notes } = complete(event().replace('{}', '{"a":"\\ud800","b":1e400,"\\udc00":[-1e999]}'))
    expect(line).toContain('"a":"\\ufffd","b":"1e400"')
    expect(JSON.parse(line).properties['\ufffd']).toEqual(['-1e999'])
    expect(notes.mends).toEqual({ ...noMends(), lone_surrogate: 2, huge_number: 2 })
  })

  test('NULs of a name, an id and an id that is linked', () => {
    const nul = '\0'
    const named = complete(event({ event: `log${nul}out`, distinct_id: `u${nul}${nul}x` }))
    expect(named.line).toContain('"event":"log\ufffdout","distinct_id":"u\ufffd\ufffdx"')
    expect(named.notes.mends).toEqual({ ...noMends(), lone_surrogate: 3 })
    const linked = complete(event({ event: '$create_alias', properties: { alias: `v${nul}` } }))
    expect(linked.line).toContain('"alias":"v\ufffd"')
    expect(linked.notes.mends).toEqual({ ...noMends(), lone_surrogate: 1 })
  })

  test('integers over 2^53, by property; as strings where asked', () => {
    const json = event().replace(
      '{}',
      '{"a":9007199254740993,"b":[{"c":-12345678901234567890}],"d":1,"__proto__":12345678901234567890}',
    )
    const kept = complete(json)
    expect(kept.line).toContain('"a":9007199254740993,"b":[{"c":-12345678901234567890}],"d":1,')
    expect(Object.entries(kept.notes.big_integers)).toEqual([
      ['a', 1],
      ['b', 1],
      ['__proto__', 1],
    ])
    const asText = complete(json, {}, { bigIntegersAsStrings: true })
    expect(asText.line).toContain('"a":"9007199254740993","b":[{"c":"-12345678901234567890"}],"d":1,')
    expect(asText.notes.mends.big_integer).toBe(3)
    expect({ ...asText.notes.big_integers }).toEqual({})
  })

  test('keys that stand twice, at each of its levels, the last winning', () => {
    const { line, notes } = complete(
      `{"event":"A","event":"B","\\u0065vent":"E","distinct_id":"u","timestamp":"${TIME}","uuid":"${UUID}",` +
        '"properties":{"a":1,"a":2,"\\u0061":3,"distinct_id":"x","distinct_\\u0069d":"y","__proto__":4}}',
    )
    expect(line).toContain(
      '"event":"E","distinct_id":"u","properties":{"distinct_id":"u","a":3,"__proto__":4,"$posthog_distinct_id":"y",',
    )
    expect(notes.duplicate_keys).toBe(5)
  })

  test('U+2028 and other odd characters are left alone', () => {
    const odd = '"\u2028\u2029\u0085\u007f\ufeff😀\\u2028\\/"'
    expect(complete(event().replace('{}', `{"a":${odd}}`)).line).toContain(`"a":${odd},`)
  })
})

test('every property comes out byte for byte, in order, the last of equal keys', () => {
  fc.assert(
    fc.property(objectText({ sendable: true }), (properties) => {
      const { line, reason } = complete(
        `{ "timestamp":"${TIME}" ,"properties" :${properties},"event":"E","distinct_id":"u1"}`,
      )
      expect(reason).toBeUndefined()
      const bytes = Buffer.from(line)
      expect(readHead(bytes, 0, bytes.length)).toBeDefined()
      const [, written] = members(line).find(([name]) => name === 'properties')!
      const expected = new Map([['distinct_id', '"u1"'], ...members(properties)])
      expected.set('distinct_id', '"u1"')
      for (const [name, json] of members(`{${GIVEN_TEXT}}`)) expected.set(name, json)
      // Person properties are put together from two places, and so come last.
      const isPerson = ([name]: readonly [string, string]) => /^\$set(_once)?$/.test(name)
      const others = [...expected].filter((member) => !isPerson(member))
      // A foreign id inside the properties goes by this name: a case of its own above.
      const isForeign = ([name]: readonly [string, string]) => name === '$posthog_distinct_id'
      expect(members(written).filter((member) => !isPerson(member) && !isForeign(member))).toEqual(others)
      for (const [name, json] of [...expected].filter(isPerson)) {
        const sent = members(written).find(([other]) => other === name)?.[1] ?? '{}'
        if (json.startsWith('{')) expect(new Map(members(sent))).toEqual(new Map(members(json)))
        else expect(sent).toBe(json)
      }
    }),
    { seed, numRuns: kills({ few: 300, many: 1500 }) },
  )
})

describe('the rules that transform and import share', () => {
  test.each<[about: string, over: Record<string, unknown>, status: string, reason: string]>([
    ['a merge that nothing can undo', { event: '$merge_dangerously' }, 'rejected', 'merge_not_allowed'],
    ['an event that the service drops', { event: '$performance_event' }, 'filtered', 'dropped_by_service'],
    ['a piece of a replay', { event: '$snapshot_items' }, 'filtered', 'session_replay'],
    ['a heatmap', { event: '$$heatmap' }, 'filtered', 'not_kept_as_event'],
    [
      'an identity of nobody',
      { event: '$identify', distinct_id: 'undefined' },
      'rejected',
      'identity_of_nobody',
    ],
    [
      'an alias of nobody',
      { event: '$create_alias', distinct_id: '[object Object]' },
      'rejected',
      'identity_of_nobody',
    ],
  ])('%s', (_, over, status, reason) => {
    expect(complete(event(over))).toMatchObject({ status, reason })
  })

  test('a merge goes where it was asked for by name, but never onto nobody', () => {
    const switches = new Set(['merge-dangerously'])
    expect(complete(event({ event: '$merge_dangerously' }), { switches }).status).toBe('event')
    const onto = event({ event: '$merge_dangerously', distinct_id: 'null' })
    expect(complete(onto, { switches }).reason).toBe('identity_of_nobody')
  })

  test('an ordinary event of an id that stands for nobody is an event', () => {
    expect(complete(event({ distinct_id: 'undefined' })).status).toBe('event')
  })

  test('what every event is given stays as the source has it', () => {
    const properties = { $lib: 'web', $geoip_disable: false, analytics_source: 'own' }
    expect(JSON.parse(complete(event({ properties })).line).properties).toEqual({
      distinct_id: 'u1',
      ...properties,
    })
  })

  test('a refusal tells whose event it is, so that it keeps its place among theirs', () => {
    const mapper = mapperForFiles()
    for (const over of [
      { timestamp: '2090-01-01T00:00:00Z' },
      { event: '$performance_event' },
      { uuid: 'abc' },
    ]) {
      const bytes = Buffer.from(event(over))
      expect(mapper.map(bytes, 0, bytes.length)).toMatchObject({ distinctId: 'u1' })
    }
    const bytes = Buffer.from(event({ distinct_id: undefined, timestamp: undefined }))
    expect(mapper.map(bytes, 0, bytes.length)).not.toHaveProperty('distinctId')
  })
})

/** The uuid of an event without one of its own. */
function madeUuid(record: string): string {
  const mapped = mapperForFiles().map(Buffer.from(record), 0, Buffer.byteLength(record))
  if (mapped.status !== 'event') return expect.unreachable(record)
  return mapped.text.slice(9, 45)
}

test('white space between its members makes no other event of a record, and within its texts it does', () => {
  const record =
    '{"event":"a \\" b","distinct_id":"u","timestamp":"2024-03-01T10:00:00Z","properties":{"t":"x \\\\"}}'
  const spaced = ` ${record.replaceAll(/([{:,])"/g, '$1 \t"').replace(/}}$/, ' } }')} `
  expect(madeUuid(spaced)).toBe(madeUuid(record))
  expect(madeUuid(record.replace('a \\" b', 'a  \\" b'))).not.toBe(madeUuid(record))
})
