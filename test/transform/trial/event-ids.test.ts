import { expect, test } from 'vitest'
import { headId, newHead, readHead } from '../../../src/record/head.ts'
import { groupSender } from '../../../src/record/rules.ts'
import { identifyUuid } from '../../../src/transform/generate.ts'
import { EventStock, linkedBy } from '../../../src/transform/trial/event-ids.ts'
import { eventLine, makeEvent, type TestEvent } from '../../helpers/events.ts'

const UUID = '0190b5c0-0000-7000-8000-000000000000'

function lineOf(event: string, id: string, properties: string): Buffer {
  return Buffer.from(
    `{"uuid":"${UUID}","timestamp":"2024-03-01T00:00:00.000000Z","event":${event},"distinct_id":${id},"properties":{"distinct_id":${id}${properties}}}`,
  )
}

function linksOf(event: string, id: string, properties: string) {
  const line = lineOf(event, id, properties)
  return linkedBy(line, readHead(line, 0, line.length, newHead())!)
}

test.each([
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"a1"', 'a1'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"\\u0061 1"', 'a 1'],
  ['"\\u0024identify"', '"u1"', ',"$anon_distinct_id":" a1 "', 'a1'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":12345678901234567890', '12345678901234567890'],
  ['"$create_alias"', '"u1"', ',"alias":"u2"', 'u2'],
  ['"$merge_dangerously"', '"u1"', ',"x":{"alias":"no"},"alias":"u2"', 'u2'],
])('%s of %s with %s links %s', (event, id, properties, linked) => {
  expect(linksOf(event, id, properties)).toEqual({ id: linked })
})

test.each([
  ['"$identify"', '"u1"', ''],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":null'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"u1"'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"anonymous"'],
  ['"$identify"', '"null"', ',"$anon_distinct_id":"a1"'],
  ['"$pageview"', '"u1"', ',"$anon_distinct_id":"a1","alias":"a2"'],
  ['"buy"', '"u1"', ',"alias":"a2"'],
  ['"$groupidentify"', '"u1"', ',"$group_type":"company"'],
])('%s of %s with %s links nobody', (event, id, properties) => {
  const { id: linked, group } = linksOf(event, id, properties)
  expect([linked, group]).toEqual([undefined, undefined])
})

test('a change of a group names it, whoever sends it', () => {
  const acme = { group: { type: 'company', key: 'acme' } }
  const properties = ',"$group_type":"company","$group_key":"acme","$group_set":{}'
  expect(linksOf('"$groupidentify"', '"u1"', properties)).toEqual(acme)
  expect(linksOf('"$groupidentify"', '"u2"', properties)).toEqual(acme)
  expect(linksOf('"$group_identify"', '"u1"', properties)).toEqual({})
})

test('the sender is the same however it is spelled', () => {
  for (const id of ['"é"', '"\\u00e9"']) {
    const line = lineOf('"buy"', id, '')
    expect(headId(line, readHead(line, 0, line.length)!)).toBe('é')
  }
})

const GROUP_EVENT = '$groupidentify'

function stockOf(...events: readonly Partial<TestEvent>[]) {
  const stock = new EventStock()
  for (const [n, event] of events.entries()) {
    const line = Buffer.from(eventLine({ ...makeEvent(n), ...event }))
    stock.add(line, readHead(line, 0, line.length, newHead())!)
  }
  return { generated: stock.generated, ...stock.take() }
}

test('properties with a value are counted, ids once each', () => {
  const { properties, distinct_ids } = stockOf(
    { distinct_id: 'a', properties: { plan: 'x', none: null, blank: '', zero: 0, no: false, 'q"\\': [] } },
    { distinct_id: 'a', properties: { plan: 'y' } },
    { distinct_id: 'b\u0001é', properties: {} },
  )
  expect(properties).toEqual({ distinct_id: 3, plan: 2, zero: 1, no: 1, 'q"\\': 1 })
  const same = stockOf({ distinct_id: 'a' }, { distinct_id: 'b\u0001é' })
  expect(distinct_ids).toBe(same.distinct_ids)
})

test('a group type is as old as its oldest event, and events without persons show no group', () => {
  const [first, later] = ['2024-01-01T00:00:01.000000Z', '2024-01-01T00:00:02.000000Z']
  const { group_types, groups } = stockOf(
    { timestamp: later, properties: { $groups: { company: 'c1' } } },
    {
      timestamp: first,
      properties: { $groups: { company: 'c2', team: 't' }, $process_person_profile: false },
    },
    { timestamp: later, event: '$groupidentify', properties: { $group_type: 'team', $group_key: 't' } },
    { timestamp: first, properties: { $groups: ['no groups'] } },
  )
  expect(Object.entries(group_types).map(([type, { events }]) => [type, events])).toEqual([
    ['company', 2],
    ['team', 2],
  ])
  expect(Object.entries(groups).map(([type, { events }]) => [type, events])).toEqual([
    ['company', 1],
    ['team', 0],
  ])
  expect(groups.company!.oldest).toBeGreaterThan(group_types.company!.oldest)
  expect(groups.team!.oldest).toBe(groups.company!.oldest)
})

test('links and group changes that a transform made are told from those of the source', () => {
  const properties = { $anon_distinct_id: 'a "1"' }
  const link = { event: '$identify', distinct_id: 'u1', properties, uuid: identifyUuid('u1', 'a "1"') }
  expect(stockOf(link).generated).toBe(1)
  expect(stockOf({ ...link, uuid: makeEvent(7).uuid }).generated).toBe(0)
  expect(stockOf({ ...link, properties: { $anon_distinct_id: 5 } }).generated).toBe(0)

  const change = {
    event: GROUP_EVENT,
    distinct_id: groupSender('company', 'acme'),
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: {} },
  }
  expect(stockOf(change, change).generated).toBe(2)
  expect(stockOf({ ...change, distinct_id: 'u1' }).generated).toBe(0)
  expect(stockOf({ ...change, event: 'bought' }).generated).toBe(0)
})
