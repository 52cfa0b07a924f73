import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { madeDataset } from '../helpers/made-dataset.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

/** Why events are missing or changed is told beside the counts, each with an example's line. */

const event = (n: number, more: object = {}) => ({
  uuid: `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  event: 'e',
  distinct_id: 'u',
  timestamp: `2024-03-01T00:00:${String(n).padStart(2, '0')}Z`,
  properties: { n },
  ...more,
})

const identify = (n: number, distinct_id: string, $anon_distinct_id: string) =>
  event(n, { event: '$identify', distinct_id, properties: { $anon_distinct_id } })

/** Text without its folds. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

test('what is too large, too old or merges nobody is seen beside the counts, with an example', async () => {
  const sandbox = await testSandbox({ maxMessageBytes: 5000, dropEventsOlderThan: 3650 })
  const { folder, dataset } = await madeDataset([
    event(1, { distinct_id: 'c' }),
    event(2, { properties: { text: 'x'.repeat(9000) } }),
    event(3, { timestamp: '2010-01-01T00:00:00Z' }),
    identify(4, 'a', 'b'),
    identify(5, 'c', 'a'),
  ])
  const env = sandboxEnv(sandbox)
  const imported = await exits(0, runHosted(['import', '--dataset', dataset, '--json'], env))
  const types = [
    { type: 'message_size_too_large', severity: 'error', sampled: 1 },
    { type: 'event_dropped_too_old', severity: 'info', sampled: 1 },
    { type: 'cannot_merge_already_identified', severity: 'warning' },
  ]
  const told = JSON.parse(imported.stdout).ingestion_warnings.types
  expect(told).toHaveLength(types.length)
  expect(told).toEqual(
    expect.arrayContaining(
      types.map((type) =>
        expect.objectContaining({ ...type, example: expect.stringMatching(/^[0-9a-f-]{36}$/) }),
      ),
    ),
  )
  const verified = await exits(3, runHosted(['verify', dataset], env))
  expect(flat(verified.stderr)).toContain('2 are missing')
  expect(flat(verified.stderr)).toMatch(
    /likely why events are missing: [a-z_]+ \(up to 2 events\); [a-z_]+ \(up to 2 events\) fewer/,
  )
  expect(flat(verified.stderr)).toMatch(
    /message_size_too_large, dropped, 1 sampled, such as [0-9a-f-]{36}: too large/,
  )
  expect(flat(verified.stderr)).toContain('causes, never counts')
  const page = join(folder, 'report.html')
  const { POSTHOG_PERSONAL_API_KEY: _, ...keyless } = env
  await exits(0, runHosted(['report', dataset, '--out', page], keyless))
  const html = readFileSync(page, 'utf8')
  expect(html).toContain('Likely why events are missing')
  expect(html).toContain('message_size_too_large (up to 2 events)')
  expect(html).toMatch(/message_size_too_large, dropped, 1 sampled, such as [0-9a-f-]{36}: too large/)
})

test('warnings that can’t be asked for are said once, and the import goes on', async () => {
  const key = { key: 'phx_few', scopes: ['project:read', 'query:read', 'group:read'] }
  const sandbox = await testSandbox({ personalKeys: [key] })
  const { dataset } = await madeDataset([event(1)])
  const env = { ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_few' }
  const imported = await exits(0, runHosted(['import', '--dataset', dataset], env))
  expect(flat(imported.stderr).split('ingestion warnings could not be asked for')).toHaveLength(2)
  expect(imported.stderr).toContain('ingestion_warning:read')
  const anew = ['--restart', '--accept', 'sent_otherwise', 'other_imports', '--json']
  const again = await exits(0, runHosted(['import', '--dataset', dataset, ...anew], env))
  const told = JSON.parse(again.stdout).ingestion_warnings
  expect(told).toMatchObject({ types: [], unasked: expect.stringContaining('add the scope to the key') })
})

test('check and an import that goes on need the quota only for what is not sent yet', async () => {
  const sandbox = await testSandbox({ quota: { events: 5 } })
  const env = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([1, 2, 3, 4, 5, 6].map((n) => event(n)))
  const before = await exits(0, runHosted(['check', dataset], env))
  expect(flat(before.stdout)).toContain("needs 6 events, and 5 are left of the project's quota")
  const part = ['import', '--dataset', dataset, '--max-events', '2', '--batch-events', '2']
  await exits(5, runHosted(part, env))
  const text = (await runHosted(['check', dataset], env)).stdout
  expect(flat(text)).toContain("needs 4 events, and 3 are left of the project's quota")
  const more = await runHosted(['import', '--dataset', dataset], env)
  expect(flat(more.stderr)).toContain("needs 4 events, and 3 are left of the project's quota")
})

test('over quota nothing is sent, and before that the import says what it needs', async () => {
  const sandbox = await testSandbox({ quota: { events: 2 } })
  const env = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([1, 2, 3, 4].map((n) => event(n)))
  const first = await runHosted(['import', '--dataset', dataset], env)
  expect(flat(first.stderr)).toContain("needs 4 events, and 2 are left of the project's quota")
  const { requests } = sandbox.stats()
  const checked = await exits(3, runHosted(['check', dataset, '--json'], env))
  const { project, problems } = JSON.parse(checked.stdout)
  expect(project.quota).toEqual({ limited: true, usage: 4, limit: 2 })
  expect(problems).toContainEqual(expect.objectContaining({ code: 'over_quota', level: 'error' }))
  const other = await madeDataset([event(5)])
  const second = await exits(3, runHosted(['import', '--dataset', other.dataset], env))
  expect(flat(second.stderr)).toContain(
    'over its quota of events (4 of 2 in this period); none of the events was sent',
  )
  expect(sandbox.stats().requests).toBe(requests)
  const looked = await exits(3, runHosted(['doctor', '--dataset', other.dataset], env))
  expect(flat(looked.stdout)).toContain('over its quota of events: 4 of 2 are used')
})

test('a rehearsal over quota stops before its first event too', async () => {
  const sandbox = await testSandbox({ faults: ['quota'] })
  const { dataset } = await madeDataset([event(1)])
  const { code, stderr } = await runHosted(['import', '--dataset', dataset], sandboxEnv(sandbox))
  expect([code, flat(stderr)]).toEqual([3, expect.stringContaining('over its quota of events (0 of 0')])
  expect(sandbox.stats()).toMatchObject({ requests: 0, events: 0 })
})

test('a project key that no project has is told without a personal key, before the first event', async () => {
  const sandbox = await testSandbox()
  const { POSTHOG_PERSONAL_API_KEY: _, ...env } = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([event(1)])
  const argv = ['import', '--dataset', dataset]
  const wrong = await exits(3, runHosted(argv, { ...env, POSTHOG_PROJECT_API_KEY: 'phc_wrong' }))
  expect(flat(wrong.stderr)).toContain(
    'no project has the project key from POSTHOG_PROJECT_API_KEY; none of the events was sent',
  )
  expect(sandbox.stats().requests).toBe(0)
  await exits(0, runHosted(argv, env))
  expect(sandbox.stats().events).toBe(1)
})

test('a quota that runs out in mid-run is told at the end, and verify names it after it was raised', async () => {
  const sandbox = await testSandbox({ faults: ['quota:after=2'] })
  const env = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([1, 2, 3, 4, 5, 6].map((n) => event(n)))
  const line = ['import', '--dataset', dataset, '--batch-events', '2', '--json']
  const imported = await exits(0, runHosted(line, env))
  const { counts, findings } = JSON.parse(imported.stdout)
  expect(counts).toMatchObject({ written: 6, rejected: 0 })
  expect(findings).toContainEqual(expect.objectContaining({ code: 'quota_reached', level: 'warning' }))
  expect(flat(imported.stderr)).toMatch(
    /over its quota of events \(.*\) as the import ends: PostHog says Ok and drops/,
  )
  expect(sandbox.stats().events).toBe(2)
  sandbox.setFaults([])
  const verified = await exits(3, runHosted(['verify', dataset, '--json'], env))
  expect(JSON.parse(verified.stdout).likely_causes[0]).toEqual({ cause: 'over_quota', events: 4 })
})

test('events that the service refused are told as rejected, with their file', async () => {
  const sandbox = await testSandbox({ faults: ['v1-drop:times=1'] })
  const env = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([1, 2, 3].map((n) => event(n)))
  await exits(3, runHosted(['import', '--dataset', dataset, '--batch-events', '1', '--via', 'v1'], env))
  const { stdout, stderr } = await exits(3, runHosted(['verify', dataset, '--json'], env))
  const file = `${dataset}.rejects.ndjson`
  expect(JSON.parse(stdout).likely_causes).toEqual([{ cause: 'rejected', events: 1, file }])
  expect(flat(stderr)).toContain(`then: mend the rejected events`)
})

test('an import that ends within its quota says nothing of it, nor does verify', async () => {
  const sandbox = await testSandbox({ quota: { events: 100 } })
  const env = sandboxEnv(sandbox)
  const { dataset } = await madeDataset([event(1)])
  const imported = await runHosted(['import', '--dataset', dataset, '--json'], env)
  expect(JSON.parse(imported.stdout).findings).toEqual([])
  const other = await madeDataset([event(1), event(2)])
  const verified = await runHosted(['verify', other.dataset, '--json'], env)
  expect(JSON.parse(verified.stdout).likely_causes.map(({ cause }: { cause: string }) => cause)).toEqual([
    'not_arrived_yet',
  ])
})

test('Capture V1 says itself that the quota is over, and is not asked at its end', async () => {
  const sandbox = await testSandbox({ faults: ['quota:after=2'] })
  const { dataset } = await madeDataset([1, 2, 3, 4].map((n) => event(n)))
  const line = ['import', '--dataset', dataset, '--batch-events', '2', '--via', 'v1']
  const imported = await exits(5, runHosted(line, sandboxEnv(sandbox)))
  expect(flat(imported.stderr)).not.toContain('as the import ends')
})
