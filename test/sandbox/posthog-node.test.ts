import { PostHog } from 'posthog-node'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Harness, rows, startHarness, uuid } from './harness.ts'

const MODES = ['v0', 'v1'] as const
type Mode = (typeof MODES)[number]
/** Those before and after 30 November 2026. */
const STORAGES = ['table', 'json'] as const
const TIMESTAMP = new Date('2024-03-01T10:00:00.123Z')

afterEach(() => vi.unstubAllEnvs())

/** A sandbox that the official Node library has moved a history into. */
async function moved(mode: Mode, storage: (typeof STORAGES)[number] = 'json'): Promise<Harness> {
  vi.stubEnv('POSTHOG_CAPTURE_MODE', mode)
  // The other route refuses, so that what arrives came by the one of the mode.
  const harness = await startHarness({ storage, faults: [mode === 'v0' ? '401:on=v1' : '401:on=batch'] })
  const { projectKey, url } = harness.sandbox
  const client = new PostHog(projectKey, { host: url, historicalMigration: true, flushAt: 50 })
  let n = 0
  const next = () => ({ uuid: uuid(++n), timestamp: TIMESTAMP })
  // Without this both modes move the time by the difference of the clocks.
  const still = { $ignore_sent_at: true }
  for (let i = 0; i < 60; i++) {
    const properties = { i, text: 'é\u2028😀', list: [1, null], $session_id: 's', $window_id: 'w', ...still }
    client.capture({
      distinctId: `user-${i % 7}`,
      event: 'bought',
      properties,
      groups: { company: 'acme' },
      ...next(),
    })
  }
  const lonely = { $process_person_profile: false, $set: { plan: 'none' }, ...still }
  client.capture({ distinctId: 'cookie', event: 'seen', properties: lonely, ...next() })
  const known = { $set: { plan: 'pro' }, $set_once: { first: 1 }, ...still }
  client.capture({ distinctId: 'user-1', event: 'known', properties: known, ...next() })
  client.identify({ distinctId: 'user-1', properties: { $set: { email: 'one@example.com' } } })
  client.alias({ distinctId: 'user-1', alias: 'visitor-1' })
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { name: 'Acme' } })
  await client.shutdown()
  return harness
}

describe.each(MODES)('the official Node library, capture mode %s', (mode) => {
  test.each(STORAGES)('moves a history into the sandbox, %s', async (storage) => {
    const { sandbox, get } = await moved(mode, storage)
    const names = (await rows(sandbox, 'SELECT event FROM events')).flat()
    expect(names.sort()).toEqual(
      ['$create_alias', '$groupidentify', '$identify', ...Array(60).fill('bought'), 'known', 'seen'].sort(),
    )
    const columns = 'event, distinct_id, timestamp, historical_migration, $group_0, properties'
    const [first] = await rows(sandbox, `SELECT ${columns} FROM events WHERE uuid = '${uuid(1)}'`)
    const [event, distinctId, timestamp, historical, company, properties] = first!
    expect([event, distinctId, Date.parse(String(timestamp)), historical, company]).toEqual([
      ...['bought', 'user-0', TIMESTAMP.getTime(), true, 'acme'],
    ])
    expect(JSON.parse(String(properties))).toMatchObject({
      ...{ i: 0, text: 'é\u2028😀', list: [1, null] },
      ...{ $session_id: 's', $window_id: 'w', $lib: 'posthog-node' },
    })
    const group = await get('/api/projects/1/groups/find/?group_type_index=0&group_key=acme')
    expect(group.json()).toMatchObject({ group_key: 'acme', group_properties: { name: 'Acme' } })
    const person =
      "SELECT distinct_ids, properties.email, properties.plan FROM persons WHERE list_contains(distinct_ids, 'user-1')"
    expect(await rows(sandbox, person)).toEqual([[['user-1', 'visitor-1'], 'one@example.com', 'pro']])
    expect(Object.keys(sandbox.stats().statuses)).toEqual(['200'])
  })
})
