import { expect, test } from 'vitest'
import { mapFixture } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset } from '../../src/presets/index.ts'

const EVENT = { event: 'a', timestamp: '2024-03-01T12:00:00Z' }

async function mapped(record: object, mapping: object) {
  const { lines, rejects } = mapFixture(await loadPreset('events'), [JSON.stringify(record)], { mapping })
  expect(rejects).toEqual([])
  return JSON.parse(lines[0]!) as { readonly distinct_id: string; readonly properties: object }
}

test('a name that ends in * is that one name: forms mark what they ask for so', async () => {
  const mapping = { fields: { distinct_id: 'Email*' }, groups: { company: 'at.Company*' } }
  const record = {
    ...EVENT,
    'Email*': 'a@example.com',
    'Email opt-in': 'yes',
    at: { 'Company*': 'c1', 'Company size': '7' },
  }
  const { distinct_id, properties } = await mapped(record, mapping)
  expect(distinct_id).toBe('a@example.com')
  expect(properties).toMatchObject({ 'Email opt-in': 'yes', $groups: { company: 'c1' } })
})

test('an id that is kept under a name of its own keeps that, though the mapping file makes the distinct_id of it', async () => {
  const mapping = { properties: { rename: { other: 'distinct_id', $events_distinct_id: 'distinct_id' } } }
  const { properties } = await mapped({ ...EVENT, distinct_id: 'u1', other: 'u2' }, mapping)
  expect(properties).toMatchObject({ distinct_id: 'u1', $events_distinct_id: 'u2' })
})

// What the tables of presets write for a slot, a member's own name, and a property of the person.
const NOTATION = ['@version', 'Email*', 'a*b', 'set:foo', 'once:foo', '@', '*', 'set:']

test.each(NOTATION)('a member named %s is renamed, dropped, kept and grouped as any other', async (name) => {
  const record = { ...EVENT, distinct_id: 'u1', [name]: 'v', other: 1 }
  const propertiesBy = async (mapping: object) => {
    const { properties } = await mapped(record, mapping)
    const of = Object.entries(properties).filter(
      ([key]) => !/^(\$(?!groups|set)|distinct_id|analytics_source)/.test(key),
    )
    return Object.fromEntries(of)
  }
  expect(await propertiesBy({ properties: { rename: { [name]: 'x' } } })).toEqual({ x: 'v', other: 1 })
  expect(await propertiesBy({ properties: { drop: [name] } })).toEqual({ other: 1 })
  const kept = { [name]: 'v', other: 1 }
  const groups = await propertiesBy({ groups: { company: name } })
  expect(groups).toEqual({ ...kept, $groups: { company: 'v' } })
  expect(await propertiesBy({ filter: { where: { [name]: ['v'] } } })).toEqual(kept)
})

test.each(['set_once', 'drop'] as const)(
  '$unset of history is left out where persons are %s',
  async (person_properties) => {
    const record = { ...EVENT, distinct_id: 'u1', $unset: ['plan'], other: 1 }
    expect((await mapped(record, { person_properties })).properties).not.toHaveProperty('$unset')
    expect((await mapped(record, {})).properties).toMatchObject({ $unset: ['plan'], other: 1 })
  },
)
