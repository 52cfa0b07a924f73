import { expect, test } from 'vitest'
import { eventLine, groupLine, personLine, uuidOf } from '../../src/library/client-events.ts'

const event = { distinctId: 'u1', event: 'bought', timestamp: '2023-05-01T12:00:00.000001+02:00' }
const uuid = '0187d5f0-0000-4000-8000-000000000001'

const parsed = (line: Buffer) => JSON.parse(line.toString()) as Record<string, unknown>

test('is one line in the form of the service, with the values as they are', () => {
  const line = eventLine({ ...event, uuid: uuid.toUpperCase(), properties: { n: 9007199254740993n } })
  expect(line.toString()).toBe(
    `{"uuid":"${uuid}","event":"bought","distinct_id":"u1","timestamp":"${event.timestamp}",` +
      '"properties":{"n":9007199254740993}}\n',
  )
})

test('two equal events are two, unless they have one uuid', () => {
  expect(parsed(eventLine(event)).uuid).not.toBe(parsed(eventLine(event)).uuid)
  expect(uuidOf('orders', 7)).toBe(uuidOf('orders', 7n))
  expect(uuidOf('orders', 7)).not.toBe(uuidOf('orders7'))
})

test.each([undefined, null, Number.NaN, {}, 2 ** 53])('makes no uuid of a part that is %s', (part) => {
  const row: { id?: unknown } = { id: part }
  expect(() => uuidOf('orders', row.id as string)).toThrow(expect.objectContaining({ code: 'input' }))
})

test('a group and a person become the events that the service acts on', () => {
  const timestamp = new Date(Date.UTC(2023, 0, 1))
  expect(
    parsed(groupLine({ type: 'company', key: 'acme', properties: { seats: 3 }, timestamp, uuid })),
  ).toEqual({
    uuid,
    event: '$groupidentify',
    distinct_id: '$company_acme',
    timestamp: '2023-01-01T00:00:00.000Z',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: { seats: 3 } },
  })
  const person = { distinctId: 'u1', set: { plan: 'pro' }, setOnce: { from: 'ad' }, timestamp, uuid }
  expect(parsed(personLine({ ...person, anonymousId: 'a1' }))).toMatchObject({
    event: '$identify',
    properties: { $anon_distinct_id: 'a1', $set: { plan: 'pro' }, $set_once: { from: 'ad' } },
  })
  expect(parsed(personLine(person))).toMatchObject({ event: '$set', distinct_id: 'u1' })
})

test('members that a person or a group does not have are refused: they would be lost', () => {
  const other: object = { properties: { plan: 'pro' }, groupType: 'company' }
  expect(() => personLine({ distinctId: 'u1', ...other })).toThrow('the person has "properties"')
  expect(() => groupLine({ type: 'company', key: 'acme', ...other })).toThrow('the group has "groupType"')
})

test.each<[string, object, RegExp]>([
  ['no name', { event: '' }, /^event is blank/],
  ['a name that is no text', { event: 7 }, /^event is no text/],
  ['no distinct id', { distinctId: undefined }, /^distinctId is missing/],
  ['no time', { timestamp: undefined }, /^timestamp is missing/],
  ['a number for a time', { timestamp: 1_682_942_400_000 }, /^timestamp is neither a Date nor text/],
  ['a time without its zone', { timestamp: '2023-05-01T12:00:00' }, /expected a time with its zone/],
  ['a day', { timestamp: '2023-05-01' }, /expected a time with its zone/],
  ['a time that is none', { timestamp: '2023-02-30T12:00:00Z' }, /^timestamp: /],
  ['an invalid date', { timestamp: new Date('x') }, /^timestamp is an invalid date/],
  ['a date after the year 9999', { timestamp: new Date(Date.UTC(10_000, 0)) }, /^timestamp: not a time/],
  ['a date before the year 0', { timestamp: new Date('-000001-01-01') }, /^timestamp: not a time/],
  ['a uuid that is none', { uuid: '7' }, /^uuid is no UUID/],
  ["posthog-node's groups", { groups: { company: 'acme' } }, /^the event has "groups", which is no member/],
  ['properties that are a list', { properties: [1] }, /^properties: expected an object/],
  ['properties that turn into text', { properties: new Date() }, /^properties: expected an object/],
  ['more than a line holds', { properties: { a: 'x'.repeat(17 << 20) } }, /no line may have over/],
])('refuses %s', (_, wrong, message) => {
  // A program in plain JavaScript can give anything.
  const given = Object.assign({ ...event }, wrong)
  expect(() => eventLine(given)).toThrow(
    expect.objectContaining({ code: 'input', message: expect.stringMatching(message) }),
  )
})
