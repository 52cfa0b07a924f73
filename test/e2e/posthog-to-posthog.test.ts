import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'

test('a project goes from one installation to another, by the query endpoint', async () => {
  const [from, to] = [await testSandbox(), await testSandbox()]
  const batch = Array.from({ length: 300 }, (_, i) => ({
    uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    event: i % 10 === 0 ? '$identify' : '$pageview',
    distinct_id: `user ${i % 7}`,
    timestamp: new Date(Date.UTC(2024, 2, 1) + Math.floor(i / 3) * 1_800_000 + (i % 3)).toISOString(),
    properties: { n: i, text: 'Füße "✓"\n', ...(i % 10 === 0 && { $set: { plan: `p${i}` } }) },
  }))
  const groups = ['acme', 'globex'].map((key, i) => ({
    uuid: `00000000-0000-4000-8000-00000000100${i}`,
    event: '$groupidentify',
    distinct_id: `$company_${key}`,
    // Older than the events of the window: what is known of a group is not in them.
    timestamp: '2023-12-01T00:00:00Z',
    properties: { $group_type: 'company', $group_key: key, $group_set: { seats: i, name: `"${key}" ✓` } },
  }))
  const all = [...groups, ...batch]
  const body = JSON.stringify({ api_key: from.projectKey, historical_migration: true, batch: all })
  const sent = await fetch(`${from.url}/batch/`, { method: 'POST', body })
  expect(sent.status).toBe(200)
  const env = {
    POSTHOG_SOURCE_HOST: from.url,
    POSTHOG_SOURCE_PROJECT_ID: String(from.projectId),
    POSTHOG_SOURCE_API_KEY: from.personalKey,
    POSTHOG_HOST: to.url,
    POSTHOG_PROJECT_API_KEY: to.projectKey,
    POSTHOG_PERSONAL_API_KEY: to.personalKey,
    POSTHOG_PROJECT_ID: String(to.projectId),
  }
  const folder = testFolder()
  const [raw, events] = [join(folder, 'raw'), join(folder, 'events')]
  for (const argv of [
    [
      ...['export', 'posthog', '--from', '2024-03-01', '--to', '2024-03-04', '--persons', '--groups'],
      ...['--out', raw],
    ],
    ['transform', '--preset', 'posthog', '--in', raw, '--out', events],
    ['import', '--dataset', events],
  ]) {
    await exits(0, runHosted(argv, env))
  }
  const columns = 'uuid, event, distinct_id, timestamp, properties.n, properties.text'
  const sql = `SELECT ${columns} FROM events WHERE event NOT IN ('$set', '$groupidentify') ORDER BY uuid`
  const [there, here] = [await from.query(sql), await to.query(sql)]
  expect(there.results).toHaveLength(300)
  expect(here.results).toEqual(there.results)
  const persons = 'SELECT properties FROM persons ORDER BY properties'
  expect((await to.query(persons)).results).toEqual((await from.query(persons)).results)
  const known = 'SELECT index, key, properties, created_at FROM groups ORDER BY key'
  const moved = (await to.query(known)).results
  expect(moved).toHaveLength(2)
  expect(moved).toEqual((await from.query(known)).results)
})
