import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { BatchEndpoint, CaptureV1Endpoint } from '../../src/service/send-events.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, type RunSetup } from '../helpers/import-run.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'
import { rows } from '../sandbox/harness.ts'

const LIMIT = 100
const EVENTS = 600

/** Events of which all but a few are of one distinct_id; each has a group. */
function fileOfOne(): string {
  const path = join(testFolder(), 'events.ndjson')
  const lines = Array.from({ length: EVENTS }, (_, n) =>
    JSON.stringify({
      uuid: `018cc251-f400-4abc-8def-${n.toString(16).padStart(12, '0')}`,
      event: 'e',
      distinct_id: n % 10 === 0 ? `user ${n}` : 'busy',
      timestamp: new Date(Date.UTC(2024, 0, 1) + n * 1000).toISOString(),
      properties: { n, $groups: { company: 'c' } },
    }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}

/** Imports the file in runs that stop after a while, and counts the events without a person and a group. */
async function personless(via: 'batch' | 'v1', perId: number): Promise<{ lost: number; minutes: number }> {
  const clock = new SleepyClock()
  const sandbox = await testSandbox({ maxEventsPerId: LIMIT, now: () => Math.floor(clock.wall()) })
  const key = new Secret(sandbox.projectKey, 'the sandbox')
  const transport = new Transport({ origin: sandbox.url, secrets: [key], connections: 2 })
  onTestFinished(() => transport.close())
  const endpoint = new BatchEndpoint(transport, key)
  const v1 = new CaptureV1Endpoint(transport, key, clock)
  const path = fileOfOne()
  const caps = { perMinute: 10_000, events: 1e9, approved: true, perId }
  for (let run = 0; run < 50; run++) {
    const post = endpoint as unknown as RunSetup['post']
    const stop = new AbortController()
    let batches = 0
    const settled = () => void (++batches === 12 && stop.abort())
    const more = { envelope: endpoint.envelope, lanes: 2, via, interrupted: stop.signal, settled }
    const outcome = await importFile({ path, post, v1, clock, caps, ...more })
    if (outcome.error === undefined) break
    expect(outcome.error).toMatchObject({ code: 'interrupted' })
  }
  const found = await rows(sandbox, 'SELECT uuid, properties FROM events LIMIT 5000')
  expect(new Set(found.map(([uuid]) => uuid)).size).toBe(EVENTS)
  const lost = found.filter(([, properties]) => {
    const { $process_person_profile, $group_0 } = JSON.parse(String(properties)) as Record<string, unknown>
    return $process_person_profile === false || $group_0 !== 'c'
  })
  return { lost: lost.length, minutes: clock.now() / 60_000 }
}

test.each(['batch', 'v1'] as const)(
  'by %s a busy id keeps its person and groups, over a chain of runs',
  async (via) => {
    const kept = await personless(via, LIMIT)
    expect(kept.lost).toBe(0)
    expect(kept.minutes).toBeGreaterThan((EVENTS * 0.9 - LIMIT) / LIMIT)
    expect((await personless(via, 1e9)).lost).toBeGreaterThan(EVENTS / 2)
  },
)
