import { expect, test } from 'vitest'
import type { People } from '../../src/mapping/mapped.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { eventText } from '../helpers/event-text.ts'

const plain: Preset = {
  vendor: 'plain',
  rules: 1,
  fields: {
    event: '@event',
    user: '@user',
    time: '@time',
    bag: '@bag',
    'bag.*': '*',
    secret: '@secret',
    '*': '*',
  },
  unpack: ['bag'],
  recognises: [],
  events: {},
  empty: [],
  eventName: (record) => record.text('event'),
  uuid: () => '11111111-1111-4111-8111-111111111111',
  distinctId: (record) => record.text('user'),
  anonymousId: () => undefined,
  timestamp: () => Date.UTC(2024, 2, 1) * 1000,
}

const ADDED = { $geoip_disable: true, $lib: 'posthaul', $lib_version: '9.9.9', analytics_source: 'plain' }

function run(
  record: object | string,
  mapping: Partial<Mapping> = {},
  preset: Preset = plain,
  people?: People,
) {
  const mapper = new Mapper(
    preset,
    { ...NO_MAPPING, ...mapping },
    {
      now: Date.UTC(2025, 0, 1) * 1000,
      version: '9.9.9',
      switches: new Set(),
      groupEventName: '$groupidentify',
      importId: null,
      ...(people && { people }),
    },
  )
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const mapped = mapper.map(line, 0, line.length)
  return { mapped, text: eventText(mapped) }
}

function propertiesOf(record: object, mapping?: Partial<Mapping>): unknown {
  return JSON.parse(run(record, mapping).text).properties
}

test('a property named distinct_id is not written beside the id in the head', () => {
  const { text } = run({ event: 'E', user: 'u', distinct_id: 'x', bag: {} })
  expect(text.match(/"distinct_id":/g)).toHaveLength(2)
  expect(JSON.parse(text).properties).toEqual({ distinct_id: 'u', $plain_distinct_id: 'x', ...ADDED })
})

test('a property named distinct_id that says the same is said once', () => {
  const properties = propertiesOf({ event: 'E', user: 7, bag: { distinct_id: 7 } })
  expect(properties).toEqual({ distinct_id: '7', ...ADDED })
})

test('names with dollar signs survive being renamed around', () => {
  const mapping = { properties: { rename: { $$a: 'b' }, drop: ['$&'], set: {} } }
  const properties = propertiesOf({ event: 'E', user: 'u', $$a: 1, '$&': 2, $$c: 3 }, mapping)
  expect(properties).toEqual({ distinct_id: 'u', b: 1, $$c: 3, ...ADDED })
})

test('JSON text that is too deep once it is opened rejects the record, and loses nothing silently', () => {
  const deep = `{"a":${'['.repeat(99)}${']'.repeat(99)}}`
  const { mapped, text } = run({ event: 'E', user: 'u', bag: deep, z: 1 })
  expect(mapped).toMatchObject({ status: 'rejected', reason: 'too_deep' })
  expect(text).toBe('')
})

test.each([
  ['{"event":"E","user":"u","plan":1.0,"bag":{"plan":"pro"}}', { plan: 'pro', $plain_plan: 1 }],
  ['{"event":"E","user":"u","bag":{"plan":"pro"},"plan":1.0}', { plan: 'pro', $plain_plan: 1 }],
  ['{"event":"E","user":"u","plan":"pro","bag":{"plan":"pro"}}', { plan: 'pro' }],
  ['{"event":"E","user":"u","plan":null,"bag":{"plan":"pro"}}', { plan: 'pro' }],
])('a field that lost its name keeps its value: %s', (record, expected) => {
  expect(propertiesOf(JSON.parse(record))).toEqual({ distinct_id: 'u', ...expected, ...ADDED })
})

test.each([
  ['bag.team.id', { bag: { team: { id: 't1', size: 3 }, n: 1 } }, { team: { id: 't1', size: 3 }, n: 1 }],
  ['team.id', { team: { id: 't1', size: 3 } }, { team: { id: 't1', size: 3 } }],
  ['team.lead.id', { team: { id: 't2', lead: { id: 't1' } } }, { team: { id: 't2', lead: { id: 't1' } } }],
  ['secret.id', { secret: { id: 't1', size: 3 } }, {}],
  ['bag.team', { bag: { team: 't1' } }, { team: 't1' }],
])('a group key from inside, %s, leaves the value around it as it is', (path, record, expected) => {
  const properties = propertiesOf({ event: 'E', user: 'u', ...record }, { groups: { team: path } })
  expect(properties).toEqual({ distinct_id: 'u', $groups: { team: 't1' }, ...expected, ...ADDED })
})

test.each([
  ['{"first_a":1,"first_":2,"firs":3}', {}, { first_: 2, firs: 3 }, { '+first_a': 1, '+first_': 2 }],
  ['{"fi\\u0072st_a":1}', {}, {}, { '+first_a': 1 }],
  ['{"first_utm_a":1,"first_b":2}', {}, { late: 1 }, { '+first_b': 2 }],
  ['{"first_a":1,"first_b":2}', { drop: ['first_a'] }, {}, { '+first_a': 1, '+first_b': 2 }],
  ['{"first_a":1}', { rename: { first_: 'b' } }, {}, { '+first_a': 1 }],
])('%s: names that begin so, longest beginning first', (traits, properties, expected, once) => {
  const patterned = {
    ...plain,
    fields: {
      ...plain.fields,
      'traits.first_utm_a': 'late',
      'traits.first_*': 'once:+*',
      'traits.first_': ['first_', 'once:+first_'],
      'traits.*': '*',
    },
  }
  const record = `{"event":"E","user":"u","traits":${traits}}`
  const mapping = { properties: { rename: {}, drop: [], set: {}, ...properties } }
  const { $set_once, ...rest } = JSON.parse(run(record, mapping, patterned).text).properties
  expect(rest).toEqual({ distinct_id: 'u', ...expected, ...ADDED })
  expect($set_once).toEqual(once)
})

test('a property that falls under a beginning can be renamed and dropped', () => {
  const patterned = { ...plain, fields: { ...plain.fields, 'bag.x_*': 'y_*' } }
  const mapping = { properties: { rename: { y_x_a: 'z' }, drop: ['y_x_b'], set: {} } }
  const { text } = run({ event: 'E', user: 'u', bag: { x_a: 1, x_b: 2, x_c: 3, d: 4 } }, mapping, patterned)
  expect(JSON.parse(text).properties).toEqual({ distinct_id: 'u', z: 1, y_x_c: 3, d: 4, ...ADDED })
})

test('of a visitor who is to be forgotten no link is told', () => {
  const preset: Preset = { ...plain, anonymousId: (record) => record.text('bag') }
  const people = {
    leavesOut: () => false,
    isForgotten: (id: string) => id === 'forgotten',
    isNamedIn: () => false,
  }
  const linkOf = (visitor: string) => {
    const { mapped } = run({ event: 'E', user: 'u', bag: visitor }, {}, preset, people)
    return 'link' in mapped ? mapped.link?.anonymous.text : undefined
  }
  expect([linkOf('known'), linkOf('forgotten')]).toEqual(['known', undefined])
})
