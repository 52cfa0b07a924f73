import { describe, expect, test } from 'vitest'
import { Rejection } from '../../src/mapping/preset.ts'
import { engineOf, mapWith, ownProperties } from '../transform/plain.ts'

const mapped = (mapping: string, record: object) =>
  mapWith(engineOf({}, mapping), { event: 'E', user: 'u', ...record })
const properties = (mapping: string, record: object | string) => ownProperties(engineOf({}, mapping), record)
const eventOf = (mapping: string, record: object) => {
  const { line } = mapped(mapping, record)
  return line === '' ? undefined : JSON.parse(line)
}

test('a time of a form that the file names is read in its zone; one of no form rejects the record', () => {
  const mapping =
    'fields: { timestamp: at }\ntime_format: [MM/DD/YYYY hh:mm A, epoch_ns]\nsource_timezone: America/New_York'
  const timeOf = (at: string | number) => eventOf(mapping, { at })?.timestamp
  expect(timeOf('3/1/2024 1:05 PM')).toBe('2024-03-01T18:05:00.000000Z')
  expect(timeOf('1709294400123456789')).toBe('2024-03-01T12:00:00.123456Z')
  expect(timeOf('2024-03-01T12:00:00Z')).toBe('2024-03-01T12:00:00.000000Z')
  expect(mapped(mapping, { at: '31/12/2024 1:05 PM' }).mapped).toMatchObject({
    reason: 'timestamp_unparsable',
  })
})

describe('a day and a time of day of two members', () => {
  const mapping = 'fields: { time: [day, in.clock] }\ntime_format: [DD.MM.YYYY HH:mm, MM/DD/YYYY hh:mm A]'
  const timeOf = (day: unknown, clock: unknown) => mapped(mapping, { day, in: { clock } })

  test.each([
    ['24.12.2024', '18:05', '2024-12-24T18:05:00.000000Z'],
    ['12/24/2024', '6:05 PM', '2024-12-24T18:05:00.000000Z'],
    ['2024-12-24 ', ' 18:05:30', '2024-12-24T18:05:30.000000Z'],
  ])('%s and %s are %s', (day, clock, timestamp) => {
    const { line } = timeOf(day, clock)
    expect(JSON.parse(line)).toMatchObject({ timestamp, properties: { day } })
  })

  test.each([
    ['24.12.2024', null, 'timestamp_missing', 'the record has a day and no time of day'],
    ['', '18:05', 'timestamp_missing', 'the record has a time of day and no day'],
    ['24.12.2024', 'noon', 'timestamp_unparsable', expect.any(String)],
  ])('%s and %s reject the record', (day, clock, reason, message) => {
    expect(timeOf(day, clock).mapped).toMatchObject({ status: 'rejected', reason, message })
  })

  test('a record with neither has the time that the preset gives', () => {
    expect(JSON.parse(timeOf(null, null).line)).toMatchObject({
      timestamp: JSON.parse(mapped('', {}).line).timestamp,
    })
  })
})

test('among days as Excel counts them, other numbers are no times', () => {
  const timeOf = (at: string) => mapped('fields: { timestamp: at }\ntime_format: excel', { at })
  expect(JSON.parse(timeOf('45650.75').line).timestamp).toBe('2024-12-24T18:00:00.000000Z')
  for (const at of ['0.75', '60', '1709294400', '-3'])
    expect(timeOf(at).mapped).toMatchObject({ reason: 'timestamp_unparsable' })
  expect(JSON.parse(timeOf('2024-03-01T12:00:00Z').line).timestamp).toBe('2024-03-01T12:00:00.000000Z')
})

describe('properties', () => {
  test('are renamed, dropped and set', () => {
    const mapping = 'properties: { rename: { a: x }, drop: [b], set: { y: 1.50, z: [true, null], c: 9 } }'
    const line = mapped(mapping, { a: 1, b: 2, c: 3 }).line
    expect(properties(mapping, { a: 1, b: 2, c: 3 })).toEqual({ x: 1, c: 9, y: 1.5, z: [true, null] })
    expect(line).not.toContain('"b"')
  })

  test('keep integers of any length that the file sets', () => {
    expect(mapped('properties: { set: { n: 12345678901234567890 } }', {}).line).toContain(
      '"n":12345678901234567890',
    )
  })

  test('are renamed by the name the preset gives them, not by the source’s', () => {
    const engine = engineOf(
      { fields: { event: '@event', user: '@user', a: 'given', '*': '*' } },
      'properties: { rename: { given: x, a: no } }',
    )
    expect(ownProperties(engine, { a: 1 })).toEqual({ x: 1 })
  })

  test.each(['{"event":"E","user":"u","a":1,"b":2}', '{"event":"E","user":"u","b":2,"a":1}'])(
    'lose no value when one is renamed to another’s name: %s',
    (record) => {
      const found = properties('properties: { rename: { a: b } }', record)
      expect(found.b).toBe(1)
      expect(Object.values(found).sort()).toEqual([1, 2])
    },
  )

  test('lose no value where several are renamed to one name, or to one that the preset gives', () => {
    const mapping = 'properties: { rename: { b: x, a: x } }'
    expect(properties(mapping, { a: 1, b: 2 })).toEqual({ x: 2, $plain_x: 1 })
    expect(properties(mapping, { b: 2, a: 1 })).toEqual({ x: 2, $plain_x: 1 })
    const engine = engineOf({ fields: { event: '@event', user: '@user', first: 'x', '*': '*' } }, mapping)
    expect(ownProperties(engine, { first: 0, a: 1 })).toEqual({ x: 0, $plain_x: 1 })
  })

  test('are renamed and dropped under the pattern they fall under, the longest', () => {
    const fields = { event: '@event', user: '@user', 'p_q_*': 'long_*', 'p_*': 'short_*', '*': '*' }
    const mapping =
      'properties: { rename: { long_p_q_a: y, short_p_b: z, short_p_q_c: no }, drop: [long_p_q_d] }'
    expect(ownProperties(engineOf({ fields }, mapping), { p_q_a: 1, p_b: 2, p_q_c: 3, p_q_d: 4 })).toEqual({
      y: 1,
      z: 2,
      long_p_q_c: 3,
    })
  })

  test('may swap their names', () => {
    expect(properties('properties: { rename: { a: b, b: a } }', { a: 1, b: 2 })).toEqual({ b: 1, a: 2 })
  })

  test('never say distinct_id beside the head’s', () => {
    for (const mapping of [
      'properties: { rename: { a: distinct_id } }',
      'properties: { set: { distinct_id: x } }',
    ]) {
      let line: string
      try {
        line = mapped(mapping, { a: 'other' }).line
      } catch (error) {
        expect((error as Error).message).toContain('distinct_id')
        continue
      }
      expect(line.match(/"distinct_id":/g)).toHaveLength(2)
    }
  })
})

describe('events', () => {
  test('are renamed by the source’s name or by the preset’s', () => {
    expect(eventOf('events: { rename: { E: F } }', {}).event).toBe('F')
    expect(eventOf('events: { rename: { Old: F } }', { event: 'Old' }).event).toBe('F')
    expect(eventOf('events: { rename: { New: F } }', { event: 'Old' }).event).toBe('F')
    expect(eventOf('{}', { event: 'Old' }).event).toBe('New')
  })

  test.each([
    ['events: { drop: [E] }', 'event_dropped'],
    ['events: { drop: [New] }', undefined],
    ['filter: { where: { user: u } }', undefined],
    ['filter: { where: { user: [a, u] } }', undefined],
    ['filter: { where: { user: a } }', 'not_where'],
    ['filter: { where: { bot: "" } }', undefined],
    ['filter: { where: { user: u, bot: 0 } }', 'not_where'],
    ['events: { keep: [F] }', 'event_not_kept'],
    ['events: { keep: [E] }', undefined],
    ['filter: { from: 2024-03-01T00:00:00Z }', undefined],
    ['filter: { from: 2024-03-01T00:00:00.000001Z }', 'before_from'],
    ['filter: { to: 2024-03-01 }', 'after_to'],
    ['filter: { to: 2024-03-01T00:00:00.000001Z }', undefined],
  ])('%s: %s', (mapping, reason) => {
    expect(mapped(mapping, {}).mapped).toMatchObject(
      reason === undefined ? { status: 'event' } : { status: 'filtered', reason },
    )
    expect(mapped(mapping, {}).line === '').toBe(reason !== undefined)
  })

  test.each([
    ['{ where: { bot: 0 } }', { bot: '0' }, true],
    ['{ where: { bot: 0 } }', { bot: 0 }, true],
    ['{ where: { bot: 0 } }', { bot: 7 }, false],
    ['{ where: { bot: 0 } }', { bot: [0] }, false],
    ['{ where: { bot: false } }', { bot: false }, true],
    ['{ where: { bot: [0, ""] } }', { bot: null }, true],
    ['{ where: { app.id: shop } }', { app: { id: 'shop' } }, true],
    ['{ where: { app.id: shop } }', { app: '{"id":"shop"}' }, true],
    ['{ where: { app.id: shop } }', { app: { id: 'blog' } }, false],
  ])('stay by a value: %s of %j', (filter, members, stays) => {
    expect(mapped(`filter: ${filter}`, members).mapped).toMatchObject(
      stays ? { status: 'event' } : { status: 'filtered', reason: 'not_where' },
    )
  })

  test('that another value leaves out are no rejects, whatever else is wrong with them', () => {
    const engine = engineOf({}, 'filter: { where: { bot: 0 } }')
    expect(mapWith(engine, { bot: 1 }).mapped).toMatchObject({ status: 'filtered', reason: 'not_where' })
  })

  test('are dropped by either name', () => {
    for (const name of ['Old', 'New']) {
      expect(mapped(`events: { drop: [${name}] }`, { event: 'Old' }).mapped.status).toBe('filtered')
      expect(mapped(`events: { keep: [${name}] }`, { event: 'Old' }).mapped.status).toBe('event')
    }
  })

  test('that are dropped are not looked at further: a reject would be one the user has decided about', () => {
    const perform = () => {
      throw new Rejection('merge_dangerously', 'not without being asked')
    }
    const engine = engineOf({ perform }, 'events: { drop: [E] }')
    expect(mapWith(engine, { event: 'E', user: 'u' }).mapped).toMatchObject({ status: 'filtered' })
    expect(mapWith(engine, { event: 'E' }).mapped).toMatchObject({ status: 'filtered' })
    expect(mapWith(engine, { event: 'F', user: 'u' }).mapped).toMatchObject({ status: 'rejected' })
  })
})

describe('fields', () => {
  test('that a preset takes are no properties besides, and one member can be several', () => {
    const takes = { event: ['event'], distinct_id: ['user'], timestamp: ['at'] }
    const engine = engineOf({ takes, fields: { '*': '*' } }, 'fields: { anonymous_id: id, uuid: id }')
    const { mapped, line } = mapWith(engine, {
      event: 'E',
      user: 'u',
      at: '2024-03-01T00:00:00Z',
      id: 'a',
      x: 1,
    })
    expect(mapped).toMatchObject({ link: { anonymous: { text: 'a' } }, ownId: true })
    expect(JSON.parse(line).properties).toMatchObject({ id: 'a', x: 1 })
    for (const name of ['event', 'user', 'at']) expect(JSON.parse(line).properties).not.toHaveProperty(name)
    const both = engineOf(
      { takes: { ...takes, uuid: [] }, fields: {} },
      'fields: { distinct_id: id, uuid: id }',
    )
    const { mapped: twice } = mapWith(both, { event: 'E', at: '2024-03-01T00:00:00Z', id: 'a' })
    expect(twice).toMatchObject({ distinctId: 'a', ownId: true })
  })

  test.each<[string, string, object, Record<string, unknown>]>([
    ['event', 'fields: { event: kind }', { kind: 'K' }, { event: 'K' }],
    [
      'distinct_id',
      'fields: { distinct_id: [nested.id, mail] }',
      { nested: { id: 7 }, mail: 'm' },
      { distinct_id: '7' },
    ],
    [
      'distinct_id, the first that has a value',
      'fields: { distinct_id: [nested.id, mail] }',
      { nested: { id: '' }, mail: 'm' },
      { distinct_id: 'm' },
    ],
    ['distinct_id, else the preset’s', 'fields: { distinct_id: [nested.id] }', {}, { distinct_id: 'u' }],
    [
      'timestamp',
      'fields: { timestamp: at }',
      { at: '2024-01-02 03:04:05.000006' },
      { timestamp: '2024-01-02T03:04:05.000006Z' },
    ],
    [
      'timestamp in a zone',
      'fields: { timestamp: at }\nsource_timezone: Asia/Kolkata',
      { at: '2024-01-02 03:04:05' },
      { timestamp: '2024-01-01T21:34:05.000000Z' },
    ],
    [
      'uuid',
      'fields: { uuid: key }',
      { key: '{65FDB562-3dcd-5dc3-bc74-78ee4b077e17}' },
      { uuid: '65fdb562-3dcd-5dc3-bc74-78ee4b077e17' },
    ],
  ])('choose the %s', (_, mapping, record, expected) =>
    expect(eventOf(mapping, record)).toMatchObject(expected),
  )

  test('stay properties where they are', () => {
    expect(
      properties('fields: { distinct_id: nested.id }', { nested: { id: 7, x: 1.5 }, mail: 'm' }),
    ).toEqual({ nested: { id: 7, x: 1.5 }, mail: 'm' })
  })

  test('give a uuid that is none one made from it', () => {
    const uuid = (key: string) => eventOf('fields: { uuid: key }', { key }).uuid
    expect(uuid('abc')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(uuid('abc')).toBe(uuid('abc'))
    expect(uuid('abc')).not.toBe(uuid('abd'))
  })

  test('that hold no time reject the record', () => {
    expect(mapped('fields: { timestamp: at }', { at: '25:61' }).mapped).toMatchObject({
      status: 'rejected',
      reason: 'timestamp_unparsable',
    })
  })

  test('choose the anonymous id; junk and the id itself link nobody', () => {
    const link = (anon: unknown, user = 'u') => {
      const { mapped: one } = mapped('fields: { anonymous_id: guest }', { guest: anon, user })
      return one.status === 'event' ? one.link?.anonymous.text : one.status
    }
    expect([link('a1'), link('u'), link(' u'), link(' a2 '), link('null'), link('x'.repeat(201))]).toEqual([
      'a1',
      undefined,
      undefined,
      'a2',
      undefined,
      undefined,
    ])
    expect(link('a1', 'anonymous')).toBeUndefined()
  })
})

describe('groups', () => {
  test('name the groups of an event', () => {
    const mapping = 'groups: { company: org.id, plan: tier }'
    expect(properties(mapping, { org: { id: 7 }, tier: 'gold' })).toEqual({
      org: { id: 7 },
      tier: 'gold',
      $groups: { company: '7', plan: 'gold' },
    })
    expect(properties(mapping, { org: { id: '' } })).toEqual({ org: { id: '' } })
  })
})

describe('types', () => {
  test.each<[string, unknown, string, string, object]>([
    ['every digit of a number', '12345678901234567890.10', 'number', '12345678901234567890.10', {}],
    ['a number as people write it', '1.234,50 €', '{ type: number, decimal: "," }', '1234.50', {}],
    ['JSON as it is, on one line', ' {"a":1.0,\n"b":[]}', 'json', '{"a":1.0, "b":[]}', {}],
    ['JSON of no object', '"x"', 'json', '"x"', {}],
    ['a boolean', 'T', 'boolean', 'true', {}],
    ['a boolean that a number is', 0, 'boolean', 'false', {}],
    ['a time', '1709287200', 'time', '"2024-03-01T10:00:00.000000Z"', {}],
    ['a time that a number is', 45352, '{ type: time, format: excel }', '"2024-03-01T00:00:00.000000Z"', {}],
    ['a list', 'a|é', '{ type: list, separator: "|" }', '["a","é"]', {}],
    ['nothing of another value', [1], 'number', '[1]', {}],
    [
      'nothing of no such number, which is told',
      '007',
      'number',
      '"007"',
      { 'types: a.v holds text that is no number': 1 },
    ],
    [
      'nothing of broken JSON, which is told',
      '{',
      'json',
      '"{"',
      { 'types: a.v holds text that is no json': 1 },
    ],
    ['nothing of no text', '', 'number', '""', {}],
  ])('read %s', (_, v, type, expected, unusable) => {
    for (const a of [{ v }, JSON.stringify({ v })]) {
      const engine = engineOf({}, `types: { a.v: ${type} }`)
      expect(mapWith(engine, { event: 'E', user: 'u', a }).line).toContain(`"a":{"v":${expected}}`)
      expect(engine.notes.unusable).toEqual(unusable)
    }
  })

  test('mend what the service would refuse, count it, and refuse what is too deep', () => {
    const engine = engineOf({}, 'types: { a: json, b: number }')
    const record = '{"event":"E","user":"u","a":"\\"\\\\ud800\\"","b":"1e400","c":"\\ud800"}'
    expect(mapWith(engine, record).line).toContain('"a":"\\ufffd","b":"1e400","c":"\\ufffd"')
    expect(engine.notes.mends).toMatchObject({ lone_surrogate: 2, huge_number: 1 })
    const deep = { event: 'E', user: 'u', a: `${'['.repeat(100)}${']'.repeat(100)}` }
    expect(mapWith(engine, deep).mapped).toMatchObject({ status: 'rejected', reason: 'too_deep' })
  })
})

describe('person properties', () => {
  const preset = { fields: { event: '@event', user: '@user', a: ['a', 'set:a'], b: 'once:b', '*': '*' } }
  test.each([
    ['set', { a: 1, $set: { a: 1 }, $set_once: { b: 2 } }],
    ['set_once', { a: 1, $set_once: { a: 1, b: 2 } }],
    ['drop', { a: 1 }],
  ])('%s', (choice, expected) => {
    expect(ownProperties(engineOf(preset, `person_properties: ${choice}`), { a: 1, b: 2 })).toEqual(expected)
  })

  test('of the record itself win over those of the tables', () => {
    expect(ownProperties(engineOf(preset), { a: 1, $set: { a: 9, c: 3 } })).toEqual({
      a: 1,
      $set: { a: 9, c: 3 },
    })
  })
})

describe('big integers', () => {
  const record = '{"event":"E","user":"u","n":9007199254740993,"o":{"m":[12345678901234567890]},"s":1}'
  test('are kept and counted', () => {
    const engine = engineOf()
    expect(mapWith(engine, record).line).toContain(
      '"n":9007199254740993,"o":{"m":[12345678901234567890]},"s":1',
    )
    expect({ ...engine.takeNotes().big_integers }).toEqual({ n: 1, o: 1 })
  })

  test('of a group are counted by the names of its own properties', () => {
    const engine = engineOf()
    const set = '{"id":9007199254740993,"in":[9007199254740993],"n":1}'
    expect(mapWith(engine, `{"event":"E","user":"u","$group_set":${set}}`).line).toContain(set)
    expect({ ...engine.takeNotes().big_integers }).toEqual({ id: 1, in: 1 })
  })

  test('become strings where asked', () => {
    const engine = engineOf({}, 'big_integers: string')
    expect(mapWith(engine, record).line).toContain(
      '"n":"9007199254740993","o":{"m":["12345678901234567890"]},"s":1',
    )
    expect(engine.takeNotes().mends.big_integer).toBe(2)
  })

  test('that are an id keep their digits', () => {
    const line = mapWith(engineOf(), '{"event":"E","user":12345678901234567890}').line
    expect(JSON.parse(line).distinct_id).toBe('12345678901234567890')
  })
})

test('an event that is too large leaves nothing behind', () => {
  const engine = engineOf()
  const record = (text: string) => ({ event: 'E', user: 'u', text })
  const { line } = mapWith(engine, record('x'))
  expect(mapWith(engine, record('x'.repeat(900_000))).mapped).toMatchObject({
    status: 'rejected',
    reason: 'event_too_large',
  })
  expect(mapWith(engine, record('x')).line).toBe(line)
})

test('a name with dots in quotes is the flat member; the nested one of the same letters is not', () => {
  const mapping = `fields: { event: '"e.name"', distinct_id: 'properties."user.id"', timestamp: '"sent.at"' }
filter: { where: { '"app.id"': shop } }
groups: { company: 'properties."org.id"' }`
  const properties = { 'user.id': 'u-1', 'org.id': 'acme', user: { id: 'wrong' }, org: { id: 'wrong' } }
  const record = { 'e.name': 'paid', 'sent.at': '2024-03-01T12:00:00Z', 'app.id': 'shop', properties }
  const nested = { e: { name: 'wrong' }, app: { id: 'other' } }
  expect(eventOf(mapping, { ...record, ...nested })).toMatchObject({
    event: 'paid',
    distinct_id: 'u-1',
    timestamp: '2024-03-01T12:00:00.000000Z',
    properties: { $groups: { company: 'acme' } },
  })
  const other = { ...record, 'app.id': 'other', app: { id: 'shop' } }
  expect(mapped(mapping, other).mapped).toMatchObject({ status: 'filtered', reason: 'not_where' })
})
