import { PostHog } from 'posthog-node'
import { expect, test } from 'vitest'
import { rows, startHarness } from './harness.ts'

test('the official Node library moves a history into the sandbox', async () => {
  const { sandbox, get } = await startHarness()
  const client = new PostHog(sandbox.projectKey, {
    host: sandbox.url,
    historicalMigration: true,
    flushAt: 50,
  })
  const timestamp = new Date('2024-03-01T10:00:00.123Z')
  for (let n = 0; n < 120; n++) {
    const properties = { n, $groups: { company: 'acme' } }
    client.capture({ distinctId: `user-${n % 7}`, event: 'bought', properties, timestamp })
  }
  client.identify({ distinctId: 'user-1', properties: { $set: { email: 'one@example.com' } } })
  client.alias({ distinctId: 'user-1', alias: 'visitor-1' })
  client.groupIdentify({ groupType: 'company', groupKey: 'acme', properties: { name: 'Acme' } })
  await client.shutdown()

  expect(
    await rows(
      sandbox,
      `SELECT event, toDate(timestamp), historical_migration, count(), count(DISTINCT uuid) FROM events
       WHERE event = 'bought' GROUP BY ALL`,
    ),
  ).toEqual([['bought', '2024-03-01', true, 120, 120]])
  const group = await get('/api/projects/1/groups/find/?group_type_index=0&group_key=acme')
  expect(group.json()).toMatchObject({ group_key: 'acme', group_properties: { name: 'Acme' } })
  const persons =
    "SELECT distinct_ids, properties.email FROM persons WHERE list_contains(distinct_ids, 'user-1')"
  expect(await rows(sandbox, persons)).toEqual([[['user-1', 'visitor-1'], 'one@example.com']])
})
