import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { runCommand } from '../../helpers/command.ts'
import { eventLine, makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { unfolded } from '../../helpers/unfolded.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await testSandbox()
})

const run = (argv: readonly string[], env: Record<string, string> = {}) =>
  runCommand(argv, { env: { ...sandboxEnv(sandbox), ...env }, columns: 80 })

/** Five events of two days, as a file. */
function events(): string {
  const path = join(testFolder(), 'events.ndjson')
  const lines = [0, 1, 2, 3, 4].map((n) => eventLine(makeEvent(n, { day: n < 3 ? 1 : 3 })))
  writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  return path
}

async function live(day: string): Promise<void> {
  const event = { event: 'live', distinct_id: 'someone', timestamp: `${day}T12:00:00Z`, properties: {} }
  const body = JSON.stringify({ api_key: sandbox.projectKey, batch: [event] })
  await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
}

const projectOf = async (path: string) => {
  const ran = await run(['check', '--file', path, '--json'])
  const { project, problems } = JSON.parse(ran.stdout)
  const kinds = problems.map(({ code, count }: { code: string; count: number }) => `${code} ${count}`)
  return { code: ran.code, project, kinds }
}

test('names the project, and tells what is there already from what this import sent', async () => {
  const path = events()
  const before = await projectOf(path)
  expect(before).toMatchObject({
    code: 0,
    project: { id: expect.any(String), name: expect.any(String), empty: true, days: [] },
  })

  await live('2024-01-02')
  expect(await projectOf(path)).toMatchObject({ project: { empty: false, days: [] } })

  await live('2024-01-03')
  const inUse = await projectOf(path)
  expect(inUse.project.days).toEqual([{ day: '2024-01-03', events: 1, own: 0, others: 0 }])
  expect(inUse.kinds).toContain('project_in_use 1')
  expect(inUse.code).toBe(0)

  expect((await run(['import', '--file', path])).code).toBe(0)
  const after = await projectOf(path)
  expect(after.project.days).toEqual([
    { day: '2024-01-01', events: 3, own: 3, others: 0 },
    { day: '2024-01-03', events: 3, own: 2, others: 0 },
  ])
  expect(after.kinds).toEqual(expect.arrayContaining(['project_in_use 1', 'already_imported 5']))
  const text = unfolded((await run(['check', '--file', path])).stdout)
  expect(text).toContain('has 1 event that is not of this import on 1 of these days: 2024-01-03')
})

test('a service that did not answer one question is not waited for again, and says so once', async () => {
  const path = join(testFolder(), 'events.ndjson')
  const event = makeEvent(0, { day: 1 })
  const grouped = { ...event, properties: { ...event.properties, $groups: { company: 'acme' } } }
  writeFileSync(path, `${eventLine(grouped)}\n`)
  await sandbox.close()
  const { code, stdout, stderr } = await run(['check', '--file', path])
  expect(code).toBe(5)
  expect(unfolded(stdout + stderr).split('could not ask').length - 1).toBe(1)
  expect(stderr).not.toContain('could not be asked')
})

test('a project that can’t be asked is said, and all else works', async () => {
  const path = events()
  const refused = await run(['check', '--file', path], { POSTHOG_PERSONAL_API_KEY: 'phx_of_somebody_else' })
  expect(refused.code).toBe(3)
  expect(unfolded(refused.stdout)).toContain('error: could not ask what the project has: ')
  expect(refused.stdout).toContain('5 in 2 days')
  // Groups, events and persons are three questions of one key.
  expect(unfolded(refused.stdout + refused.stderr).split('is not valid').length - 1).toBe(1)

  const keyless = await run(['check', '--file', path, '--json'], { POSTHOG_PERSONAL_API_KEY: '' })
  expect(JSON.parse(keyless.stdout)).toMatchObject({ events: 5, project: null, unasked: null })
})
