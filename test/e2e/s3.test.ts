import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { stateHome } from '../helpers/state-home.ts'
import { FakeMixpanel, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'

const FROM = Date.UTC(2024, 2, 1)
const HOUR = 3_600_000
const seed = seedOf('s3')

test('a history goes by buckets alone: exported, transformed, checked and imported', async () => {
  const events = Array.from({ length: 600 }, (_, i): MixpanelEvent => {
    return {
      event: 'Plan Chosen',
      properties: { time: FROM + (i % 71) * HOUR, distinct_id: `u${i % 7}`, $insert_id: `id-${i}` },
    }
  })
  const fake = await started(new FakeMixpanel({ events }))
  const bucket = await started(new S3Server())
  const sandbox = await testSandbox()
  const folder = testFolder()
  const env = {
    ...bucket.env,
    MIXPANEL_API_SECRET: 'service-user',
    POSTHOG_HOST: sandbox.url,
    POSTHOG_PROJECT_API_KEY: sandbox.projectKey,
  }
  fake.credentials = { user: 'service-user', secret: '' }
  const cli = async (...argv: string[]) => {
    const { stderr, stdout } = await exits(0, runHosted(argv, env, folder))
    expect(stderr + stdout).not.toContain('secret-example')
    return stdout
  }
  const days = ['--from', '2024-03-01', '--to', '2024-03-04', '--base-url', fake.url]
  const argv = ['export', 'mixpanel', ...days, '--out', 's3://bucket/raw', '--requests-per-hour', '10000']
  await exportUnderKills({ argv, env, fake, random: seeded(seed), kills: kills({ few: 2, many: 5 }) })
  await cli('transform', '--preset', 'mixpanel', '--in', 's3://bucket/raw', '--out', 's3://bucket/events')
  await cli('check', 's3://bucket/events')
  await cli('import', '--dataset', 's3://bucket/events')
  const { results } = await sandbox.query('SELECT count(DISTINCT uuid), count() FROM events')
  expect(results[0]?.map(Number)).toEqual([600, 600])
  expect([...bucket.objects.keys()].filter((key) => key.endsWith('manifest.json'))).toHaveLength(2)
  expect(bucket.uploads.size).toBe(0)
  // The state of the import is in the bucket as well.
  expect(readdirSync(folder)).toEqual([])
  expect([...bucket.objects.keys()]).toContain('.state/events.checkpoint.json')
})

test('groups go into a bucket, and from there into another project', async () => {
  const [from, to] = [await testSandbox(), await testSandbox()]
  const bucket = await started(new S3Server())
  // Raw records are kept on this machine until the dataset is whole.
  const folder = testFolder()
  const batch = ['acme', 'globex'].map((key, i) => ({
    event: '$groupidentify',
    distinct_id: `$company_${key}`,
    timestamp: `2024-03-0${i + 1}T00:00:00Z`,
    properties: { $group_type: 'company', $group_key: key, $group_set: { seats: i } },
  }))
  const body = JSON.stringify({ api_key: from.projectKey, historical_migration: true, batch })
  expect((await fetch(`${from.url}/batch/`, { method: 'POST', body })).status).toBe(200)
  const cli = async (sandbox: Sandbox, ...argv: string[]) => {
    const env = { ...bucket.env, ...sandboxEnv(sandbox) }
    await exits(0, runHosted(argv, env, folder))
  }
  const out = 's3://bucket/groups'
  // The second time it replaces its own dataset.
  for (const _ of [1, 2]) await cli(from, 'groups', 'export', '--all-types', '--out', out)
  expect([readdirSync(folder), readdirSync(join(stateHome().XDG_STATE_HOME!, 'posthaul', 'work'))]).toEqual([
    [],
    [],
  ])
  await cli(to, 'import', '--dataset', out)
  const sql = 'SELECT index, key, properties, created_at FROM groups ORDER BY key'
  const there = (await from.query(sql)).results
  expect(there).toHaveLength(2)
  expect((await to.query(sql)).results).toEqual(there)
})
