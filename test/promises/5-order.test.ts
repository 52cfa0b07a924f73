import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DatasetSource } from '../../src/delivery/dataset-source.ts'
import { EventLineReader } from '../../src/delivery/line-reader.ts'
import { conserved } from '../../src/record/counts.ts'
import { LocalStore } from '../../src/store/local.ts'
import { writeDataset } from '../helpers/dataset.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const seed = seedOf('order')

/** A service that answers after random times, sometimes fails, and records which requests are under way. */
function watchful(roll: () => number) {
  const underWay = new Set<string>()
  const order: TestEvent[] = []
  const post = new FakePost(async ({ events }) => {
    const days = new Set(events.map(({ timestamp }) => timestamp.slice(0, 10)))
    expect(days.size, 'one UTC day a batch').toBe(1)
    const [day] = days as unknown as [string]
    for (const other of underWay) expect(other.slice(0, 10), 'a day waits for the one before it').toBe(day)
    const mine = `${day} ${events[0]!.uuid}`
    underWay.add(mine)
    for (let turns = Math.floor(roll() * 20); turns > 0; turns--) await new Promise(setImmediate)
    underWay.delete(mine)
    if (roll() < 0.15) return { status: 503, headers: {}, body: '' }
    order.push(...events)
    return OK
  })
  return { post, order }
}

function expectOrder(order: readonly TestEvent[], days: 'ascending' | 'as in the file'): void {
  const last = new Map<string, string>()
  for (const { distinct_id, timestamp } of order) {
    expect(timestamp >= (last.get(distinct_id) ?? ''), `${distinct_id} in time order`).toBe(true)
    last.set(distinct_id, timestamp)
  }
  const seen = order.map(({ timestamp }) => timestamp.slice(0, 10))
  if (days === 'ascending') expect(seen).toEqual([...seen].sort())
}

test.each([1, 2, 5, 16])(
  'promise 5: days oldest first, a person’s events in time order (%i lanes)',
  async (lanes) => {
    const roll = seeded(seed + lanes)
    const path = join(testFolder(), 'events.ndjson')
    const events = Array.from({ length: 1500 }, (_, n) =>
      makeEvent(n, { day: 1 + Math.floor(n / 300), ids: 40 }),
    )
    writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
    const { post, order } = watchful(roll)
    const { counts, error } = await importFile({ path, post, lanes, limits: { events: 30, bytes: 1e6 } })
    expect([error, conserved(counts), order.length]).toEqual([undefined, true, 1500])
    expectOrder(order, 'ascending')
    if (lanes > 1) expect(post.most).toBeGreaterThan(1)
    expect(post.most).toBeLessThanOrEqual(lanes)
  },
)

test('promise 5: a dataset goes out by day and part, whatever the order of its manifest', async () => {
  const folder = testFolder()
  const events = Array.from({ length: 400 }, (_, n) => makeEvent(n, { day: 1 + Math.floor(n / 100), ids: 9 }))
  const parts = [3, 0, 2, 1].flatMap((day) => [
    { file: `2024-01-0${day + 1}.0001.ndjson`, events: events.slice(day * 100 + 60, day * 100 + 100) },
    { file: `2024-01-0${day + 1}.ndjson`, events: events.slice(day * 100, day * 100 + 60) },
  ])
  await writeDataset(folder, parts)
  const { post, order } = watchful(seeded(seed))
  const source = await DatasetSource.open(new LocalStore(folder))
  const reader = new EventLineReader()
  const path = join(testFolder(), 'dataset')
  const { error } = await importFile({
    path,
    post,
    source,
    reader,
    lanes: 3,
    limits: { events: 7, bytes: 1e6 },
  })
  expect(error).toBeUndefined()
  expectOrder(order, 'ascending')
  expect(order.map(({ uuid }) => uuid).sort()).toEqual(events.map(({ uuid }) => uuid).sort())
})

test('promise 5: events of a file are sent in its order, even if its days are mixed', async () => {
  const path = join(testFolder(), 'events.ndjson')
  const roll = seeded(seed)
  const events = Array.from({ length: 200 }, (_, n) =>
    makeEvent(n, { day: 1 + Math.floor(roll() * 4), ids: 200 }),
  )
  writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
  const { post, order } = watchful(roll)
  await importFile({ path, post, limits: { events: 30, bytes: 1e6 } })
  expect(order.map(({ uuid }) => uuid)).toEqual(events.map(({ uuid }) => uuid))
})
