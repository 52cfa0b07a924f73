import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { runCommand } from '../../helpers/command.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { unfolded } from '../../helpers/unfolded.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await testSandbox()
})

/** Without a personal key: what a file holds is known without the project. */
const run = (...argv: string[]) => {
  const { POSTHOG_PERSONAL_API_KEY: _, POSTHOG_PROJECT_ID: __, ...env } = sandboxEnv(sandbox)
  return runCommand(argv, { env })
}
const withKey = (...argv: string[]) => runCommand(argv, { env: sandboxEnv(sandbox) })

function file(...events: readonly object[]): string {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return path
}

const one = makeEvent(1)
const problems = (stdout: string) => JSON.parse(stdout).problems as Record<string, unknown>[]
const WHERE = `${one.uuid}: two persons, lines 1 and 3`

test('one uuid of two persons in a file: check and import say so, and nothing is sent', async () => {
  const path = file(one, makeEvent(2), { ...one, distinct_id: 'somebody' })
  const checked = await run('check', '--file', path, '--json')
  expect(checked.code).toBe(3)
  expect(problems(checked.stdout)).toContainEqual(
    expect.objectContaining({
      ...{ code: 'repeated_uuids', level: 'error', count: 1, names: ['distinct_id'], example: WHERE },
      text: expect.stringMatching(/^1 uuid has events that differ in person \(1\): PostHog merges only/),
      remedy: expect.stringContaining('give each event a uuid of its own'),
    }),
  )
  const dry = await run('import', '--file', path, '--dry-run')
  expect([dry.code, unfolded(dry.stdout + dry.stderr).includes(WHERE)]).toEqual([3, true])
  for (const imported of [await run('import', '--file', path), await withKey('import', '--file', path)]) {
    expect(imported.code).toBe(3)
    expect(unfolded(imported.stderr)).toContain('none of the events was sent')
    expect(unfolded(imported.stderr)).toContain(WHERE)
  }
  expect(sandbox.stats().events).toBe(0)
  const accepted = await run('import', '--file', path, '--accept', 'repeated_uuids', '--json')
  expect(accepted.code).toBe(0)
  expect(JSON.parse(accepted.stdout)).toMatchObject({
    counts: { written: 3 },
    findings: [{ code: 'repeated_uuids', level: 'warning' }],
  })
})

test('the very same event twice in a file is sent, and is one event', async () => {
  const path = file(one, makeEvent(2), one)
  const checked = await run('check', '--file', path, '--json')
  expect([checked.code, problems(checked.stdout)]).toEqual([0, []])
  expect((await run('import', '--file', path)).code).toBe(0)
})

test('a file that grew by such an event stops before what was added', async () => {
  const path = file(one, makeEvent(2))
  expect((await run('import', '--file', path)).code).toBe(0)
  writeFileSync(path, `${JSON.stringify({ ...one, event: 'other' })}\n`, { flag: 'a' })
  const again = await run('import', '--file', path)
  expect([again.code, unfolded(again.stderr).includes('two names, lines 1 and 3')]).toEqual([3, true])
  expect(sandbox.stats().events).toBe(2)
})

test('a file of which every line is rejected: check and import say why, and nothing is done', async () => {
  const path = file({ name: 'a', distinct_id: 'u1' }, { name: 'b', distinct_id: 'u2' }, { event: 'c' })
  const checked = await run('check', '--file', path, '--json')
  expect(checked.code).toBe(3)
  expect(problems(checked.stdout)).toEqual([
    expect.objectContaining({
      ...{ code: 'all_rejected', level: 'error', count: 3, names: ['event_missing', 'distinct_id_missing'] },
      text: 'no line can be sent: 3 lines are rejected, 2 of them as event_missing',
      example: 'line 1: event_missing: the record has no event name',
      remedy: expect.stringContaining('posthaul init'),
    }),
  ])
  const imported = await run('import', '--file', path)
  expect(imported.code).toBe(3)
  expect(unfolded(imported.stderr)).toContain('2 of them as event_missing; none of the events was sent')
  expect(existsSync(`${path}.rejects.ndjson`)).toBe(false)
  const accepted = await run('import', '--file', path, '--accept', 'all_rejected', '--json')
  expect([accepted.code, JSON.parse(accepted.stdout).counts.rejected]).toEqual([3, 3])
  expect((await run('check', '--file', path, '--accept', 'all_rejected')).code).toBe(0)
})

test('one uuid of several events of a dataset, which a vendor may have given them, is worth a note', async () => {
  const dataset = join(testFolder(), 'events')
  await writeDataset(dataset, [
    { file: '2024-01-01.ndjson', events: [one] },
    { file: '2024-01-02.ndjson', events: [{ ...one, timestamp: '2024-01-02T00:00:00.000000Z' }] },
  ])
  const { code, stdout } = await run('check', dataset, '--json')
  expect([code, problems(stdout)]).toEqual([
    0,
    [
      expect.objectContaining({
        ...{ code: 'shared_uuids', level: 'note', count: 1, names: ['timestamp'] },
        example: `${one.uuid}: two times, line 1 of 2024-01-01.ndjson and line 1 of 2024-01-02.ndjson`,
      }),
    ],
  ])
})

test('groups without a dollar sign are in no group, and check says so', async () => {
  const groups = { company: 'acme' }
  const path = file(
    { ...one, properties: { groups } },
    { ...makeEvent(2), properties: { groups, $groups: groups } },
    { ...makeEvent(3), properties: { groups: { members: 3 } } },
    { ...makeEvent(4), properties: { groups: ['acme'] } },
  )
  const { code, stdout } = await run('check', '--file', path, '--json')
  expect([code, problems(stdout).filter(({ level }) => level === 'warning')]).toEqual([
    0,
    [
      expect.objectContaining({
        ...{ code: 'unsigned_groups', count: 1, names: ['groups'] },
        text: expect.stringContaining('by $groups alone, so it is in no group'),
      }),
    ],
  ])
})
