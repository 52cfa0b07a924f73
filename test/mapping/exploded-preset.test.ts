import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { explodedPreset } from '../../src/mapping/explode.ts'
import { IdleRules } from '../../src/mapping/idle-rules.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { mapFixture, readFixtures } from '../../src/mapping-tests/fixture-kit.ts'
import { loadPreset, PRESET_NAMES } from '../../src/presets/index.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)
const PRESETS = new Map(
  await Promise.all(PRESET_NAMES.map(async (name) => [name, await loadPreset(name)] as const)),
)
const cuts = (name: string) => {
  const { explode, reshape, sideTables } = PRESETS.get(name)!
  return explode !== undefined || reshape !== undefined || sideTables !== undefined
}
// A uuid that is made of the record's content is another one; properties come in another order.
const plain = (line: string) => {
  const { uuid: _, ...event } = JSON.parse(line) as Record<string, unknown>
  return event
}

describe.each(PRESET_NAMES.filter((name) => !cuts(name)))('%s', (name) => {
  const preset = PRESETS.get(name)!
  const fixtures = readFixtures(fileURLToPath(new URL(name, FIXTURES))).filter(({ name, options }) => {
    // Paths of a mapping file are of the record, list and all.
    const { fields, groups } = (options?.mapping ?? {}) as { fields?: object; groups?: object }
    return name.startsWith('valid') && !fields && !groups
  })

  test.each(fixtures.map((one) => [one.name, one] as const))('%s: the same out of a list', (_, one) => {
    const records = [one.input].flat()
    const alone = mapFixture(preset, records, one.options)
    const listed = `{"inner.list":[${records.join(',')}]}`
    const { lines, rejects } = mapFixture(explodedPreset(preset, 'inner.list'), [listed], one.options)
    expect({ lines: lines.map(plain), rejects }).toEqual({
      lines: alone.lines.map(plain),
      rejects: alone.rejects,
    })
  })
})

test('members beside the list are of the envelope: none of an event, and counted as left out', () => {
  const body = JSON.stringify({
    api_key: 'phc_abc',
    sent: { at: 1 },
    properties: { of: 'whole' },
    user: 'u1',
    batch: [{ event: 'a', timestamp: '2024-01-01T00:00:00Z' }],
  })
  const mapping = { explode: 'batch', fields: { distinct_id: 'user' } }
  const { lines } = mapFixture(explodedPreset(PRESETS.get('events')!, 'batch'), [body], { mapping })
  const [{ distinct_id, properties }] = lines.map((line) => JSON.parse(line)) as [
    { distinct_id: string; properties: object },
  ]
  expect(distinct_id).toBe('u1')
  expect(Object.keys(properties).filter((name) => !/^[$]|^analytics/.test(name))).toEqual(['distinct_id'])
})

test('rows are named by the columns beside them, and lead into objects as PostHog calls its columns', () => {
  const answer = JSON.stringify({
    columns: ['uuid', 'event', 'distinct_id', 'timestamp', 'properties.$browser', 'properties.$set.plan'],
    results: [
      ['018dfa00-0000-7000-8000-00000c000081', 'a', 'u1', '2024-01-01T00:00:00Z', 'Chrome', 'pro'],
      ['short'],
    ],
    types: [['uuid', 'UUID']],
  })
  const preset = explodedPreset(PRESETS.get('posthog')!, 'results')
  const { lines, rejects } = mapFixture(preset, [answer])
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      uuid: '018dfa00-0000-7000-8000-00000c000081',
      event: 'a',
      properties: { $browser: 'Chrome', $set: { plan: 'pro' } },
    },
  ])
  expect(rejects).toMatchObject([{ reason: 'child_not_an_object', child: 2 }])
  const whole = { uuid: '018dfa00-0000-7000-8000-00000c000081', event: 'b', distinct_id: 'u2' }
  const star = JSON.stringify({
    meta: [{ name: '*' }, { name: 'timestamp' }],
    results: [[{ ...whole, timestamp: '2024-01-01T00:00:00Z', properties: '{"n":1.0}' }, 'shown']],
  })
  const [line = ''] = mapFixture(preset, [star]).lines
  expect(JSON.parse(line)).toMatchObject({ ...whole, timestamp: '2024-01-01T00:00:00.000000Z' })
  expect(line).toContain('"n":1.0')
})

test('what an element and its record both have is told apart, and the element comes first', () => {
  const preset = explodedPreset(PRESETS.get('events')!, 'events', ['id'])
  const listed = JSON.stringify({
    id: 7,
    uuid: '018dfa00-0000-7000-8000-00000c000081',
    user: 'u1',
    events: [1, 2].map((id) => ({ event: 'a', id, timestamp: '2024-01-01T00:00:00Z' })),
  })
  const mapping = { explode: 'events', fields: { distinct_id: 'user' } }
  const { lines } = mapFixture(preset, [listed], { mapping })
  const made = lines.map((line) => JSON.parse(line) as { uuid: string; properties: object })
  expect(made).toMatchObject([
    { event: 'a', distinct_id: 'u1', properties: { id: 1, $events_id: 7 } },
    { event: 'a', distinct_id: 'u1', properties: { id: 2, $events_id: 7 } },
  ])
  expect(new Set(made.map(({ uuid }) => uuid)).size).toBe(2)
  expect(lines.join()).not.toContain('(child)')
})

test.each(PRESET_NAMES.filter(cuts))('%s cuts or joins its records by itself', (name) => {
  expect(() => explodedPreset(PRESETS.get(name)!, 'list')).toThrow(/explode: list can't be: the preset/)
})

test('an id that all elements of a record share is refused as their uuid', () => {
  const parsed = (uuid: string) => parseMapping(`explode: items\nfields: { uuid: ${uuid} }`, 'm').mapping
  expect(() => parsed('[items.id, order]')).toThrow(/order is beside the list items/)
  expect(parsed('items.id').fields.uuid).toEqual(['items.id'])
})

test('a list that no record has is a rule that nothing matched', () => {
  const rules = new IdleRules(parseMapping('explode: items', 'm').mapping)
  rules.see(Buffer.from('{"a":1}'), 0, 7)
  expect(rules.idle).toEqual(['explode "items"'])
  rules.see(Buffer.from('{"items":1}'), 0, 11)
  expect(rules.idle).toEqual([])
})

test('a list inside of an object is refused, with the way to name one with a dot', () => {
  expect(() => parseMapping('explode: data.events', 'm')).toThrow(/not at the top of the record/)
  expect(parseMapping(`explode: '"data.events"'`, 'm').mapping.explode).toBe('data.events')
  expect(parseMapping('preset: events', 'm').mapping).not.toHaveProperty('explode')
  expect(() => parseMapping('explode_with: [a]', 'm')).toThrow(/there is no explode/)
})
