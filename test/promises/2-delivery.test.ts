import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/random.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'

const seed = seedOf('delivery')
const sandbox = await fileSandbox({ seed })

async function importFile(path: string, ...flags: string[]) {
  const env = { POSTHOG_PROJECT_API_KEY: sandbox.projectKey, POSTHOG_INGEST_HOST: sandbox.url }
  const lifted = ['--approved', '--max-events-per-minute', '100000000', '--json']
  const { code, stdout, stderr } = await runCommand(['import', '--file', path, ...lifted, ...flags], { env })
  return { code, stderr, summary: JSON.parse(stdout) }
}

/** What the service has of some events: the four fields by which it takes two sends for one, and the exact time. */
async function stored(where: string): Promise<string[]> {
  const { results } = await sandbox.query(
    `SELECT uuid, event, distinct_id, toString(timestamp) FROM events WHERE ${where} ORDER BY uuid`,
  )
  return results.map((row) => row.join(' '))
}

test('promise 2: nothing counts as delivered before the service has said so', async () => {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, Array.from({ length: 40 }, (_, n) => `${eventLine(makeEvent(n))}\n`).join(''))
  for (const fault of ['quota-said', 'html', 'billing', '503', 'reset', 'lost', 'partial']) {
    sandbox.setFaults([fault], seed)
    const { summary } = await importFile(path, '--retry-for', '0s')
    expect([fault, summary.counts.written, summary.counts.pending]).toEqual([fault, 0, 40])
  }
  sandbox.setFaults([])
  expect((await importFile(path)).summary.counts).toMatchObject({ written: 40, pending: 0 })
  expect((await stored("distinct_id LIKE 'user-%'")).length).toBe(40)
})

test('promise 2: answers that got lost and batches half stored leave nothing twice', async () => {
  const path = join(testFolder(), 'events.ndjson')
  const events = Array.from({ length: 500 }, (_, n) => ({
    ...makeEvent(n + 1000),
    distinct_id: `lossy-${n % 9}`,
  }))
  writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
  sandbox.setFaults(['lost:0.2', 'partial:0.2'], seed)
  const { code } = await importFile(path, '--batch-events', '25', '--lanes', '2')
  sandbox.setFaults([])
  expect(code).toBe(0)
  expect((await stored("distinct_id LIKE 'lossy-%'")).length).toBe(500)
})

test('promise 2: uuid, event, distinct_id and timestamp are functions of the record: sent anew, all merges', async () => {
  const path = join(testFolder(), 'bare.ndjson')
  // No uuid, times with offsets: what import has to add must be the same every time. 30 lines are repeated ten times each.
  const lines = Array.from({ length: 300 }, (_, n) =>
    JSON.stringify({
      event: n % 2 ? 'bare' : '$group_identify',
      distinct_id: ` bare-${n % 5} `,
      timestamp: '2024-02-03T23:30:00.123456+02:00',
      properties: { n: n % 3 },
    }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  await importFile(path)
  const first = await stored("distinct_id LIKE 'bare-%'")
  expect(first.length).toBe(30)
  for (const flags of [
    ['--batch-events', '7'],
    ['--lanes', '5'],
    ['--batch-events', '50', '--lanes', '2'],
  ]) {
    const { summary } = await importFile(path, '--restart', ...flags)
    expect(summary.counts.written).toBe(300)
  }
  expect(await stored("distinct_id LIKE 'bare-%'")).toEqual(first)
})

test('promise 2: the same lines in another order and in another file are the same events', async () => {
  const lines = Array.from({ length: 60 }, (_, n) =>
    JSON.stringify({ event: 'moved', distinct_id: `moved-${n}`, timestamp: '2024-02-05T00:00:00Z' }),
  )
  const folder = testFolder()
  const files = [lines, [...lines].reverse(), [...lines, ...lines]].map((some, n) => {
    const path = join(folder, `moved-${n}.ndjson`)
    writeFileSync(path, `${some.join('\n')}\n`)
    return path
  })
  for (const path of files) await importFile(path)
  expect((await stored("distinct_id LIKE 'moved-%'")).length).toBe(60)
})
