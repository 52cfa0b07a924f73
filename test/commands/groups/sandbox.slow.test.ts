import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { type Ran, runCommand } from '../../helpers/command.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../../helpers/sandbox-env.ts'

const NO_QUERY = 'phx_groups_only'
const folder = makeFolder()
const source = await fileSandbox({ personalKeys: [{ key: NO_QUERY, scopes: ['group:read'] }] })
const target = await fileSandbox()
beforeAll(async () => {
  await send(source, [
    ...Array.from({ length: 365 }, (_, i) =>
      groupEvent('company', `c-${i}`, i, { name: `Company ${i}`, seats: i }),
    ),
    groupEvent('team', "it's \\ odd", 400, { lead: null, ratio: 0.5 }),
    {
      event: 'ordered',
      timestamp: '2024-06-01T10:00:00Z',
      properties: { distinct_id: 'u1', $groups: { company: 'c-7', team: "it's \\ odd" } },
    },
  ])
})

function groupEvent(type: string, key: string, hour: number, set: object) {
  return {
    event: '$groupidentify',
    timestamp: new Date(Date.UTC(2024, 0, 1, hour)).toISOString(),
    properties: { distinct_id: `$${type}_${key}`, $group_type: type, $group_key: key, $group_set: set },
  }
}

async function send({ url, projectKey }: Sandbox, batch: readonly object[]): Promise<void> {
  const body = JSON.stringify({ api_key: projectKey, historical_migration: true, batch })
  const response = await fetch(`${url}/batch/`, { method: 'POST', body })
  expect(await response.json()).toEqual({ status: 'Ok' })
}

function run(sandbox: Sandbox, argv: readonly string[], personalKey = sandbox.personalKey): Promise<Ran> {
  const env = { ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: personalKey }
  // The transform of an export runs on worker threads.
  return runCommand(argv, { env, built: argv.includes('export') })
}

const list = async (sandbox: Sandbox, type: string) =>
  (await run(sandbox, ['groups', 'list', '--type', type, '--all', '--format', 'ndjson'])).stdout

test.each([
  ['query', undefined],
  ['rest', NO_QUERY],
])('all groups move to another project (%s)', async (way, key) => {
  const out = join(folder, way)
  const exported = await run(source, ['groups', 'export', '--all-types', '--out', out, '--json'], key)
  expect([exported.code, JSON.parse(exported.stdout).counts.written]).toEqual([0, 366])
  const imported = await run(target, [
    ...['import', '--dataset', out, '--approved', '--max-events-per-minute', '1000000'],
  ])
  expect(imported.stderr).toContain('366')
  expect(imported.code).toBe(0)
  for (const type of ['company', 'team']) expect(await list(target, type)).toBe(await list(source, type))
})
