import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/sandbox.ts'
import { runCommand } from '../../helpers/command.ts'
import { countedDataset } from '../../helpers/counted-dataset.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { unfolded } from '../../helpers/unfolded.ts'

let sandbox: Sandbox

const FAST = ['--approved', '--max-events-per-minute', '1000000']
const run = (...argv: string[]) => runCommand(argv, { env: sandboxEnv(sandbox) })
const begin = async (options: SandboxOptions = {}) => {
  sandbox = await testSandbox(options)
}

/** A project in use since 2024-03-03: its group type is younger than the events of the days before. */
async function live(...types: string[]): Promise<void> {
  const event = (type: string) => ({
    event: '$groupidentify',
    distinct_id: `$${type}_a`,
    timestamp: '2024-03-03T00:00:00.900Z',
    properties: { $group_type: type, $group_key: 'a', $group_set: {} },
  })
  const body = JSON.stringify({ api_key: sandbox.projectKey, batch: types.map(event) })
  await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
}

const DAYS = { '2024-03-01': { a: 4 }, '2024-03-02': { a: 3 }, '2024-03-04': { a: 2 } }
const events = (properties: object = { $groups: { company: 'acme' } }) =>
  countedDataset(join(testFolder(), 'events'), DAYS, { ...properties })
const types = async () =>
  JSON.parse((await run('groups', 'types', '--format', 'json')).stdout) as { group_type: string }[]

test('a type that is younger than the events: check and import say so, and nothing is sent', async () => {
  await begin()
  await live('company')
  const dataset = await events()
  const checked = await run('check', dataset)
  expect(checked.code).toBe(3)
  expect(unfolded(checked.stdout)).toContain(
    'error: 7 events would not show their company: the project shows this group type only on events from 2024-03-03T00:00:00Z on',
  )
  const looked = await run('doctor', '--dataset', dataset, '--json')
  expect(JSON.parse(looked.stdout).findings).toContainEqual(
    expect.objectContaining({ code: 'hidden_groups', level: 'error', count: 7 }),
  )
  const dry = await run('import', '--dataset', dataset, '--dry-run')
  expect(unfolded(dry.stdout + dry.stderr)).toContain('7 events would not show their company')
  expect([dry.code, (dry.stdout + dry.stderr).includes('next:')]).toEqual([3, false])
  const planned = JSON.parse((await run('import', '--dataset', dataset, '--dry-run', '--json')).stdout)
  const hidden = { code: 'hidden_groups', level: 'error', count: 7, names: ['company'] }
  expect(planned.findings).toMatchObject([hidden])
  const imported = await run('import', '--dataset', dataset, ...FAST)
  expect(imported.code).toBe(3)
  expect(unfolded(imported.stderr)).toContain('; none of the events was sent')
  expect(unfolded(imported.stderr)).toContain('7 events would not show their company')
  // The same command would stop again.
  expect(imported.stderr).toMatch(/\n {2}once that is done: posthaul import --dataset /)
  // Not a word of the option in a command to copy: what it accepts can't be taken back.
  expect(imported.stderr).not.toMatch(/posthaul import .*--accept/)
})

test('with --accept hidden_groups it goes on, and verify counts what is hidden', async () => {
  await begin()
  await live('company')
  const dataset = await events()
  // A run that stopped before its first event has not chosen a route.
  const stopped = await run('import', '--dataset', dataset, ...FAST)
  expect(stopped.code).toBe(3)
  const accepted = ['--accept', 'hidden_groups', '--via', 'v1', '--json']
  const imported = await run('import', '--dataset', dataset, ...FAST, ...accepted)
  expect([imported.code, JSON.parse(imported.stdout).via]).toEqual([0, 'v1'])
  const verified = await run('verify', dataset)
  expect(verified.code).toBe(3)
  expect(unfolded(verified.stderr)).toContain(
    "groups of type company: named by 9 events here and 9 in the service, which has 1 group; 7 of them don't show it: PostHog does only from 2024-03-03T00:00:00Z on",
  )
  expect((await run('verify', dataset, '--accept', 'hidden_groups')).code).toBe(0)
})

test('a type that is missing is made first, as of its oldest event, and all events show it', async () => {
  await begin()
  const dataset = await events()
  expect(unfolded((await run('check', dataset)).stdout)).toContain(
    'note: the project has no group type company yet: import makes it first, as of 2024-03-01T00:00:00Z',
  )
  const dry = await run('import', '--dataset', dataset, '--dry-run', '--json')
  const made = { code: 'new_group_types', level: 'note', names: ['company'] }
  expect(JSON.parse(dry.stdout).findings).toMatchObject([made])
  const imported = await run('import', '--dataset', dataset, ...FAST, '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ own_events: 1, counts: { written: 9 } })
  const [own] = readFileSync(`${dataset}.own.ndjson`, 'utf8').split('\n')
  expect(JSON.parse(own!)).toMatchObject({
    event: '$groupidentify',
    distinct_id: '$company_acme',
    timestamp: '2024-03-01T00:00:00.000000Z',
    properties: { $group_type: 'company', $group_key: 'acme', $group_set: {} },
  })
  const verified = await run('verify', dataset)
  expect([verified.code, unfolded(verified.stderr)]).toEqual([0, expect.stringContaining('equal: 10 events')])
  expect(verified.stderr).not.toContain('show it')
  // Run again, it asks for nothing and makes nothing.
  expect(JSON.parse((await run('import', '--dataset', dataset, '--json')).stdout).own_events).toBe(1)
})

test('on a server that dates a type by its arrival nothing more is sent, and it says why', async () => {
  await begin({ groupCreatedAt: 'arrival' })
  const dataset = await events()
  const imported = await run('import', '--dataset', dataset, ...FAST)
  expect(imported.code).toBe(3)
  expect(unfolded(imported.stderr)).toContain('up to 9 events would not show their company')
  expect(await types()).toHaveLength(1)
})

test('on a server that dates no type, or hides nothing, all goes on', async () => {
  await begin({ groupCreatedAt: 'null' })
  await live('company')
  const dataset = await events()
  expect((await run('import', '--dataset', dataset, ...FAST)).code).toBe(0)
  expect((await run('verify', dataset)).code).toBe(0)
})

test('six types with those of the project are refused', async () => {
  await begin()
  await live('a', 'b', 'c', 'd')
  const dataset = await events({ $groups: { company: 'x', team: 'y' } })
  const checked = await run('check', dataset)
  expect([checked.code, unfolded(checked.stdout)]).toEqual([
    3,
    expect.stringContaining('error: 6 group types, with those of the project'),
  ])
  const imported = await run('import', '--dataset', dataset, ...FAST)
  expect(imported.code).toBe(3)
  expect(unfolded(imported.stderr)).toContain(
    '6 group types, with those of the project, but a project has room for 5: a, b, c, d, company, team; none of the events was sent',
  )
  expect(checked.stdout).not.toContain('makes it first')
  expect(await types()).toHaveLength(4)
})

test('files are read first; a file that grew is looked at again', async () => {
  await begin()
  const path = join(testFolder(), 'events.ndjson')
  const line = (n: number, type: string) =>
    `${eventLine({ ...makeEvent(n), properties: { $groups: { [type]: 'x' } } })}\n`
  writeFileSync(path, line(5, 'company') + line(3, 'company'))
  const first = await run('import', '--file', path, ...FAST, '--json')
  expect(JSON.parse(first.stdout)).toMatchObject({ own_events: 1, counts: { written: 2 } })
  expect(readFileSync(`${path}.own.ndjson`, 'utf8')).toContain('2024-01-01T00:00:03.000000Z')
  writeFileSync(path, line(9, 'team'), { flag: 'a' })
  const second = await run('import', '--file', path, ...FAST, '--json')
  expect(JSON.parse(second.stdout)).toMatchObject({ own_events: 2, counts: { written: 3 } })
  expect((await run('verify', '--file', path)).code).toBe(0)
})

test('without a personal key nobody asks, and it says so', async () => {
  await begin()
  await live('company')
  const { POSTHOG_PERSONAL_API_KEY: _, ...env } = sandboxEnv(sandbox)
  const dataset = await events()
  const dry = await runCommand(['import', '--dataset', dataset, '--dry-run', '--json'], { env })
  expect(JSON.parse(dry.stdout).findings).toMatchObject([{ code: 'groups_unasked', level: 'note' }])
  const blind = await runCommand(['import', '--dataset', dataset, ...FAST], { env })
  expect([blind.code, unfolded(blind.stderr)]).toEqual([
    0,
    expect.stringContaining('the group types of the project are not known'),
  ])
})

test('only group events of a missing type: it says that events go first', async () => {
  await begin()
  const folder = await countedDataset(
    join(testFolder(), 'groups'),
    { '2024-03-01': { $groupidentify: 1 } },
    { $group_type: 'company', $group_key: 'acme', $group_set: {} },
  )
  const checked = await run('check', folder)
  expect([checked.code, unfolded(checked.stdout)]).toEqual([
    0,
    expect.stringContaining('if there are such events, import them before these groups'),
  ])
})

test('a type whose keys are all empty is none that import makes, and is no error', async () => {
  await begin()
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${eventLine({ ...makeEvent(1), properties: { $groups: { company: '' } } })}\n`)
  const checked = await run('check', '--file', path)
  expect([checked.code, checked.stdout]).toEqual([0, expect.not.stringContaining('makes it first')])
  const imported = await run('import', '--file', path, ...FAST, '--json')
  expect(JSON.parse(imported.stdout)).toMatchObject({ own_events: 0, counts: { written: 1 } })
})

test('a server that has no list of group types is no reason to stop', async () => {
  await begin({ dialect: { groupsTypes: [] } })
  const imported = await run('import', '--dataset', await events(), ...FAST)
  expect([imported.code, unfolded(imported.stderr)]).toEqual([
    0,
    expect.stringContaining('this server has no list of group types'),
  ])
})

test('a personal key that may not read groups stops the import before the first event', async () => {
  await begin({ personalKeys: [{ key: 'phx_few', scopes: ['project:read', 'query:read'] }] })
  const env = { ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_few' }
  const imported = await runCommand(['import', '--dataset', await events(), ...FAST], { env })
  expect(imported.code).toBe(3)
  expect(unfolded(imported.stderr)).toContain('could not ask which group types the project has')
  expect(unfolded(imported.stderr)).toContain('add --accept project_unasked')
  expect(imported.stderr).toContain('group:read')
  expect((await sandbox.query('SELECT count() FROM events')).results).toEqual([[0]])
})

const MANY = 'k'.repeat(401)
test.each([
  ['a long key', { $groups: { company: MANY } }],
  ['an empty name', { $groups: { '': 'x' } }],
  ['a list of groups', { $groups: ['a'] }],
  ['no person processing', { $groups: { company: 'x' }, $process_person_profile: false }],
])('%s makes no trouble', async (_, properties) => {
  await begin()
  const imported = await run('import', '--dataset', await events(properties), ...FAST)
  expect(imported.code, imported.stderr).toBe(0)
})
