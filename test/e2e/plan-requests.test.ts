import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { makeFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

/** 400 events that go back and forth between two days: each is a request of its own, after the one before it. */
const LINES = Array.from({ length: 400 }, (_, n) => ({
  uuid: `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  event: 'a',
  distinct_id: `u${n}`,
  timestamp: `2026-03-0${1 + (n % 2)}T00:00:00Z`,
  properties: {},
}))

test('requests of a file of mixed days, and the time of an answer, are part of what a plan says', async () => {
  const sandbox = await testSandbox()
  const file = join(makeFolder(), 'events.ndjson')
  writeFileSync(file, LINES.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const env = sandboxEnv(sandbox)
  const json = async (...argv: string[]) =>
    JSON.parse((await runHosted([...argv, '--file', file, '--json'], env)).stdout)
  const checked = await json('check')
  const planned = (await json('import', '--dry-run')).plan
  for (const { requests, seconds_at_cap: seconds } of [checked, planned]) {
    expect(requests).toEqual({ in_turn: 400, answer_ms: expect.any(Number) })
    expect(requests.answer_ms).toBeGreaterThan(0)
    expect(seconds).toBe(Math.ceil(Math.max(checked.events / (9800 / 60), (400 * requests.answer_ms) / 1000)))
  }
  const without = JSON.parse((await runHosted(['check', '--file', file, '--json'])).stdout)
  expect(without.requests).toEqual({ in_turn: 400, answer_ms: null })
})
