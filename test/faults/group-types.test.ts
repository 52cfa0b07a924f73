import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { disturb, pointsOf } from './kit/disturb.ts'
import type { Begin } from './kit/works.ts'

const seed = seedOf('group types')
const TYPES = ['company', 'project', 'team']
const OLDEST = '2024-01-01T00:00:00Z'
const IN_A_HURRY = ['--approved', '--max-events-per-minute', '1000000', '--batch-events', '4']

/** Twelve events of three types. The oldest comes last: an event that went first would make a type too young. */
function input(folder: string): string {
  const path = join(folder, 'events.ndjson')
  const $groups = Object.fromEntries(TYPES.map((type) => [type, 'a']))
  const lines = Array.from({ length: 12 }, (_, n) =>
    eventLine({ ...makeEvent(11 - n), properties: { $groups } }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

const count = async (sandbox: Sandbox, of: string, where = 'true') =>
  Number((await sandbox.query(`SELECT ${of} FROM events WHERE ${where}`)).results[0]![0])
const ofInput = (sandbox: Sandbox) => count(sandbox, 'count(*)', "event != '$groupidentify'")

/** Each type was made once, by the same event however often it went out, and as of the oldest event. */
async function judge(sandbox: Sandbox, path: string, env: Record<string, string>): Promise<void> {
  expect(await ofInput(sandbox)).toBe(12)
  expect(await count(sandbox, 'count(DISTINCT uuid)', "event = '$groupidentify'")).toBe(3)
  const own = new Set(readFileSync(`${path}.own.ndjson`, 'utf8').split('\n').filter(Boolean))
  expect(own.size).toBe(3)
  const answer = await fetch(`${sandbox.url}/api/projects/${sandbox.projectId}/groups_types/`, {
    headers: { authorization: `Bearer ${sandbox.personalKey}` },
  })
  const types = (await answer.json()) as { group_type: string; created_at: string }[]
  expect(types.map((type) => type.group_type)).toEqual(TYPES)
  for (const { created_at } of types) expect(Date.parse(created_at)).toBe(Date.parse(OLDEST))
  await exits(0, runHosted(['verify', '--file', path], env))
}

/** An import that has to make three group types before anything else. */
const making: Begin = async (folder) => {
  const sandbox = await testSandbox()
  const path = input(folder)
  const env = { ...sandboxEnv(sandbox), POSTHAUL_DRAIN: '300ms' }
  return {
    argv: ['import', '--file', path, ...IN_A_HURRY],
    env,
    async check({ code, stderr }) {
      expect(code, stderr).toBe(0)
      await judge(sandbox, path, env)
    },
  }
}

test('killed anywhere while it makes group types, an import goes on and makes each once', async () => {
  const points = await pointsOf(making)
  const all = points.flatMap((point) => [
    { ...point, when: 'before' } as const,
    { ...point, when: 'after' } as const,
  ])
  for (const kill of shuffled(all, seeded(seed)).slice(0, kills({ few: 1, many: 3 })))
    await disturb(making, { kill })
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s while it waits until the types are listed: nothing else was sent, and it goes on',
  async (signal) => {
    let at = Date.now()
    const sandbox = await testSandbox({ groupTypesCacheMs: 300_000, now: () => at })
    const path = input(testFolder())
    const env = { ...sandboxEnv(sandbox), POSTHAUL_DRAIN: '300ms' }
    const argv = ['import', '--file', path, ...IN_A_HURRY]
    const cli = startCli(argv, env)
    const ended = await signalWhen(cli, signal, () =>
      cli.printed().includes('waiting until the project lists'),
    )
    expect(ended.stderr).toContain('company, project, team')
    expect(signal === 'SIGTERM' ? ended.code : ended.signal).toBe(signal === 'SIGTERM' ? 143 : signal)
    expect([await count(sandbox, 'count(DISTINCT uuid)'), await ofInput(sandbox)]).toEqual([3, 0])
    // A run that begins while they are still not listed sends the same events, and waits again.
    await exits(0, runHosted([...argv, '--stop-after', '2s'], env), 'stopped as asked')
    expect([await count(sandbox, 'count(DISTINCT uuid)'), await ofInput(sandbox)]).toEqual([3, 0])
    at += 300_000
    await exits(0, runHosted(argv, env))
    at += 300_000
    await judge(sandbox, path, env)
  },
)
