import { describe, expect, test } from 'vitest'
import { amplitude } from '../../src/presets/amplitude.ts'
import { ga4 } from '../../src/presets/ga4.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { segment } from '../../src/presets/segment.ts'
import { makeEngine } from '../presets/map-one.ts'
import { engineOf, mapWith } from '../transform/plain.ts'

/** The groups of the event, and what was counted, of one record by a mapping file. */
function grouped(mapping: string, record: object) {
  const engine = engineOf({}, mapping)
  const { line } = mapWith(engine, { event: 'E', user: 'u', ...record })
  return { groups: JSON.parse(line).properties.$groups, unusable: { ...engine.takeNotes().unusable } }
}

describe('the key of a group', () => {
  const mapping = 'groups: { company: org }'
  const told = (what: string) => ({ [`groups.company: org ${what}`]: 1 })
  const none = { 'preset plain: a key of a group of type company is a word for none': 1 }
  test.each<[about: string, org: unknown, key: string | undefined, unusable: object]>([
    ['is text', 'acme', 'acme', {}],
    ['is a number, as its digits', 42, '42', {}],
    ['is the element of an array', ['acme'], 'acme', {}],
    ['is a number in an array', [42], '42', {}],
    ['is the element of an array as text', '["acme"]', 'acme', {}],
    ['is the first of several', ['a', 'b'], 'a', told('is an array of several, of which the first is used')],
    ['is the first that says something', [null, '', 'b'], 'b', {}],
    ['is not there in an empty array', [], undefined, {}],
    ['is not there in null', null, undefined, {}],
    ['may be 0', 0, '0', {}],
    ['is no word of a report', '(not set)', undefined, none],
    ['is no dash', '-', undefined, none],
    ['is no null word', '"null"', undefined, none],
    ['is no object', { id: 1 }, undefined, told('is an object')],
    ['is no object in an array', [{ id: 1 }], undefined, told('is an array of containers')],
  ])('%s', (_, org, key, unusable) => {
    expect(grouped(mapping, { org })).toEqual({
      groups: key === undefined ? undefined : { company: key },
      unusable,
    })
  })

  test('joins the groups that the record names itself, which win', () => {
    const both = 'groups: { company: org, team: crew }'
    const $groups = { company: 'own', plan: 'p1' }
    expect(grouped(both, { org: 'acme', crew: ['t1'], $groups }).groups).toEqual({ ...$groups, team: 't1' })
    const same = { org: 'own', $groups: { company: 'own' } }
    expect(grouped('groups: { company: org }', same).unusable).toEqual({})
    expect(grouped('groups: { company: org }', { ...same, org: 'acme' }).unusable).toEqual({
      'preset plain: $groups of the record names another group of type company': 1,
    })
  })

  test('is looked for in objects only', () => {
    const { unusable } = grouped('groups: { company: org.id }', { org: ['acme'] })
    expect(unusable).toEqual({ 'groups.company: org is an array': 1 })
  })
})

test('a field of a mapping file that is an object or an array is counted, and the next path is asked', () => {
  const engine = engineOf({}, 'fields: { distinct_id: [ids, mail], event: name, uuid: key }')
  const { line } = mapWith(engine, { event: 'E', user: 'u', ids: ['a'], mail: 'm', name: {}, key: [1] })
  expect(JSON.parse(line)).toMatchObject({ event: 'E', distinct_id: 'm' })
  expect({ ...engine.takeNotes().unusable }).toEqual({
    'fields.distinct_id: ids is an array': 1,
    'fields.event: name is an object': 1,
    'fields.uuid: key is an array': 1,
  })
})

describe('what a preset can’t use', () => {
  const time = '2024-03-01T12:00:00Z'
  test.each([
    [
      mixpanel,
      { event: 'E', properties: { time, distinct_id: ['u'], $user_id: 'u' } },
      { 'preset mixpanel: properties.distinct_id is an array': 1 },
    ],
    [mixpanel, { event: 'E', properties: 'torn {' }, { 'preset mixpanel: properties is text': 1 }],
    [
      amplitude,
      {
        event_type: 'E',
        event_time: time,
        user_id: 'u',
        groups: { org: ['a', 'b', {}] },
        group_properties: { org: 'gold', team: null },
        user_properties: 7,
      },
      {
        'preset amplitude: groups.org is an array of several, of which the first is joined': 1,
        'preset amplitude: groups.org holds an object or array for a key': 1,
        'preset amplitude: group_properties.org is no object by keys': 1,
        'preset amplitude: user_properties is a number': 1,
      },
    ],
    [
      segment,
      { type: 'group', userId: 'u', groupId: ['g', 'h'], traits: ['t'], timestamp: time, context: [] },
      {
        'preset segment: groupId is an array of several, of which the first is used': 1,
        'preset segment: traits is an array': 1,
      },
    ],
    [
      ga4,
      {
        event_name: 'E',
        event_timestamp: '1709296496789123',
        user_id: 'u',
        event_params: { page: 1 },
        user_properties: [
          { key: 'plan', value: 'pro' },
          { key: 'none', value: null },
        ],
        device: 'a phone',
      },
      {
        'preset ga4: event_params is an object': 1,
        'preset ga4: user_properties has an element without a key or a value': 1,
        'preset ga4: device is text': 1,
      },
    ],
  ])('%#: is counted, and named by its path', (preset, record, unusable) => {
    const engine = makeEngine(preset)
    const line = Buffer.from(JSON.stringify(record))
    engine.map(line, 0, line.length)
    expect({ ...engine.takeNotes().unusable }).toEqual(unusable)
  })

  test('GA4’s parameters in another form stay a property, and tell two rows apart', () => {
    const lines = [1, 2].map((page) => {
      const engine = makeEngine(ga4)
      const record = {
        event_name: 'E',
        event_timestamp: '1709296496789123',
        user_id: 'u',
        event_params: { page },
      }
      return JSON.parse(mapWith(engine, record).line)
    })
    expect(lines.map(({ properties }) => properties.event_params)).toEqual([{ page: 1 }, { page: 2 }])
    expect(lines[0].uuid).not.toBe(lines[1].uuid)
  })
})
