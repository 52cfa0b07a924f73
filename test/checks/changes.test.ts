import { expect, test } from 'vitest'
import { compareEvent } from '../../src/checks/changes.ts'
import type { SentEvent } from '../../src/checks/event-in.ts'
import { importIdOf } from '../../src/mapping/preset.ts'
import { posthog } from '../../src/presets/posthog.ts'
import type { ArrivedValues } from '../../src/service/arrived-events.ts'

const SENT: SentEvent = {
  uuid: '0190c5f2-0000-4000-8000-000000000001',
  event: '$pageview',
  distinct_id: 'ann',
  timestamp: '2024-03-01T12:00:00.123999Z',
  properties: { distinct_id: 'ann', plan: 'pro', n: 1.5, list: [1, { a: 'ü' }], $geoip_disable: true },
}

function found(properties: object, more: Partial<ArrivedValues> = {}): ArrivedValues {
  const { uuid, event, distinct_id: distinctId } = SENT
  const own = { uuid, event, distinctId, timestamp: '2024-03-01 12:00:00.123', elementsChain: '', ageDays: 0 }
  return { ...own, ...more, properties: JSON.stringify(properties) }
}

function compared(sent: Partial<SentEvent>, there: object, more?: Partial<ArrivedValues>) {
  const { changes, known } = compareEvent({ ...SENT, ...sent }, [found(there, more)])
  return [changes.map(({ property, here, service: value }) => [property, here, value]), known]
}

test('the same values in another order and notation are the same', () => {
  const { distinct_id, plan, n, list, $geoip_disable } = SENT.properties
  expect(compared({}, { $geoip_disable, list, n, plan, distinct_id })).toEqual([[], []])
})

test.each([
  ['another value', { plan: 'free' }, ['properties.plan', '"pro"', '"free"']],
  ['a value less', { plan: undefined }, ['properties.plan', '"pro"', null]],
  ['a value more', { more: null }, ['properties.more', null, 'null']],
  ['a number as text', { n: '1.5' }, ['properties.n', '1.5', '"1.5"']],
  [
    'a place, not to be looked up',
    { $geoip_city_name: 'Wien' },
    ['properties.$geoip_city_name', null, '"Wien"'],
  ],
  ['another group', { $groups: { company: 'b' } }, ['properties.$groups', null, '{"company":"b"}']],
])('a change: %s', (_, there, change) =>
  expect(compared({}, { ...SENT.properties, ...there })).toEqual([[change], []]),
)

test('a change: time and person', () => {
  const time = (ms: number) => JSON.stringify(`2024-03-01T12:00:00.${ms}Z`)
  expect(compared({}, SENT.properties, { timestamp: '2024-03-01 12:00:00.124' })).toEqual([
    [['timestamp', time(123), time(124)]],
    [],
  ])
  expect(compared({}, SENT.properties, { distinctId: 'ben' })).toEqual([
    [['distinct_id', '"ann"', '"ben"']],
    [],
  ])
})

const session = '0190c5f2-0000-7000-8000-00000000000a'
const utm = { utm_source: 'x' }
const fox = { $browser: 'Firefox' }
const ios = { gclid: null, $os: 'iOS' }
const flags = { '$feature/a': 'blue', '$feature/b': false }
test.each([
  ['person_properties', fox, { ...fox, $set: fox, $set_once: { $initial_browser: 'Firefox' } }],
  ['person_properties', { $set: { plan: 'pro' }, ...utm }, { ...utm, $set: { plan: 'pro', ...utm } }],
  ['person_properties', ios, { ...ios, $set: ios, $set_once: { $initial_gclid: null, $initial_os: 'iOS' } }],
  ['no_person', { $process_person_profile: false, $set: { a: 1 } }, { $process_person_profile: false }],
  ['person_profile', { $process_person_profile: true }, {}],
  ['geoip', {}, { $geoip_city_name: 'Wien' }],
  ['ip', {}, { $ip: '203.0.113.7' }],
  ['ip', { $ip: '203.0.113.7' }, {}],
  ['elements', { $elements: [{ tag_name: 'a' }] }, {}],
  ['os', { $os_name: 'Linux' }, { $os_name: 'Linux', $os: 'Linux' }],
  ['session_id', { $session_id: session.toUpperCase() }, { $session_id: session }],
  ['taken_out', { $heatmap_data: {}, distinct_id: 'ann' }, { distinct_id: 'ann' }],
  ['notes', {}, { $group_0: 'acme' }],
  // Capture V1 writes down that an event asked to keep its time.
  ['notes', {}, { $ignore_sent_at: true }],
  ['import_id', {}, { $import_job_id: importIdOf(posthog) }],
  // The storage of 30 November 2026.
  ['dropped', { $ai_input: ['a'], $surveys_activated: [1] }, {}],
  ['dropped', { $active_feature_flags: ['b', 'a'], '$feature/a': true }, { '$feature/a': true }],
  ['dropped', flags, { ...flags, $active_feature_flags: ['a'] }],
  ['feature_flags', { '$feature/a': true, '$feature/b': 2 }, { '$feature/a': 'true', '$feature/b': '2' }],
  [
    'feature_flags',
    { '$feature/a': 'true', '$feature/b': '$false' },
    { '$feature/a': '$true', '$feature/b': 'false' },
  ],
  [
    'text_columns',
    { $browser_version: 115.5, $os: true, $lib: '' },
    { $browser_version: '115.5', $os: 'true' },
  ],
  ['text_columns', { $exception_types: ['a', 1], $exception_values: [] }, { $exception_types: ['a', '1'] }],
  ['nulls_and_long_integers', { a: null, b: { c: null, d: [{ e: null, f: 1 }] } }, { b: { d: [{ f: 1 }] } }],
  ['nulls_and_long_integers', { a: { b: null } }, {}],
  ['mixed_lists', { a: [true, 1, null] }, { a: [1, 1, null] }],
  ['mixed_lists', { a: { b: [[false], ['x']] } }, { a: { b: [['false'], ['x']] } }],
  ['nulls_and_long_integers', { a: [2 ** 70] }, { a: ['1180591620717411303424'] }],
  ['person_properties', { $set: { a: null, b: 1 } }, { $set: { b: 1, $geoip_city_name: 'Wien' } }],
  ['dots', { 'a%2Eb': 1 }, { 'a.b': 1 }],
])('the service is known to make it: %s', (kind, here, there) => {
  const { changes, known } = compareEvent({ ...SENT, properties: here }, [found(there)])
  expect(changes).toEqual([])
  expect(new Set(known)).toEqual(new Set([kind]))
})

test('what is kept for 60 days may be gone after them, and not before', () => {
  const sent = { ...SENT, properties: { $set: { plan: 'pro' }, $sdk_debug_x: 1 } }
  const after = (ageDays: number) => compareEvent(sent, [found({}, { ageDays })])
  expect(after(60)).toMatchObject({ changes: [], known: ['temporary', 'temporary'] })
  expect(after(59).changes.map(({ property }) => property)).toEqual([
    'properties.$set',
    'properties.$sdk_debug_x',
  ])
})

test('properties that became one text are one change', () => {
  const text = JSON.stringify(SENT.properties)
  expect(compared({}, { $unparseable_properties: text })).toEqual([
    [['properties.$unparseable_properties', null, JSON.stringify(text)]],
    [],
  ])
})

const off = { '$feature/a': false }
test.each([
  ['a number below 2^64 as text', { a: 2 ** 60 }, { a: String(2 ** 60) }],
  ['another long integer', { a: 2 ** 70 }, { a: '1180591620717411303425000' }],
  ['a null that became a value', { a: null }, { a: 0 }],
  ['a value inside that is gone', { a: { b: 1 } }, {}],
  ['another flag', { '$feature/a': true }, { '$feature/a': 'false' }],
  ['another text of a flag', { '$feature/a': 'true' }, { '$feature/a': '$false' }],
  ['a flag that is gone', { '$feature/a': true }, {}],
  ['a text column with another value', { $browser: 5 }, { $browser: '6' }],
  ['a text column that is gone', { $browser: 5 }, {}],
  ['an item less', { $exception_types: ['a', 'b'] }, { $exception_types: ['a'] }],
  ['a dropped name with another value', { $ai_input: 1 }, { $ai_input: 2 }],
  ['flags that are on, and are not', off, { ...off, $active_feature_flags: ['a'] }],
  ['true that became 1 beside no number', { a: [true, false] }, { a: [1, 0] }],
  ['true that became 0', { a: [true, 1] }, { a: [0, 1] }],
  ['a list without its null', { a: [null, 1] }, { a: [1] }],
])('no work of the storage: %s', (_, here, there) => {
  expect(compared({ properties: here as SentEvent['properties'] }, there)[0]).toHaveLength(1)
})

const placeless = { $geoip_disable: true }
test.each([
  ['a person property that was set', { $set: { plan: 'pro' } }, { $set: { plan: 'free' } }],
  ['one that is gone', { $set: { plan: 'pro' } }, { $set: {} }],
  ['one that the service does not add', { $set: {} }, { $set: { plan: 'pro' } }],
  ['a copy', { $browser: 'Firefox' }, { $browser: 'Firefox', $set: { $browser: 'Safari' } }],
  ['a first value', { gclid: 'x' }, { gclid: 'x', $set_once: { $initial_utm_source: 'x' } }],
  ['a place not to be looked up', placeless, { ...placeless, $set: { $geoip_city_name: 'Wien' } }],
  ['an address', { $ip: '203.0.113.7' }, { $ip: '203.0.113.8' }],
  ['$elements_chain that is not in the column', { $elements_chain: 'a' }, {}],
])('it should not have changed %s', (_, here, there) =>
  expect(compared({ properties: here }, there)[0]).toHaveLength(1),
)

test('big integers are compared as the service rounds them', () => {
  const big = JSON.parse('{"id":12345678901234567890}') as object
  expect(compared({ properties: { ...big } }, { id: 12345678901234567000 })).toEqual([[], []])
})

test('every copy counts: the service may keep any of them', () => {
  const rows = [found(SENT.properties), found({ ...SENT.properties, plan: 'free' })]
  expect(compareEvent(SENT, rows).changes).toHaveLength(1)
  expect(compareEvent(SENT, []).found).toBe(false)
})

test('another import id than the one that import --file gives is a change', () => {
  const id = importIdOf(posthog)
  for (const [here, there] of [[{}, 'theirs'] as const, [{ $import_job_id: 'ours' }, id] as const]) {
    const { changes } = compareEvent({ ...SENT, properties: here }, [found({ $import_job_id: there })])
    expect(changes).toHaveLength(1)
  }
})
