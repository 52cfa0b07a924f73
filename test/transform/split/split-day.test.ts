import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { newHead, readHead } from '../../../src/record/head.ts'
import { sketchHash } from '../../../src/record/sketches.ts'
import type { EventPart } from '../../../src/store/manifest.ts'
import { EventIds } from '../../../src/transform/split/event-ids.ts'
import { type DatasetOfSlot, destinationOf, PersonSets } from '../../../src/transform/split/person-sets.ts'
import { type DayShareOptions, splitDay } from '../../../src/transform/split/split-day.ts'
import { eventLine, makeEvent, type TestEvent } from '../../helpers/events.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'

const DATE = '2024-01-01'
const DAY = Date.parse(DATE) / 86_400_000
const DATASETS = 3

/** Bytes come in pieces of a fixed size, as from a disk or a bucket. */
class PiecewiseStore extends MemoryStore {
  pieceBytes = 64 * 1024

  override async *readThrough(name: string): AsyncGenerator<Buffer> {
    const bytes = this.files.get(name)!
    for (let at = 0; at < bytes.length; at += this.pieceBytes) yield bytes.subarray(at, at + this.pieceBytes)
  }
}

const textOf = (events: readonly TestEvent[]) => events.map((event) => `${eventLine(event)}\n`).join('')

/** A day of events that is sealed in two parts, and the table of a division that keeps linked ids together. */
function sealed(events: readonly TestEvent[]) {
  const whole = new PiecewiseStore()
  const half = Math.ceil(events.length / 2)
  const parts = [events.slice(0, half), events.slice(half)].map((some, index): EventPart => {
    const file = `${DATE}.000${index}.ndjson`
    whole.files.set(file, Buffer.from(textOf(some)))
    return { file, day: DATE, events: some.length, bytes: 0, sha256: '', first: '', last: '' }
  })
  const [sets, ids] = [new PersonSets(events.length), new EventIds('$group_identify')]
  for (const event of events) {
    const line = Buffer.from(eventLine(event))
    const linked = ids.linkedIn(line, readHead(line, 0, line.length, newHead())!)
    if (linked !== undefined) sets.link(sketchHash(event.distinct_id), linked)
  }
  return { whole, parts, table: sets.divide(DATASETS) }
}

type Sealed = ReturnType<typeof sealed>

/** One dataset's share, and the store that it stands in. */
async function shareOf(
  { whole, parts, table }: Sealed,
  dataset: number,
  more: Partial<DayShareOptions> = {},
) {
  const store = new MemoryStore()
  const options = {
    dataset,
    whose: table,
    whole,
    store,
    gzip: false,
    groupEventName: '$group_identify',
    ...more,
  }
  return { store, share: await splitDay(DAY, parts, options) }
}

const sharesOf = (day: Sealed, more?: Partial<DayShareOptions>) =>
  Promise.all(Array.from({ length: DATASETS }, (_, dataset) => shareOf(day, dataset, more)))

const bytesIn = (store: MemoryStore) => Buffer.concat([...store.files.values()]).toString()

const datasetOf = (table: DatasetOfSlot, { distinct_id }: TestEvent) =>
  destinationOf(table, sketchHash(distinct_id))

/** `count` events of 40 people, in order. */
const manyEvents = (count: number) => Array.from({ length: count }, (_, n) => makeEvent(n, { ids: 40 }))

test('each line goes, as it is and in its order, to the one dataset of its person', async () => {
  const events = manyEvents(500)
  const day = sealed(events)
  const shares = await sharesOf(day)
  for (const [dataset, { share, store }] of shares.entries()) {
    const own = events.filter((event) => datasetOf(day.table, event) === dataset)
    expect(own.length).toBeGreaterThan(50)
    expect(bytesIn(store)).toBe(textOf(own))
    expect(share).toMatchObject({ dataset, events: own.length, others: 0 })
    expect(share.parts).toMatchObject([
      { file: `${DATE}.ndjson`, events: own.length, first: own[0]!.timestamp, last: own.at(-1)!.timestamp },
    ])
    expect(share.names).toEqual({
      $pageview: own.filter(({ event }) => event === '$pageview').length,
      'signed up': own.filter(({ event }) => event === 'signed up').length,
    })
    expect(share.arrival.map(({ event, count }) => [event, count])).toEqual(Object.entries(share.names))
  }
  expect(shares.reduce((sum, { share }) => sum + share.events, 0)).toBe(events.length)
})

test('linked ids, and a group with all who change it, are in one dataset', async () => {
  const group = { $group_type: 'company', $group_key: 'acme', $group_set: {} }
  const links: Partial<TestEvent>[] = Array.from({ length: 20 }, (_, n) => {
    return { event: '$identify', distinct_id: `u${n}`, properties: { $anon_distinct_id: `a${n}` } }
  })
  const changes = [0, 1, 2, 3].map((n) => {
    return { event: '$groupidentify', distinct_id: `u${n}`, properties: group }
  })
  const visits = Array.from({ length: 20 }, (_, n) => ({ event: 'visit', distinct_id: `a${n}` }))
  const events = [...links, ...changes, ...visits].map((more, n): TestEvent => ({ ...makeEvent(n), ...more }))
  const shares = await sharesOf(sealed(events))
  const senders = shares.map(({ store }) => {
    const lines = bytesIn(store).split('\n').slice(0, -1)
    return new Set(lines.map((line) => (JSON.parse(line) as TestEvent).distinct_id))
  })
  for (let n = 0; n < 20; n++) {
    expect(senders.filter((ids) => ids.has(`u${n}`) && ids.has(`a${n}`))).toHaveLength(1)
    expect(senders.filter((ids) => ids.has(`u${n}`) || ids.has(`a${n}`))).toHaveLength(1)
  }
  expect(senders.filter((ids) => [0, 1, 2, 3].some((n) => ids.has(`u${n}`)))).toHaveLength(1)
  expect(senders.filter(({ size }) => size > 0).length).toBeGreaterThan(1)
})

test('parts close with the line that fills them, and the last one is not empty', async () => {
  const events = manyEvents(120).map((event) => ({ ...event, distinct_id: 'one' }))
  const day = sealed(events)
  const dataset = datasetOf(day.table, events[0]!)
  const lineBytes = Buffer.byteLength(textOf([events[100]!]))
  const { share, store } = await shareOf(day, dataset, { partBytes: lineBytes * 10 })
  expect(share.parts.map(({ file }) => file).slice(0, 2)).toEqual([`${DATE}.ndjson`, `${DATE}.0001.ndjson`])
  expect(bytesIn(store)).toBe(textOf(events))
  let from = 0
  for (const [index, { file, events: count, bytes, first, last }] of share.parts.entries()) {
    const own = events.slice(from, from + count)
    from += count
    expect(store.files.get(file)!.toString()).toBe(textOf(own))
    expect([bytes, first, last]).toEqual([
      Buffer.byteLength(textOf(own)),
      own[0]!.timestamp,
      own.at(-1)!.timestamp,
    ])
    if (index < share.parts.length - 1) expect(bytes).toBeGreaterThanOrEqual(lineBytes * 10)
    expect(Buffer.byteLength(textOf(own.slice(0, -1)))).toBeLessThan(lineBytes * 10)
  }
  const each = await shareOf(day, dataset, { partBytes: 1 })
  expect(each.share.parts.map(({ events: count }) => count)).toEqual(events.map(() => 1))
})

test('a day on which a dataset has no event makes no part', async () => {
  const events = manyEvents(30).map((event) => ({ ...event, distinct_id: 'one' }))
  const day = sealed(events)
  const other = (datasetOf(day.table, events[0]!) + 1) % DATASETS
  const { share, store } = await shareOf(day, other)
  expect([...store.files]).toEqual([])
  expect(share).toMatchObject({ parts: [], events: 0, generated: 0, names: {}, others: 0, arrival: [] })
  expect(share.inventory.distinct_ids).toBe((await shareOf(sealed([]), 0)).share.inventory.distinct_ids)
})

test('a name and an id that need escapes are counted and divided by what they stand for', async () => {
  const [name, id] = ['say "hi"\\\n\u0001 é', 'tab\t"q"\\ü']
  const events = [0, 1, 2].map((n) => ({ ...makeEvent(n), event: name, distinct_id: id }))
  const day = sealed(events)
  const { share, store } = await shareOf(day, datasetOf(day.table, events[0]!))
  expect(bytesIn(store)).toBe(textOf(events))
  expect(share.names).toEqual({ [name]: 3 })
  expect(share.arrival).toMatchObject([{ day: DATE, event: name, count: 3 }])
})

test('a packed part has the same bytes whatever pieces the whole was read in', async () => {
  // Of over 1 MiB, so that it is packed in several chunks.
  const events = manyEvents(300).map((event) => {
    return { ...event, distinct_id: 'one', properties: { long: `${event.uuid} `.repeat(200) } }
  })
  const day = sealed(events)
  const dataset = datasetOf(day.table, events[0]!)
  const packed = async (pieceBytes: number) => {
    day.whole.pieceBytes = pieceBytes
    return await shareOf(day, dataset, { gzip: true })
  }
  const [one, other] = [await packed(1_000_003), await packed(4_099)]
  expect(one.share).toEqual(other.share)
  expect(one.store.files).toEqual(other.store.files)
  const [part] = one.share.parts
  expect(part!.file).toBe(`${DATE}.ndjson.gz`)
  expect(gunzipSync(one.store.files.get(part!.file)!).toString()).toBe(textOf(events))
})

test('a line that is no event stops the day', async () => {
  const day = sealed(manyEvents(4))
  day.whole.files.set(day.parts[1]!.file, Buffer.from('{"broken\n'))
  await expect(shareOf(day, 0)).rejects.toThrow(`a part of ${DATE} holds a line that is no event`)
})
