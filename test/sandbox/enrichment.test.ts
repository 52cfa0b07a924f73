import { expect, test } from 'vitest'
import { COPIED } from '../../src/sandbox/pipeline/enrich.ts'
import { type Harness, rows, startHarness } from './harness.ts'

const event = (distinct_id: string, properties: object, name = 'a') => ({
  event: name,
  distinct_id,
  properties: { $geoip_disable: true, $ip: '198.51.100.7', ...properties },
})

/** The properties of each person, by the first of its ids. */
async function persons({ sandbox }: Harness): Promise<Record<string, unknown>> {
  const table = await rows(sandbox, 'SELECT distinct_ids, properties FROM persons')
  return Object.fromEntries(table.map(([ids, text]) => [(ids as string[])[0], JSON.parse(String(text))]))
}

/** What a query shows as an event's properties, but for its place. */
async function properties({ sandbox }: Harness, where = 'true'): Promise<unknown[]> {
  const table = await rows(
    sandbox,
    `SELECT properties FROM events WHERE ${where} ORDER BY event, distinct_id, properties.$group_type`,
  )
  return table.map(([text]) => {
    const { $ip, $geoip_disable, ...rest } = JSON.parse(String(text))
    expect([$ip, $geoip_disable]).toEqual(['198.51.100.7', true])
    return rest
  })
}

test('a person has what its last event said of the browser, and what its first one said', async () => {
  const harness = await startHarness()
  await harness.send([
    { ...event('ann', { $browser: 'Firefox', utm_source: 'news' }), timestamp: '2024-05-01T00:00:00Z' },
    // An older event that comes later: times are not compared.
    {
      ...event('ann', { $browser: 'Netscape', $current_url: '/', plan: 'pro' }),
      timestamp: '2019-05-01T00:00:00Z',
    },
  ])
  expect(await persons(harness)).toEqual({
    ann: {
      $browser: 'Netscape',
      $initial_browser: 'Firefox',
      utm_source: 'news',
      $initial_utm_source: 'news',
      $current_url: '/',
      $initial_current_url: '/',
    },
  })
  expect(await properties(harness, "properties.$browser = 'Netscape'")).toMatchObject([
    {
      $browser: 'Netscape',
      $current_url: '/',
      plan: 'pro',
      $set: { $browser: 'Netscape', $current_url: '/' },
      $set_once: { $initial_browser: 'Netscape', $initial_current_url: '/' },
    },
  ])
  const sets = 'SELECT properties.$set.$browser FROM events ORDER BY timestamp'
  expect(await rows(harness.sandbox, sets)).toEqual([['Netscape'], ['Firefox']])
})

test('every property of the list is copied', async () => {
  const harness = await startHarness()
  await harness.send([event('ann', Object.fromEntries(COPIED.map((name, n) => [name, `'${n}"`])))])
  const [[name, person]] = Object.entries(await persons(harness)) as [[string, Record<string, unknown>]]
  expect([name, Object.keys(person).length, COPIED.length]).toEqual(['ann', 86, 43])
  expect(COPIED.map((each) => person[each])).toEqual(COPIED.map((_, n) => `'${n}"`))
  expect(person.$initial_utm_source).toBe(person.utm_source)
})

test('what the sender sets itself stays, and outlives its own copies only until the next event', async () => {
  const harness = await startHarness()
  const own = event('ann', {
    $browser: 'Firefox',
    $os: 'Linux',
    $set: { $browser: 'mine' },
    $set_once: { $initial_browser: 'first' },
  })
  await harness.send([own])
  expect(await persons(harness)).toMatchObject({
    ann: { $browser: 'mine', $initial_browser: 'first', $os: 'Linux', $initial_os: 'Linux' },
  })
  expect(await properties(harness)).toMatchObject([
    { $set: { $browser: 'mine', $os: 'Linux' }, $set_once: { $initial_browser: 'first' } },
  ])
  await harness.send([event('ann', { $browser: 'Safari' })])
  expect(await persons(harness)).toMatchObject({ ann: { $browser: 'Safari', $initial_browser: 'first' } })
})

test('$os_name stands in for $os, and the system of a server is not the person’s', async () => {
  const harness = await startHarness()
  await harness.send([
    event('ann', { $os_name: 'iOS' }),
    event('job', { $is_server: true, $os: 'Linux', $os_version: '6', $app_name: 'worker' }),
    event('nil', { $browser: null }),
  ])
  expect(await persons(harness)).toEqual({
    ann: { $os: 'iOS', $initial_os: 'iOS' },
    job: { $app_name: 'worker', $initial_app_name: 'worker' },
    nil: { $browser: null, $initial_browser: null },
  })
})

test('$unset removes a property, which a later event can bring back', async () => {
  const harness = await startHarness()
  await harness.send([
    event('ann', { $browser: 'Firefox', $set: { plan: 'pro', team: 'a' }, $set_once: { first: 1 } }),
    event('ann', { $os: 'Linux' }),
    event('ann', { $unset: ['plan', 'first', '$initial_os', '$browser'], $set: { plan: 'never seen' } }),
  ])
  expect(await persons(harness)).toEqual({ ann: { $initial_browser: 'Firefox', $os: 'Linux', team: 'a' } })
  await harness.send([event('ann', { $os: 'Plan 9', $set_once: { first: 2 } })])
  expect(await persons(harness)).toMatchObject({ ann: { first: 2, $os: 'Plan 9', $initial_os: 'Plan 9' } })
})

test('an event without a person changes none, and is linked to the one that its id has', async () => {
  const harness = await startHarness()
  const without = { $process_person_profile: false, $browser: 'Firefox', $set: { a: 1 }, $unset: ['b'] }
  await harness.send([
    event('ann', { $process_person_profile: true, $set: { b: 2 } }),
    event('ann', without, 'none'),
    event('bob', without, 'none'),
    ...['$identify', '$create_alias', '$merge_dangerously'].map((name) =>
      event('ann', { $process_person_profile: false, $anon_distinct_id: 'bob', alias: 'bob' }, name),
    ),
    event(
      'ann',
      { $process_person_profile: false, $group_type: 'club', $group_key: 'x', $group_set: {} },
      '$groupidentify',
    ),
    event(
      'ann',
      { $group_type: 'team', $group_key: 'x', $group_set: {}, $set: { c: 1 }, $os: 'Linux' },
      '$groupidentify',
    ),
  ])
  expect(await persons(harness)).toEqual({ ann: { b: 2 } })
  expect(await properties(harness)).toEqual([
    { $process_person_profile: false, $group_type: 'club', $group_key: 'x', $group_set: {} },
    { $group_type: 'team', $group_key: 'x', $group_set: {}, $os: 'Linux' },
    { $set: { b: 2 } },
    { $process_person_profile: false, $browser: 'Firefox' },
    { $process_person_profile: false, $browser: 'Firefox' },
  ])
  expect(await rows(harness.sandbox, 'SELECT index, key FROM groups')).toEqual([[0, 'x']])
  const linked = `SELECT distinct_id, person_id = (SELECT id FROM persons), person.properties.b
    FROM events WHERE event = 'none' ORDER BY distinct_id`
  expect(await rows(harness.sandbox, linked)).toEqual([
    ['ann', true, null],
    ['bob', false, null],
  ])
})
