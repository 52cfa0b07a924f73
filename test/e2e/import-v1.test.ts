import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { hurry } from '../helpers/quick-clock.ts'
import { seedOf } from '../helpers/random.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { rows } from '../sandbox/harness.ts'

const seed = seedOf('import-v1')
// Faults make it wait between its tries.
hurry(20)
const FAST = [
  ...['--approved', '--max-events-per-minute', '100000000', '--lanes', '2', '--batch-events', '50'],
]

/** An import that may ask the project makes a group type first, by an event of its own. */
const blind = (sandbox: Sandbox) => ({ ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: '' })

/** Events that hold, in turn, all that has a place of its own in the V1 form, and what looks like it. */
function fileOf(count: number): string {
  const path = join(testFolder(), 'events.ndjson')
  const lines = Array.from({ length: count }, (_, n) => {
    const tail = n.toString(16).padStart(12, '0')
    const merges = n % 40 === 7
    const properties = {
      n,
      $current_url: `https://shop.example/${n}?q=ü`,
      ...(n % 3 === 0 && { $session_id: `018cc251-f400-7abc-8def-${tail}`, $window_id: `w${n}` }),
      ...(n % 5 === 0 && { $process_person_profile: n % 10 === 0 }),
      ...(n % 7 === 0 && { $set: { plan: n, $session_id: 'not one' }, $product_tour_id: 'tour' }),
      ...(n % 11 === 0 && { $cookieless_mode: false, $lib: 'web', $lib_version: '1.2' }),
      ...(n % 13 === 0 && { $groups: { company: `c${n % 9}` } }),
      ...(merges && { $anon_distinct_id: `anonymous ${n}` }),
    }
    return JSON.stringify({
      uuid: `018cc251-f400-4abc-8def-${tail}`,
      event: merges ? '$identify' : `event ${n % 9}`,
      distinct_id: `user ${n % 17}`,
      timestamp: new Date(Date.UTC(2024, 0, 1) + n * 100_000).toISOString(),
      properties,
    })
  })
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** What the project holds of each event, without the properties in which the routes differ. */
async function stored(sandbox: Sandbox): Promise<readonly unknown[]> {
  const found = await rows(
    sandbox,
    'SELECT toString(uuid), event, distinct_id, toString(timestamp), historical_migration, properties FROM events ORDER BY uuid LIMIT 5000',
  )
  // The service merges equal events some time after they arrive: of those, one is left here.
  const told = new Map<string, unknown>()
  for (const [uuid, event, id, timestamp, historical, properties] of found) {
    const {
      $sent_at,
      $ignore_sent_at,
      distinct_id: _,
      ...rest
    } = JSON.parse(String(properties)) as Record<string, unknown>
    const row = [uuid, event, id, timestamp, historical, rest]
    told.set(JSON.stringify(row), row)
  }
  return [...told.values()]
}

async function run(sandbox: Sandbox, path: string, ...more: string[]) {
  const argv = ['import', '--file', path, ...FAST, '--json', ...more]
  const ran = await runCommand(argv, { env: blind(sandbox) })
  return {
    ...ran,
    summary: JSON.parse(ran.stdout) as Record<string, unknown> & { counts: Record<string, number> },
  }
}

test('the same events by both routes are the same rows, and in one project they are there once', async () => {
  const path = fileOf(400)
  const [one, two] = [await testSandbox(), await testSandbox()]
  expect(await run(one, path, '--via', 'batch')).toMatchObject({ code: 0, summary: { via: 'batch' } })
  expect(await run(two, path, '--via', 'v1', '--checkpoint', `${path}.two`)).toMatchObject({
    code: 0,
    summary: { via: 'v1', counts: { written: 400 }, unmerged: {}, unknown_answers: 0 },
  })
  const rowsOfOne = await stored(one)
  expect(rowsOfOne.length).toBe(400)
  expect(await stored(two)).toEqual(rowsOfOne)
  expect(await run(one, path, '--via', 'v1', '--restart')).toMatchObject({ code: 0 })
  expect(await stored(one)).toEqual(rowsOfOne)
})

test.each([
  ['v1-retry:0.02', 'lost:0.2', 'partial:0.2', '503:0.2'],
  ['503:0.5,on=v1'],
  ['429:0.3', 'slow:0.1,ms=50', 'html:0.1,after=50'],
])('under %s and more, each event arrives once', async (...faults) => {
  const path = fileOf(300)
  const sandbox = await testSandbox({ faults, seed })
  const { code, summary } = await run(sandbox, path, '--via', 'v1')
  expect([code, summary.counts.written]).toEqual([0, 300])
  expect((await stored(sandbox)).length).toBe(300)
})

test('what is dropped is a reject with its word, what lost its person is named, and over quota is a pause', async () => {
  const path = fileOf(300)
  const sandbox = await testSandbox({ faults: ['v1-drop:0.05,word=event_too_big', 'v1-warning:0.3'], seed })
  const dropped = await run(sandbox, path, '--via', 'v1')
  const { rejected = 0, written = 0 } = dropped.summary.counts
  expect([dropped.code, rejected + written]).toEqual([3, 300])
  expect(dropped.summary.rejects).toEqual({ refused_event_too_big: rejected })
  expect(dropped.summary.warnings).toMatchObject({ person_processing_disabled: expect.any(Number) })
  expect(dropped.stderr).not.toContain(sandbox.projectKey)
  sandbox.setFaults(['quota'])
  const over = await run(sandbox, path, '--via', 'v1', '--restart')
  expect([over.code, over.summary.reason, over.summary.counts.written]).toEqual([5, 'paused', 0])
  sandbox.setFaults([])
  expect(await run(sandbox, path, '--via', 'v1')).toMatchObject({
    code: 0,
    summary: { counts: { written: 300 } },
  })
  expect((await stored(sandbox)).length).toBe(300)
})
