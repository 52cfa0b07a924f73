import { expect, test } from 'vitest'
import { compareEvent } from '../../../src/checks/changes.ts'
import { clean } from '../../../src/sandbox/pipeline/clean.ts'
import { MIXED_LISTS } from '../../helpers/mixed-lists.ts'
import { STORED_LISTS } from '../../helpers/stored-lists.ts'

const lists = (depth: number): unknown => (depth === 0 ? 1 : [lists(depth - 1)])
const objects = (depth: number): unknown => (depth === 0 ? 1 : { a: objects(depth - 1) })

test('leaves ordinary properties as they are, nulls included, and says where these were', () => {
  const given = { plan: 'pro', seats: 3, 'a.b': null, cart: { items: [{ note: null }, null], 'x.y': null } }
  expect(clean(given)).toEqual({
    properties: given,
    lasting: undefined,
    nulls: ['a%2Eb', 'cart.items.0.note', 'cart.x%2Ey'],
  })
})

test.each(['__proto__', 'constructor'])('a property or a flag called %s is one like any other', (name) => {
  const values = `"${name}":5,"deep":{"${name}":{"a":1}},"$set":{"${name}":1}`
  const given = JSON.parse(`{${values},"$feature/${name}":true,"$feature_flags":{"b":false}}`)
  const flags = JSON.parse(`{"${name}":true,"b":false}`)
  const active = `"$active_feature_flags":["${name}"]`
  const flagged = Object.keys(flags)
    .sort()
    .map((flag) => `"$feature/${flag}":${flags[flag]}`)
  const { properties, lasting } = clean(given)
  expect(JSON.stringify(properties)).toBe(`{${[values, ...flagged, active]}}`)
  expect(JSON.stringify(lasting)).toContain(`{"${name}":5,`)
})

test('keeps temporary properties apart, by their whole name at the top', () => {
  const temporary = { $set: { a: 1 }, $sent_at: 'x', $sdk_debug_any: true }
  const { properties, lasting } = clean({ ...temporary, kept: 1, deep: { $set: 2 } })
  expect(properties).toEqual({ ...temporary, kept: 1, deep: { $set: 2 } })
  expect(lasting).toEqual({ kept: 1, deep: { $set: 2 } })
})

test('drops names that it has no use for', () => {
  const given = { $ai_input: 'x', $surveys_activated: ['a'], $feature_flag_payload: 1, $ai_model: 'm' }
  expect(clean(given).properties).toEqual({ $ai_model: 'm' })
})

test('gives flags back by name, values as texts but for booleans, and lists those that are on', () => {
  const given = { '$feature/b': 'control', '$feature/a': false, '$feature/n': null, '$feature/k': 3 }
  const { properties, nulls } = clean({ ...given, $active_feature_flags: ['other'] })
  expect(properties).toEqual({ ...given, '$feature/k': '3', $active_feature_flags: ['b', 'k'] })
  expect(nulls).toEqual(['$feature_flags.n'])
  expect(Object.keys(properties)).toEqual(
    ['a', 'b', 'k', 'n'].map((flag) => `$feature/${flag}`).concat('$active_feature_flags'),
  )
})

test('a flag of the text true is told from one that is true, and gives up its mark', () => {
  const flags = { '$feature/a': 'true', '$feature/b': true, '$feature/c': '$false', '$feature/d': '$trues' }
  expect(clean(flags).properties).toMatchObject({ ...flags, '$feature/c': 'false' })
})

test.each([
  [
    { $browser_version: 120, $os: true, $lib: '' },
    { $browser_version: '120', $os: 'true' },
  ],
  [
    { $geoip_city_name: 'Berlin', note: '' },
    { $geoip_city_name: 'Berlin', note: '' },
  ],
  [{ $exception_types: ['a', 1], $exception_values: [] }, { $exception_types: ['a', '1'] }],
  [
    { long: 2 ** 64, least: -(2 ** 63), most: 2 ** 63, deep: [2 ** 65], huge: 1e22 },
    {
      long: '18446744073709552000',
      least: -(2 ** 63),
      most: 2 ** 63,
      deep: ['36893488147419103000'],
      huge: 1e22,
    },
  ],
])('writes %j as its columns give it back', (given, expected) => {
  expect(clean(given).properties).toEqual(expected)
})

test.each([
  ['eight lists in each other', { a: lists(8) }, true],
  ['nine lists in each other', { a: lists(9), b: 1 }, false],
  ['nine lists with objects between them', { a: [{ b: lists(8) }] }, false],
  ['300 levels', objects(300) as Record<string, unknown>, true],
  ['301 levels', objects(301) as Record<string, unknown>, false],
])('%s', (_, given, isReadable) => {
  const expected = isReadable ? given : { $unparseable_properties: JSON.stringify(given) }
  expect(clean(given).properties).toEqual(expected)
})

// As ClickHouse 26.7 gives them back; test/ci/clickhouse.test.ts asks a current one.
test.each(MIXED_LISTS)('the list %s reads as %s', (given, there) => {
  expect(clean({ list: JSON.parse(given) }).properties).toEqual({ list: JSON.parse(there) })
})

test.each(STORED_LISTS)('%j comes back as %j, and verify knows it', (sent, there) => {
  const { properties } = clean(sent)
  expect(properties).toEqual(there)
  const event = { uuid: 'u', event: 'e', distinct_id: 'ann', timestamp: '2026-03-01T10:00:00Z' }
  const row = { ...event, distinctId: 'ann', elementsChain: '', ageDays: 0 }
  const compare = (found: object) =>
    compareEvent({ ...event, properties: sent }, [{ ...row, properties: JSON.stringify(found) }] as never)
      .changes
  expect(compare(properties)).toEqual([])
  // A storage that was not changed gives back what was sent; a value that is another is a change.
  expect(compare(sent)).toEqual([])
  for (const name of Object.keys(there).filter((one) => !/^\$(?:active|unparseable)/.test(one)))
    expect(compare({ ...there, [name]: ['another'] })).not.toEqual([])
})
