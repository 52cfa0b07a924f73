import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeFolder } from '../helpers/folder.ts'
import { importUnderKills } from '../helpers/import-kills.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { type Action, OK, says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import type { MintedEvent } from './kit/mint.ts'
import { FaultyImport, type Imported } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('poison')
const random = seeded(seed)
const BATCH = 8
const SPEED = 40

/** The places in a batch whose events are poisoned. */
const PLACES: readonly (readonly number[])[] = [
  ...Array.from({ length: BATCH }, (_, place) => [place]),
  [0, 7],
  [3, 4],
  [1, 2, 3],
  [0, 2, 4, 6],
  [1, 3, 5, 7],
  [4, 5, 6, 7],
  [1, 2, 3, 4, 5, 6, 7],
  [0, 1, 2, 3, 4, 5, 6],
  [0, 1, 2, 3, 4, 5, 6, 7],
]

describe(`of ${BATCH} events in a batch, only those are rejects that are poisoned`, () => {
  const rows = chosen(PLACES, 6, random).map((places) => ({ name: places.join(' '), places }))
  let it: FaultyImport
  let ended: Imported
  let rejected: Set<string>
  const batch = (row: number): readonly MintedEvent[] => it.minted.slice(row * BATCH, (row + 1) * BATCH)

  beforeAll(async () => {
    const service = await Service.start(undefined, afterAll)
    const events = (rows.length + 1) * BATCH
    it = new FaultyImport({ service, seed, events, folder: makeFolder(), clock: new FastClock(SPEED) })
    for (const [row, { places }] of rows.entries()) {
      for (const place of places) service.poison.add(batch(row)[place]!.uuid)
    }
    ended = await it.run('--batch-events', String(BATCH))
    rejected = it.oracle.rejectedIn(it.rejectsFile)
  })

  test.each(rows)('$name', ({ name, places }) => {
    const row = rows.findIndex((each) => each.name === name)
    const found = batch(row).flatMap(({ uuid }, place) => (rejected.has(uuid) ? [place] : []))
    expect(found).toEqual(places)
  })

  test('with the words of the service, and all others arrive', () => {
    it.judge()
    expect(ended.code).toBe(3)
    for (const line of readFileSync(it.rejectsFile, 'utf8').trimEnd().split('\n')) {
      expect(JSON.parse(line)).toMatchObject({
        reason: 'refused_by_service',
        message: '400 event submitted without a distinct_id',
      })
    }
  })
})

/** Poisons a share of the events. Returns their uuids. */
function poisoned(service: Service, it: FaultyImport, share: number): Set<string> {
  for (const { uuid } of it.minted) if (random() < share) service.poison.add(uuid)
  return service.poison
}

const FAULTS: readonly Action[] = [
  { answer: says(503) },
  { reset: 'afterBody' },
  { reset: 'afterBody', store: true },
  { close: 'inAnswer' },
  { answer: says(429, 'rate limited', { 'Retry-After': '1' }) },
]

test('while answers are lost and the service is out, only poisoned events are rejects', async () => {
  const service = await Service.start()
  // A poisoned batch is never kept.
  service.script = (_, { method }) => {
    const fault = random() < 0.3 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined
    return method === 'POST' && fault ? fault : undefined
  }
  const it = new FaultyImport({ service, seed, events: 200, days: 3, clock: new FastClock(SPEED) })
  const bad = poisoned(service, it, 0.04)
  const { code } = await it.run('--batch-events', '20', '--lanes', '3')
  it.judge()
  expect([code, it.oracle.rejectedIn(it.rejectsFile)]).toEqual([bad.size > 0 ? 3 : 0, bad])
})

test('a run that is killed while it looks for poisoned events goes on, and finds the same ones', async () => {
  const service = await Service.start()
  const it = new FaultyImport({ service, seed, events: 200, days: 2, clock: new FastClock(SPEED) })
  const bad = poisoned(service, it, 0.06)
  const ended = await importUnderKills({
    argv: [...it.argv, '--batch-events', '20', '--lanes', '2'],
    env: it.env,
    kills: kills({ few: 2, many: 4 }),
    requests: () => service.requests.length,
    random,
  })
  it.ended(ended)
  it.judge()
  expect(it.oracle.rejectedIn(it.rejectsFile)).toEqual(bad)
})

test('a limit of events in a request that nobody told us of: all arrive, in smaller requests', async () => {
  const service = await Service.start(() => ({
    answer: ({ events }) => (events.length > 3 ? says(413, 'request entity too large') : OK),
  }))
  const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
  const { code } = await it.run('--batch-events', '20')
  it.judge()
  expect(code).toBe(0)
})
