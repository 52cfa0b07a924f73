import { expect, test } from 'vitest'
import type { Batch } from '../../src/delivery/batch.ts'
import { Batcher, type BatchLimits } from '../../src/delivery/batcher.ts'
import { START } from '../../src/delivery/place.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { MICROS_PER_DAY } from '../../src/text/units.ts'
import { ENVELOPE } from '../helpers/fake-post.ts'

const FRAME = ENVELOPE.prefix.length + ENVELOPE.suffix.length

function batcher(limits: Partial<BatchLimits> = {}, lanes = 1) {
  const closed: Batch[] = []
  const most = { events: 1000, bytes: 1e6, ...limits }
  const options = { lanes, limits: most, envelope: ENVELOPE, youngFrom: 3 * MICROS_PER_DAY }
  const made = new Batcher(options, (batch) => closed.push(batch))
  const add = (line: string, day = 0, lane = 0) => {
    const bytes = Buffer.from(`..${line}`)
    const source = { offset: 0, line: 1, file: undefined, record: undefined }
    const head = { instant: day * MICROS_PER_DAY }
    made.event(lane, START, { head, bytes, start: 2, end: bytes.length, source })
  }
  return { made, closed, add, texts: () => closed.map((batch) => batch.body().toString()) }
}

test('a body is the envelope around the lines, byte for byte', () => {
  const { made, add, texts } = batcher()
  add('{"n":1.0,"é":"\\u00e9"}')
  add('{"n":-0}')
  made.flush()
  expect(texts()).toEqual([`${ENVELOPE.prefix}{"n":1.0,"é":"\\u00e9"},{"n":-0}${ENVELOPE.suffix}`])
})

test('closes at so many events', () => {
  const { made, closed, add } = batcher({ events: 3 })
  for (let i = 0; i < 7; i++) add('{}')
  expect(closed.map((batch) => batch.events)).toEqual([3, 3])
  made.flush()
  expect(closed.map((batch) => batch.events)).toEqual([3, 3, 1])
})

test('closes before so many bytes, commas and envelope counted; one event alone may be larger', () => {
  const { made, closed, add } = batcher({ bytes: FRAME + 9 })
  for (const line of ['{ab}', '{ab}', '{ab}', '{abcdefghijklm}', '{a}']) add(line)
  made.flush()
  expect(closed.map((batch) => batch.body().length - FRAME)).toEqual([9, 4, 15, 3])
})

test('holds one UTC day a batch, numbers the days as they come, and counts events from an instant on as young', () => {
  const { made, closed, add } = batcher()
  for (const day of [3, 3, 4, 2]) add('{}', day)
  made.flush()
  expect(closed.map(({ events, epoch, young }) => [events, epoch, young])).toEqual([
    [2, 1, 2],
    [1, 2, 1],
    [1, 3, 0],
  ])
  expect(made.daysBack).toBe(1)
})

test('a new day closes the batches of all lanes', () => {
  const { closed, add } = batcher({}, 3)
  add('{"a":1}', 1, 0)
  add('{"b":1}', 1, 2)
  add('{"c":1}', 2, 0)
  expect(closed.map(({ lane, epoch }) => [lane, epoch])).toEqual([
    [0, 1],
    [2, 1],
  ])
})

test('rejects are in the batch of their lane, which closes without events when they are many', () => {
  const { made, closed } = batcher({}, 2)
  const reject = { line: 1, offset: 0, reason: 'bad_json', message: 'no', record: '{' }
  for (let i = 0; i < 10_001; i++) made.reject(1, START, reject)
  expect(closed.map(({ lane, events, records }) => [lane, events, records])).toEqual([[1, 0, 10_000]])
  expect(closed[0]!.reasons).toEqual({ bad_json: 10_000 })
  made.flush()
  expect(closed[1]!.records).toBe(1)
})

test('notes stay with the batch they were made in', () => {
  const { made, closed, add } = batcher({ events: 1 })
  add('{}')
  const source = { offset: 0, line: 1, file: undefined, record: undefined }
  made.event(
    0,
    START,
    { head: { instant: 0 }, bytes: Buffer.from('{}'), start: 0, end: 2, source },
    { ...emptyNotes(), duplicate_keys: 2 },
  )
  made.flush()
  expect(closed.map((batch) => batch.notes?.duplicate_keys)).toEqual([undefined, 2])
})

test('records that are left out are counted with the batch they are read into; many of them close it', () => {
  const { made, closed, add } = batcher()
  add('{}')
  for (let i = 0; i < 10_001; i++) made.filtered(0, START, 'dropped_by_service')
  expect(closed.map(({ events, records }) => [events, records])).toEqual([[1, 10_001]])
  expect(closed[0]!.filtered).toEqual({ dropped_by_service: 10_000 })
  made.flush()
  expect(closed[1]!.records).toBe(1)
})
