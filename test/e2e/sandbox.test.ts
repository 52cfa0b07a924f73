import { existsSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxResult } from '../../src/commands/results.ts'
import { type CliProcess, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { listening } from '../helpers/sandbox-life.ts'

type Running = CliProcess & { readonly info: SandboxResult }

async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const cli = startCli(['sandbox', '--port', '0', ...args], env)
  onTestFinished(() => cli.kill('SIGKILL'))
  return { ...cli, info: await listening(cli.printed) }
}

async function stop({ info, ended }: Running, signal: NodeJS.Signals): Promise<number | null> {
  process.kill(info.pid, signal)
  return (await ended).code
}

const uuid = (n: number) => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`

async function send({ info }: Running, from: number, count: number): Promise<void> {
  const batch = Array.from({ length: count }, (_, n) => ({
    uuid: uuid(from + n),
    event: 'a',
    distinct_id: 'u',
    timestamp: '2024-03-01T00:00:00Z',
  }))
  const body = JSON.stringify({ api_key: info.project_key, historical_migration: true, batch })
  const answer = await fetch(`${info.url}/batch/`, { method: 'POST', body })
  if ((await answer.text()) !== '{"status":"Ok"}') throw new Error(`refused: ${answer.status}`)
}

async function storedUuids({ info }: Running): Promise<Set<unknown>> {
  const answer = await fetch(`${info.url}/api/projects/${info.project_id}/query/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${info.personal_key}` },
    body: JSON.stringify({ query: { kind: 'HogQLQuery', query: 'SELECT uuid FROM events LIMIT 50000' } }),
  })
  const { results } = (await answer.json()) as { results: unknown[][] }
  return new Set(results.map(([id]) => id))
}

test('says what to export, announces itself to scripts, and stops with exit 0', async () => {
  const running = await run(['--project-key', 'phc_mine', '--fault', '429:0', '--seed', '3'], {
    POSTHAUL_SANDBOX_PERSONAL_KEY: 'phx_mine',
  })
  const { info } = running
  expect(info).toMatchObject({
    version: 1,
    event: 'listening',
    project_key: 'phc_mine',
    personal_key: 'phx_mine',
  })
  for (const line of [
    `export POSTHOG_HOST=${info.url}`,
    `export POSTHOG_INGEST_HOST=${info.url}`,
    'export POSTHOG_PROJECT_API_KEY=phc_mine',
    'export POSTHOG_PERSONAL_API_KEY=phx_mine',
    'export POSTHOG_PROJECT_ID=1',
    'faults: 429:0 (seed 3)',
    'stop it with Ctrl-C',
  ]) {
    expect(running.printed()).toContain(line)
  }
  await send(running, 0, 10)
  expect(await stop(running, 'SIGTERM')).toBe(0)
  expect(running.printed()).toContain('1 ingestion request and 10 events')
  expect(existsSync(info.data)).toBe(false)
})

test('SIGINT ends it with 0 too, a connection held open or not', async () => {
  const running = await run(['--fault', 'slow:ms=600000'])
  const hanging = send(running, 0, 1).catch((error: unknown) => error)
  // The answer drips, but the event is stored: there is something to see before the end.
  while ((await storedUuids(running)).size === 0);
  expect(await stop(running, 'SIGINT')).toBe(0)
  expect(await hanging).toBeInstanceOf(Error)
})

test('what was acknowledged outlives SIGKILL', async () => {
  const data = testFolder()
  const acknowledged = new Set<string>()
  let next = 0
  for (let round = 0; round < kills({ few: 2, many: 3 }); round++) {
    const running = await run(['--data', data])
    const stored = await storedUuids(running)
    expect([...acknowledged].filter((id) => !stored.has(id))).toEqual([])
    // Two lanes send until the process is gone; the kill comes with an acknowledgement, in the midst of the other's.
    const lane = async () => {
      for (let batches = 0; ; batches++) {
        const from = next
        next += 200
        await send(running, from, 200)
        for (let n = from; n < from + 200; n++) acknowledged.add(uuid(n))
        if (batches === 3 * round) running.kill('SIGKILL')
      }
    }
    await Promise.allSettled([lane(), lane()])
    await running.ended
  }
  const last = await storedUuids(await run(['--data', data]))
  expect(acknowledged.size).toBeGreaterThan(0)
  expect([...acknowledged].filter((id) => !last.has(id))).toEqual([])
})

test.each([
  [['--fault', 'toast'], "there is no fault 'toast'"],
  [['--seed', '-1'], '--seed is "-1": expected a whole number from 0 on'],
  [['--project-key', 'phx_oops'], 'holds a key of another kind'],
])('%j is refused', async (args, text) => {
  await exits(2, runHosted(['sandbox', '--port', '0', ...args]), text)
})
