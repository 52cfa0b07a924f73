import { describe, expect, test } from 'vitest'
import type { Mapper } from '../../src/mapping/mapper.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { events } from '../../src/presets/events.ts'
import { DistinctCount } from '../../src/record/distinct-count.ts'
import { InventorySum } from '../../src/record/inventory.ts'
import { engineOf, mapWith } from '../transform/plain.ts'

const BASE = { event: '@event', user: '@user' }

/** The fates of the members of some records, without those that every record has. */
function fatesOf(mapper: Mapper, ...records: ReadonlyArray<object | string>) {
  for (const record of records) {
    mapWith(mapper, typeof record === 'string' ? record : { event: 'E', user: 'u', ...record })
  }
  const { event: _, user: __, ...members } = mapper.takeInventory().members
  return members
}

function withFields(fields: Preset['fields'], mapping = {}, more: Partial<Preset> = {}) {
  return engineOf({ fields: { ...BASE, ...fields }, ...more }, mapping)
}

describe('the fate of a member', () => {
  test('is every place that the table sends it to', () => {
    const mapper = withFields({ a: 'x', b: ['b', 'set:b'], c: 'once:$initial_c', d: [], '*': '*' })
    expect(fatesOf(mapper, { a: 1, b: 2, c: 3, d: 4, e: 5 }, { a: null, b: '(none)', e: 6 })).toEqual({
      a: { 'renamed: x': 1, 'left out: empty': 1 },
      b: { kept: 1, 'person: $set.b': 1, 'left out: empty': 1 },
      c: { 'person: $set_once.$initial_c': 1 },
      d: { 'left out: preset': 1 },
      e: { kept: 2 },
    })
  })

  test('follows it into objects that are opened, and stays with one that goes as a whole', () => {
    const mapper = withFields({ 'o.a': 'x', 'o.*': 'o_*', '*': '*' })
    expect(fatesOf(mapper, { o: { a: 1, b: { c: 2 } }, p: { q: 3 } }, { o: 'text' })).toEqual({
      o: { opened: 1, kept: 1 },
      'o.a': { 'renamed: x': 1 },
      'o.b': { 'renamed: o_b': 1 },
      p: { kept: 1 },
    })
  })

  test('is no use where filter.where alone reads it', () => {
    const mapper = withFields({ kind: [], '*': '*' }, 'filter: { where: { kind: shop, plan: pro } }')
    expect(fatesOf(mapper, { kind: 'shop', plan: 'pro' })).toEqual({
      kind: { 'left out: preset': 1 },
      plan: { kept: 1 },
    })
  })

  test('is use only in the records in which a function used it', () => {
    const mapper = withFields({ anon: '@anon', spare: '@spare', '*': '*' })
    expect(fatesOf(mapper, { anon: 'a', spare: 's' }, { anon: '' })).toEqual({
      anon: { 'used: anonymous_id': 1, 'left out: empty': 1 },
      spare: { 'left out: preset': 1 },
    })
  })

  test('counts a record once, however often one thing is made from a member', () => {
    const mapper = engineOf(events)
    const record = { event: 'E', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z' }
    expect(fatesOf(mapper, record, record).distinct_id).toEqual({ 'used: distinct_id': 2 })
  })

  test('of two values for one property is told apart', () => {
    const mapper = withFields({ first: 'x', second: 'x', '*': '*' })
    expect(fatesOf(mapper, { second: 2, first: 1, x: 3 }, { second: 2 })).toEqual({
      first: { 'renamed: x': 1 },
      second: { 'left out: outranked': 1, 'renamed: x': 1 },
      x: { 'renamed: $plain_x': 1 },
    })
  })

  test('of a name that an object has twice is that the first was replaced', () => {
    const twice = '{"event":"E","user":"u","a":1,"a":2,"o":{"x":1},"o":{"x":2}}'
    expect(fatesOf(withFields({ 'o.x': 'x', '*': '*' }), twice)).toEqual({
      a: { kept: 1, 'left out: duplicate': 1 },
      o: { opened: 1, 'left out: duplicate': 1 },
      'o.x': { kept: 1 },
    })
  })

  test('names the rule of the mapping file that left it out', () => {
    const properties = { rename: { old: 'new' }, drop: ['gone'], set: { fixed: '"ours"' } }
    const mapper = withFields({ p: 'set:p', '*': '*' }, { properties, personProperties: 'drop' })
    expect(fatesOf(mapper, { old: 1, gone: 2, fixed: 3, p: 4 })).toEqual({
      old: { 'renamed: new': 1 },
      gone: { 'left out: properties.drop': 1 },
      fixed: { 'left out: properties.set': 1 },
      p: { 'left out: person_properties': 1 },
    })
  })

  test('is what a function did with an object that it took whole', () => {
    const mapper = withFields(
      { t: '@t', 't.*': [], '*': '*' },
      {},
      {
        perform(record, draft) {
          if (record.text('event') === 'E')
            for (const [name, json] of record.entries('t')) draft.set(name, json)
          if (record.text('event') === 'G') draft.copy('whole', 't')
        },
      },
    )
    const records = ['E', 'G', 'H'].map((event) => ({ event, t: { a: 1, b: null } }))
    expect(fatesOf(mapper, ...records)).toMatchObject({
      't.a': { 'person: $set': 1, 'left out: preset': 1 },
      't.b': { 'left out: empty': 3 },
    })
  })
})

test('members of records that are rejected or filtered are not counted', () => {
  const mapper = withFields({ '*': '*' }, { events: { rename: {}, drop: ['Gone'] } })
  expect(fatesOf(mapper, { user: '', a: 1 }, { event: 'Gone', a: 1 }, 'no JSON')).toEqual({})
  expect(fatesOf(mapper, { a: 1 })).toEqual({ a: { kept: 1 } })
})

test('counts are exact when names are more than are remembered, and the same in any division', () => {
  const records = Array.from({ length: 16_500 }, (_, at) => ({
    [`id_${at % 11_000}`]: 1,
    plan: 'a',
    [['red', 'green', 'blue'][at % 3]!]: 1,
  }))
  const take = (from: number, to: number) => {
    const mapper = withFields({ '*': '*' })
    for (const record of records.slice(from, to)) mapWith(mapper, { event: 'E', user: `u${from}`, ...record })
    return mapper.takeInventory()
  }
  const whole = new InventorySum()
  whole.add(take(0, 16_500))
  const halves = new InventorySum()
  halves.add(take(9_000, 16_500))
  halves.add(take(0, 9_000))
  const [one, two] = [whole.take(), halves.take()]
  expect(one.members.plan).toEqual({ kept: 16_500 })
  expect(one.members.green).toEqual({ kept: 5_500 })
  expect(Object.keys(one.members)).toHaveLength(10_000)
  const counted = Object.values(one.members).reduce((sum, fates) => sum + (fates.kept ?? 0), 0)
  // Each record has its id, plan and another; event and user are used.
  expect(counted + one.other_members.kept!).toBe(49_500)
  expect({ ...two, distinct_ids: '' }).toEqual({ ...one, distinct_ids: '' })
  expect(one.other_properties + Object.values(one.properties).reduce((a, b) => a + b)).toBe(
    49_500 + 16_500 * 5,
  )
})

test('what the events hold: properties with a value, group types with their oldest, distinct ids', () => {
  const mapper = engineOf({
    fields: { ...BASE, time: '@time', '*': '*' },
    empty: undefined,
    timestamp: (record) => Number(record.text('time')),
  })
  const second = Date.UTC(2024, 0, 1) * 1000
  const records = [
    { time: second + 2e6, a: 1, b: null, $groups: { company: 'x', team: 'y' } },
    { time: second, a: '', $groups: { company: 'z' } },
    { time: second + 1e6, event: '$groupidentify', $group_type: 'team', $group_key: 'y' },
    { time: second - 1e6, $process_person_profile: false, $groups: { company: 'z', club: 'a' } },
  ]
  for (const record of records) mapWith(mapper, { event: 'E', user: `u${record.time}`, ...record })
  const { properties, group_types, groups, distinct_ids } = mapper.takeInventory()
  expect(properties).toMatchObject({ a: 1, $groups: 3, distinct_id: 4, $lib: 4 })
  expect(properties).not.toHaveProperty('b')
  expect(group_types).toEqual({
    company: { events: 3, oldest: second - 1e6 },
    team: { events: 2, oldest: second + 1e6 },
    club: { events: 1, oldest: second - 1e6 },
  })
  // The service takes no notice of groups on events without person processing.
  expect(groups).toEqual({
    company: { events: 2, oldest: second },
    team: { events: 1, oldest: second + 1e6 },
  })
  const ids = new DistinctCount()
  ids.addText(distinct_ids)
  expect(ids.estimate).toBe(4)
})
