import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Batch } from '../../src/delivery/batch.ts'
import { Lanes } from '../../src/delivery/lanes.ts'
import { startOf } from '../../src/delivery/place.ts'
import type { Reply } from '../../src/http/network-error.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { ENVELOPE, FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, type RunSetup, statePaths } from '../helpers/import-run.ts'
import { alarm } from '../helpers/sleepy-clock.ts'

const SOURCE = { offset: 0, line: 1, file: undefined, record: undefined }

/** A batch of one event. Its place is the part `epoch`. */
function batchOf(lane: number, epoch: number, bytes = 0): Batch {
  const batch = new Batch({ lane, epoch, from: startOf(epoch) }, ENVELOPE)
  const line = Buffer.from(`${eventLine(makeEvent(epoch))}${' '.repeat(bytes)}`)
  batch.add(line, 0, line.length, SOURCE)
  batch.seal()
  return batch
}

const sent = (batch: Batch, lastRefusal = 0) => ({ batch, refused: [], lastRefusal })

function lanesOf(count: number, ...batches: Batch[]) {
  const halt = new AbortController()
  const lanes = new Lanes(count, halt.signal)
  for (const batch of batches) lanes.push(batch)
  const places = () => lanes.first([undefined, undefined].slice(0, count)).map((batch) => batch?.from.part)
  return { halt, lanes, places }
}

/** Whether a promise is settled once everything that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise(setImmediate)
  return settled
}

describe('a batch that is sent and in doubt', () => {
  const [first, second, third] = [batchOf(0, 1), batchOf(0, 2), batchOf(0, 3)]

  test('is held: the lane goes on, its place does not, and it comes out in order when it is confirmed', async () => {
    const { lanes, places } = lanesOf(1, first, second, third)
    expect(await lanes.next(0)).toBe(first)
    lanes.hold(0, sent(first, 7))
    expect(await lanes.next(0)).toBe(second)
    lanes.hold(0, sent(second))
    expect(lanes.release(0, 6)).toBeUndefined()
    expect([places(), lanes.records, lanes.takenAndHeld]).toEqual([[1], 3, 2])
    expect(lanes.release(0, 7)).toEqual(sent(first, 7))
    expect(places()).toEqual([2])
    expect(lanes.release(0, 7)).toEqual(sent(second))
    expect(lanes.release(0, 7)).toBeUndefined()
    expect([places(), lanes.records, lanes.takenAndHeld]).toEqual([[3], 1, 0])
  })

  test('does not keep the other lanes from the next day, while one that is not sent does', async () => {
    const [later, same] = [batchOf(1, 2), batchOf(1, 1)]
    const { lanes } = lanesOf(2, first, same, later)
    expect(await lanes.next(1)).toBe(same)
    lanes.hold(1, sent(same))
    const waiting = lanes.next(1)
    expect(await isSettled(waiting)).toBe(false)
    lanes.hold(0, sent(first, 1))
    expect(await waiting).toBe(later)
  })
})

describe('lanes are stalled', () => {
  test('when all is sent, some is held, and no more will come', async () => {
    const { lanes } = lanesOf(2, batchOf(0, 1), batchOf(1, 1))
    const stalled = lanes.stalled()
    lanes.hold(0, sent(batchOf(0, 1), 1))
    lanes.close()
    expect(await isSettled(stalled)).toBe(false)
    lanes.hold(1, sent(batchOf(1, 1)))
    expect(await stalled).toBe(true)
    lanes.release(0, 1)
    lanes.release(1, 1)
    expect(await lanes.stalled()).toBe(false)
  })

  test('when what is held fills the memory, and no room comes by itself', async () => {
    const large = batchOf(0, 1, 17_000_000)
    const { lanes } = lanesOf(1, large)
    const [stalled, room] = [lanes.stalled(), lanes.room()]
    expect(await isSettled(stalled)).toBe(false)
    lanes.hold(0, sent(large, 1))
    expect(await stalled).toBe(true)
    expect(await isSettled(room)).toBe(false)
    lanes.release(0, 1)
    await room
  })

  test('not when the rest is only to be sent, nor after a halt', async () => {
    const { lanes, halt } = lanesOf(1, batchOf(0, 1), batchOf(0, 2))
    lanes.close()
    lanes.hold(0, sent(batchOf(0, 1), 1))
    const stalled = lanes.stalled()
    expect(await isSettled(stalled)).toBe(false)
    halt.abort()
    expect(await stalled).toBe(false)
  })
})

describe('the queues, so that memory does not grow with the input,', () => {
  /** Pushes batches until the lanes are full, and returns how many fitted. */
  function fill(lanes: Lanes, count: number, bytes: number): number {
    let pushed = 0
    while (pushed < count && !lanes.full) lanes.push(batchOf(0, 1 + pushed++, bytes))
    return pushed
  }

  test('are full at so many bytes', () => {
    const { lanes } = lanesOf(1)
    expect(fill(lanes, 40, 1_048_576)).toBeLessThanOrEqual(17)
    expect(lanes.full).toBe(true)
  })

  test('are full at so many batches, more with more lanes', () => {
    expect(fill(lanesOf(1).lanes, 1000, 0)).toBe(65)
    expect(fill(lanesOf(4).lanes, 1000, 0)).toBe(257)
  })

  test('have room again when a batch is acknowledged; reading waits for room until then', async () => {
    const { lanes } = lanesOf(1)
    fill(lanes, 1000, 0)
    const waiting = lanes.room()
    lanes.hold(0, sent(batchOf(0, 1)))
    expect(await isSettled(waiting)).toBe(false)
    lanes.release(0, 0)
    await waiting
    expect(lanes.full).toBe(false)
  })

  test('a halt ends the wait for room', async () => {
    const { lanes, halt } = lanesOf(1)
    fill(lanes, 1000, 0)
    const waiting = lanes.room()
    halt.abort()
    await waiting
    expect(lanes.full).toBe(true)
  })
})

const REFUSED: Reply = { status: 400, headers: {}, body: 'invalid event' }

/** `perDay` events a day: the days are the batches. */
function inputOf(count: number, perDay = count) {
  const path = join(testFolder(), 'events.ndjson')
  const events = Array.from({ length: count }, (_, n) => makeEvent(n, { day: 1 + Math.floor(n / perDay) }))
  writeFileSync(path, events.map((event) => `${eventLine(event)}\n`).join(''))
  return path
}

const numberOf = ({ properties }: TestEvent) => properties.n as number

function service(bad: readonly number[]) {
  return new FakePost(({ events }) => (events.some((event) => bad.includes(numberOf(event))) ? REFUSED : OK))
}

function rejectsOf(path: string): number[] {
  const { rejects: rejectsPath } = statePaths(path)
  if (!existsSync(rejectsPath)) return []
  const lines = readFileSync(rejectsPath, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => numberOf(JSON.parse(JSON.parse(line).record)))
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)
const taken = (post: FakePost) => [...new Set(post.accepted.map(numberOf))].sort((a, b) => a - b)
const without = (count: number, bad: readonly number[]) => numbers(count).filter((n) => !bad.includes(n))

describe.each([1, 4])('with %i lanes', (lanes) => {
  const run = (path: string, post: FakePost, more: Partial<RunSetup> = {}) =>
    importFile({ path, post, lanes, ...more })

  test.each<[string, number, number, readonly number[]]>([
    ...numbers(12).map((n) => [`the event ${n}`, 12, 4, [n]] as [string, number, number, number[]]),
    ['the first, alone on its day', 5, 1, [0]],
    ['the last, alone on its day', 5, 1, [4]],
    ['the first and the last', 12, 4, [0, 11]],
    ['a whole day', 12, 4, [4, 5, 6, 7]],
    ['the last day', 12, 4, [8, 9, 10, 11]],
    ['every other', 60, 5, numbers(60).filter((n) => n % 2 === 0)],
    ['nineteen in a row', 40, 40, numbers(19, 10)],
    ['nineteen at the start, over days', 40, 3, numbers(19)],
    ['nineteen at the end, over days', 40, 3, numbers(19, 21)],
  ])('bad is %s: those are rejects, the others arrive', async (_, count, perDay, bad) => {
    const path = inputOf(count, perDay)
    const post = service(bad)
    const { error, counts, rejectedNow } = await run(path, post)
    expect(error).toBeUndefined()
    expect(counts).toMatchObject({ read: count, written: count - bad.length, pending: 0 })
    expect(rejectedNow).toBe(bad.length)
    expect(rejectsOf(path).sort((a, b) => a - b)).toEqual(bad)
    expect(taken(post)).toEqual(without(count, bad))
    // An event is sent a second time at most once, to settle the last refusals.
    expect(post.accepted.length - taken(post).length).toBeLessThanOrEqual(1)
  })

  test('twenty in a row pause: all wait, none is a reject, and once they are taken all arrive in order', async () => {
    const path = inputOf(60, 6)
    const bad = numbers(24, 12)
    const paused = await run(path, service(bad))
    expect(paused.error).toMatchObject({
      code: 'paused',
      message: 'the service refused 20 events in a row and took none between: 400 invalid event',
    })
    const { read, written, pending } = paused.counts
    expect([paused.rejectedNow, rejectsOf(path), read]).toEqual([0, [], written + pending])
    expect(pending).toBeGreaterThanOrEqual(20)
    // Still so, and once more.
    expect((await run(path, service(bad))).error).toMatchObject({ code: 'paused' })
    const post = service([])
    const { error, counts } = await run(path, post)
    expect([error, counts.written, rejectsOf(path)]).toEqual([undefined, 60, []])
    expect(taken(post)).toEqual(expect.arrayContaining(bad))
    for (const id of new Set(post.accepted.map((event) => event.distinct_id))) {
      const order = post.accepted.filter((event) => event.distinct_id === id).map(numberOf)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }
  })

  test('twenty in a row are rejects when the user says that they are bad', async () => {
    const path = inputOf(60, 6)
    const bad = numbers(30, 12)
    const post = service(bad)
    await run(path, post)
    const { error, counts } = await run(path, post, { acceptRefusals: true })
    expect(error).toBeUndefined()
    expect(counts).toMatchObject({ read: 60, written: 30, rejected: 30, pending: 0 })
    expect(rejectsOf(path).sort((a, b) => a - b)).toEqual(bad)
    expect(taken(post)).toEqual(without(60, bad))
  })
})

test('what is in doubt stays behind the place of its lane, and is sent first by the next run', async () => {
  const path = inputOf(6, 2)
  let halted = false
  const interrupted = new AbortController()
  // The first event of the second day is taken, the second one refused. Then the run is interrupted.
  const post = new FakePost(({ events }) => {
    if (!events.some((event) => numberOf(event) === 3)) return OK
    if (events.length === 1) {
      halted = true
      interrupted.abort('SIGTERM')
    }
    return REFUSED
  })
  const first = await importFile({ path, post, interrupted: interrupted.signal })
  expect([halted, first.counts.written, first.counts.rejected]).toEqual([true, 2, 0])
  const { state } = (await loadCheckpoint(statePaths(path).checkpoint))!
  expect(state.places.map(({ line }) => line)).toEqual([3])
  // Both lines of the second day: the one that was taken may be counted by no one else.
  const again = service([3])
  const { counts } = await importFile({ path, post: again })
  expect(counts).toMatchObject({ written: 5, rejected: 1, pending: 0 })
  expect(again.requests[0]?.events.map(numberOf)).toEqual([2, 3])
  expect(rejectsOf(path)).toEqual([3])
})

test('records behind a refusal do not gather in memory: the event that was taken last settles it', async () => {
  const path = inputOf(2, 1)
  const junk = `${'x'.repeat(200_000)}\n`
  writeFileSync(path, readFileSync(path, 'utf8') + junk.repeat(120))
  const post = service([1])
  const { error, counts } = await importFile({ path, post, limits: { events: 100, bytes: 1_000_000 } })
  expect(error).toBeUndefined()
  expect(counts).toMatchObject({ read: 122, written: 1, rejected: 121, pending: 0 })
  expect(post.accepted.map(numberOf)).toEqual([0, 0])
})

test('a run whose time is up while refusals are in doubt has not stopped as asked', async () => {
  const path = inputOf(6, 1)
  const { clock, ring } = alarm(5_000)
  const post = new FakePost((_, at) => {
    if (at < 2) return OK
    if (at === 3) ring()
    return REFUSED
  })
  const { error, counts } = await importFile({ path, post, clock, stopAfterMs: 5_000 })
  expect(error).toMatchObject({
    code: 'paused',
    message: expect.stringMatching(
      /^the time given by --stop-after has passed, and the service refused the last/,
    ),
  })
  expect(counts).toMatchObject({ written: 2, rejected: 0 })
})
