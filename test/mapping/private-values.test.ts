import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Preset } from '../../src/mapping/preset.ts'
import { engineOf, mapWith } from '../transform/plain.ts'

const KEY = 'a key of the test, which is long'
const hmac = (text: string) => createHmac('sha256', KEY).update(text).digest('hex')

const PERSONS: Partial<Preset> = {
  fields: {
    event: '@event',
    user: ['@user', '$plain_user_id'],
    anon: ['@anon', '$device_id'],
    'person.*': 'set:*',
    'first.*': 'once:*',
    '*': '*',
  },
}

/** What a record becomes, and all that is known of it, as one text: what is private must not be in it. */
function hashed(mapping: string, record: object, preset: Partial<Preset> = PERSONS) {
  const mapper = engineOf(preset, mapping, KEY)
  const { mapped, line } = mapWith(mapper, { event: 'E', user: 'u', ...record })
  return {
    event: JSON.parse(line),
    mapped,
    notes: mapper.takeNotes(),
    members: mapper.takeInventory().members,
    line,
  }
}

test('a property is hashed wherever it goes, and nowhere in clear', () => {
  const mapping = 'properties: { hash: [email, phone], rename: { phone: mobile } }'
  const { event, line, members } = hashed(mapping, {
    email: 'ana@example.com',
    phone: 4367612345678901,
    person: { email: 'ana@example.com', plan: 'pro' },
    first: { email: 'Ana@example.com' },
    $group_set: { email: 'office@example.com', size: 1.0 },
    other: 'kept',
  })
  expect(event.properties).toMatchObject({
    email: hmac('ana@example.com'),
    mobile: hmac('4367612345678901'),
    $set: { email: hmac('ana@example.com'), plan: 'pro' },
    $set_once: { email: hmac('Ana@example.com') },
    $group_set: { email: hmac('office@example.com') },
    other: 'kept',
  })
  expect(line).not.toMatch(/@example|43676/)
  expect(members.email).toEqual({ hashed: 1 })
  expect(members['person.email']).toEqual({ hashed: 1 })
})

test('a name that no event has is known, whatever is in its records', () => {
  const mapper = engineOf(
    { fields: { ...PERSONS.fields, Mail: 'email' } },
    'properties: { hash: [Mail, phone, name, distinct_id], rename: { phone: mobile } }',
    KEY,
  )
  expect(mapper.unhashed).toEqual(['Mail', 'phone', 'name'])
  const give = (record: object) => mapWith(mapper, { event: 'E', user: 'u', ...record })
  give({ Mail: 'ana@example.com', name: null, phoned: 'phone' })
  expect(mapper.unhashed).toEqual(['Mail', 'phone', 'name'])
  give({ person: { phone: '4711' } })
  give({ phone: '4711', $set: { name: '' } })
  expect(mapper.unhashed).toEqual(['Mail'])
})

test('a property called as a member that every object of the platform has is hashed as any other', () => {
  const { event } = hashed('properties: { hash: [constructor, toString] }', {
    constructor: 'ana',
    toString: 'bob',
  })
  expect(event.properties).toMatchObject({ constructor: hmac('ana'), toString: hmac('bob') })
})

test('$set of the record itself, in an array and with escapes, is hashed too', () => {
  const record = { $set: { email: 'a"b\u00e9@example.com', n: 1 }, $set_once: { email: ['x@example.com'] } }
  const { event, line } = hashed('properties: { hash: [email] }', record)
  expect(event.properties.$set).toEqual({ email: hmac('a"b\u00e9@example.com'), n: 1 })
  expect(event.properties.$set_once).toEqual({ email: hmac('["x@example.com"]') })
  expect(line).not.toContain('example.com')
})

test('nothing is made of what says nothing', () => {
  const { event } = hashed('properties: { hash: [email] }', { email: '', person: { email: null } })
  expect(event.properties).not.toHaveProperty('email')
  expect(event.properties).not.toHaveProperty('$set')
})

test('the groups that a record states are hashed before they become events', () => {
  const perform: Preset['perform'] = (_, draft) =>
    draft.groupProperties('team', 't1', '{"email":"t@example.com"}')
  const { mapped } = hashed('properties: { hash: [email] }', {}, { ...PERSONS, perform })
  expect(mapped).toMatchObject({ groupStates: [{ key: 't1', json: `{"email":"${hmac('t@example.com')}"}` }] })
})

test('an address that is the distinct_id too is said, unless the ids are hashed', () => {
  const record = { user: 'ana@example.com', email: 'ana@example.com', anon: 'd-1', owner: 'ana@example.com' }
  const clear = hashed('properties: { hash: [email] }', record)
  expect(clear.event.distinct_id).toBe('ana@example.com')
  expect(Object.keys(clear.notes.unusable)).toEqual([
    'properties.hash: the value is also the distinct_id, which is sent as it is; list distinct_id too',
  ])
  const hidden = hashed('properties: { hash: [email, distinct_id] }', record)
  expect(hidden.notes.unusable).toEqual({})
  expect(hidden.line).not.toMatch(/example|d-1/)
  expect(hidden.event.distinct_id).toBe(hmac('ana@example.com'))
  expect(hidden.event.properties).toMatchObject({
    distinct_id: hmac('ana@example.com'),
    $plain_user_id: hmac('ana@example.com'),
    $device_id: hmac('d-1'),
    owner: hmac('ana@example.com'),
  })
  // What the generated $identify is made of.
  expect(hidden.mapped).toMatchObject({
    distinctId: hmac('ana@example.com'),
    link: { anonymous: { text: hmac('d-1') } },
  })
})

test.each([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
])('the id that %s links is hashed as ids are, so that the link holds', (event, name) => {
  const { event: sent } = hashed('properties: { hash: [distinct_id] }', { event, [name]: 'other-id' })
  expect(sent).toMatchObject({ distinct_id: hmac('u'), properties: { [name]: hmac('other-id') } })
})
