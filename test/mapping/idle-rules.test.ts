import { expect, test } from 'vitest'
import { IdleRules } from '../../src/mapping/idle-rules.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'

function idle(mapping: Partial<Mapping>, ...records: readonly (object | string)[]): string[] {
  const rules = new IdleRules({ ...NO_MAPPING, ...mapping })
  for (const record of records) {
    const bytes = Buffer.from(`xx${typeof record === 'string' ? record : JSON.stringify(record)}yy`)
    rules.see(bytes, 2, bytes.length - 2)
  }
  return rules.idle
}

test('a record that is nested without end is looked through, one too large for that what it holds', () => {
  const mapping: Partial<Mapping> = { properties: { rename: {}, drop: ['foo', 'bar'], set: {} } }
  const deep = (inner: string) => `${'['.repeat(20_000)}${inner}${']'.repeat(20_000)}`
  expect(idle(mapping, `{"a":${deep('{"foo":1}')}}`)).toEqual(['properties.drop "bar"'])
  expect(idle(mapping, { a: deep('{"foo":1}') })).toEqual(['properties.drop "bar"'])
  const large = { a: 'x'.repeat(1 << 17) }
  expect(idle(mapping, { foo: 1 }, large)).toEqual(['properties.drop "bar"'])
  expect(idle(mapping, { foo: 1 }, { ...large, bar: 1 })).toEqual([])
})

test('names that no record has are told, by their rules', () => {
  const mapping: Partial<Mapping> = {
    events: {
      rename: { Signup: 'a', Signpu: 'b' },
      drop: ['heartbeat', 'hartbeat'],
      keep: ['kept', 'Signpu'],
    },
    properties: { rename: { Plan: 'plan' }, drop: ['internal_note'], set: {} },
  }
  const records = [
    { event: 'Signup', properties: { Plan: 'pro' } },
    { event: 'heartbeat', properties: { deep: [{ kept: 1 }] } },
  ]
  expect(idle(mapping, ...records)).toEqual([
    'events.rename "Signpu"',
    'events.keep "Signpu"',
    'events.drop "hartbeat"',
    'properties.drop "internal_note"',
  ])
})

test('a path must lead to a value, through packed members too', () => {
  const groups = { company: 'properties.ORG', team: 'properties.team', other: 'a.b' }
  const records = [{ ORG: 'o1', properties: { team: 't', x: null } }, { a: '{"b":1}' }]
  expect(idle({ groups }, ...records)).toEqual(['groups.company "properties.ORG"'])
  const fields = { distinct_id: ['properties.x', 'uid'], event: ['ev', 'name'] }
  expect(idle({ fields }, ...records, { name: 'n' })).toEqual(['fields.distinct_id "properties.x", "uid"'])
})

test('what the preset may make is not asked for, and what is no JSON is passed over', () => {
  const events = { rename: { $pageview: 'view' }, drop: ['x'], keep: undefined }
  expect(idle({ events }, '{"event":"x')).toEqual(['events.drop "x"'])
  expect(idle({})).toEqual([])
})

test('a name that is in the list any number of times is told once, without a copy for each time', () => {
  const drop = Array<string>(300_000).fill('heartbeat')
  expect(idle({ events: { rename: {}, drop, keep: undefined } })).toEqual(['events.drop "heartbeat"'])
})

test('a path that is the whole name of a member is told how to say it', () => {
  const mapping: Partial<Mapping> = { groups: { company: 'org.id' }, fields: { event: ['a.b'] } }
  const [company, event] = idle(mapping, { 'org.id': 'acme', event: 'x' })
  expect(company).toMatch(/^groups\.company "org\.id" \(.*in quotes, '"org\.id"'/)
  expect(event).toBe('fields.event "a.b"')
  expect(idle(mapping, { 'org.id': 'acme', org: { id: 'acme' }, a: { b: 'x' } })).toEqual([])
})

test('what is not parsed is found all the same: in text, with escapes, in an array, as a value; and nothing is said too early', () => {
  const drop = ['in_text', 'größe', 'a"b', 'value', 'key', 'phone']
  const mapping: Partial<Mapping> = {
    properties: { rename: {}, drop, set: {} },
    groups: { company: 'list.0' },
  }
  expect(
    idle(
      mapping,
      { x: '{"in_text":1}' },
      '{"gr\\u00f6\u00dfe":1}',
      '{"\\u0067r\\u00f6\\u00dfe":1}',
      { 'a"b': 1 },
      { x: ['value'], phones: 'the phone, as "phone", or phone', list: ['c'] },
      '{ "key" : 1 }',
    ),
  ).toEqual(['properties.drop "phone"'])
  const rules = new IdleRules({ ...NO_MAPPING, ...mapping }, 2)
  const see = (record: object) => {
    const bytes = Buffer.from(JSON.stringify(record))
    rules.see(bytes, 0, bytes.length)
  }
  for (let n = 0; n < 2; n++) see({ x: '"phone"' })
  see({ y: 1 })
  expect(rules.known).toContain('properties.drop "phone"')
  see({ x: '"phone"' })
  expect([rules.known, rules.idle]).toEqual([null, []])
})
