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
