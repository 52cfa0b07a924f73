import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { EventPart } from '../../../src/store/manifest.ts'
import { IdSet } from '../../../src/transform/forget/id-set.ts'
import { chosenDigest } from '../../../src/transform/trial/event-ids.ts'
import { copyTrialDay, type TrialDayOptions } from '../../../src/transform/trial/trial-day.ts'
import { eventLine, makeEvent, type TestEvent } from '../../helpers/events.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'

const DATE = '2024-01-01'
const DAY = Date.parse(DATE) / 86_400_000

/** Bytes come in pieces of a fixed size, as from a disk or a bucket. */
class PiecewiseStore extends MemoryStore {
  pieceBytes = 64 * 1024

  override async *readThrough(name: string): AsyncGenerator<Buffer> {
    const bytes = this.files.get(name)!
    for (let at = 0; at < bytes.length; at += this.pieceBytes) yield bytes.subarray(at, at + this.pieceBytes)
  }
}

const textOf = (events: readonly TestEvent[]) => events.map((event) => `${eventLine(event)}\n`).join('')

/** A day of events that is sealed in two parts. */
function sealed(events: readonly TestEvent[]) {
  const whole = new PiecewiseStore()
  const half = Math.ceil(events.length / 2)
  const parts = [events.slice(0, half), events.slice(half)].map((some, index): EventPart => {
    const file = `${DATE}.000${index}.ndjson`
    whole.files.set(file, Buffer.from(textOf(some)))
    return { file, day: DATE, events: some.length, bytes: 0, sha256: '', first: '', last: '' }
  })
  return { whole, parts }
}

/** What a trial of these ids has of a day, and the store that it stands in. */
async function trialOf(
  { whole, parts }: ReturnType<typeof sealed>,
  ids: Iterable<string>,
  more: Partial<TrialDayOptions> = {},
) {
  const store = new MemoryStore()
  const chosen = new IdSet()
  for (const id of ids) chosen.add(chosenDigest(id))
  const people = { ids: chosen.cells, groups: new IdSet().cells, days: undefined }
  const options = { people, whole, store, gzip: false, ...more }
  return { store, day: await copyTrialDay(DAY, parts, options) }
}

const bytesIn = (store: MemoryStore) => Buffer.concat([...store.files.values()]).toString()

/** `count` events of 40 people, in order. */
const manyEvents = (count: number) => Array.from({ length: count }, (_, n) => makeEvent(n, { ids: 40 }))

test('each line of the people is copied as it is, in its order, and no other', async () => {
  const events = manyEvents(500)
  const ids = new Set(events.slice(0, 15).map(({ distinct_id }) => distinct_id))
  const { day, store } = await trialOf(sealed(events), ids)
  const own = events.filter(({ distinct_id }) => ids.has(distinct_id))
  expect(own.length).toBeGreaterThan(50)
  expect(own.length).toBeLessThan(events.length)
  expect(bytesIn(store)).toBe(textOf(own))
  expect(day).toMatchObject({ events: own.length, others: 0 })
  expect(day.parts).toMatchObject([
    { file: `${DATE}.ndjson`, events: own.length, first: own[0]!.timestamp, last: own.at(-1)!.timestamp },
  ])
  expect(day.names).toEqual({
    $pageview: own.filter(({ event }) => event === '$pageview').length,
    'signed up': own.filter(({ event }) => event === 'signed up').length,
  })
  expect(day.arrival.map(({ event, count }) => [event, count])).toEqual(Object.entries(day.names))
})

test('parts close with the line that fills them, and the last one is not empty', async () => {
  const events = manyEvents(120).map((event) => ({ ...event, distinct_id: 'one' }))
  const whole = sealed(events)
  const lineBytes = Buffer.byteLength(textOf([events[100]!]))
  const { day, store } = await trialOf(whole, ['one'], { partBytes: lineBytes * 10 })
  expect(day.parts.map(({ file }) => file).slice(0, 2)).toEqual([`${DATE}.ndjson`, `${DATE}.0001.ndjson`])
  expect(bytesIn(store)).toBe(textOf(events))
  let from = 0
  for (const [index, { file, events: count, bytes, first, last }] of day.parts.entries()) {
    const own = events.slice(from, from + count)
    from += count
    expect(store.files.get(file)!.toString()).toBe(textOf(own))
    expect([bytes, first, last]).toEqual([
      Buffer.byteLength(textOf(own)),
      own[0]!.timestamp,
      own.at(-1)!.timestamp,
    ])
    if (index < day.parts.length - 1) expect(bytes).toBeGreaterThanOrEqual(lineBytes * 10)
    expect(Buffer.byteLength(textOf(own.slice(0, -1)))).toBeLessThan(lineBytes * 10)
  }
  const each = await trialOf(whole, ['one'], { partBytes: 1 })
  expect(each.day.parts.map(({ events: count }) => count)).toEqual(events.map(() => 1))
})

test('a day on which the people did nothing makes no part', async () => {
  const { day, store } = await trialOf(sealed(manyEvents(30)), ['nobody of these'])
  expect([...store.files]).toEqual([])
  expect(day).toMatchObject({ parts: [], events: 0, generated: 0, names: {}, others: 0, arrival: [] })
  expect(day.inventory.distinct_ids).toBe((await trialOf(sealed([]), [])).day.inventory.distinct_ids)
})

test('a name and an id that need escapes are counted and chosen by what they stand for', async () => {
  const [name, id] = ['say "hi"\\\n\u0001 é', 'tab\t"q"\\ü']
  const events = [0, 1, 2].map((n) => ({ ...makeEvent(n), event: name, distinct_id: id }))
  const { day, store } = await trialOf(sealed(events), [id])
  expect(bytesIn(store)).toBe(textOf(events))
  expect(day.names).toEqual({ [name]: 3 })
  expect(day.arrival).toMatchObject([{ day: DATE, event: name, count: 3 }])
})

test('a packed part has the same bytes whatever pieces the whole was read in', async () => {
  // Of over 1 MiB, so that it is packed in several chunks.
  const events = manyEvents(300).map((event) => {
    return { ...event, distinct_id: 'one', properties: { long: `${event.uuid} `.repeat(200) } }
  })
  const whole = sealed(events)
  const packed = async (pieceBytes: number) => {
    whole.whole.pieceBytes = pieceBytes
    return await trialOf(whole, ['one'], { gzip: true })
  }
  const [one, other] = [await packed(1_000_003), await packed(4_099)]
  expect(one.day).toEqual(other.day)
  expect(one.store.files).toEqual(other.store.files)
  const [part] = one.day.parts
  expect(part!.file).toBe(`${DATE}.ndjson.gz`)
  expect(gunzipSync(one.store.files.get(part!.file)!).toString()).toBe(textOf(events))
})

test('a line that is no event stops the day', async () => {
  const broken = sealed(manyEvents(4))
  broken.whole.files.set(broken.parts[1]!.file, Buffer.from('{"broken\n'))
  await expect(trialOf(broken, [])).rejects.toThrow(`a part of ${DATE} holds a line that is no event`)
})
