import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../src/http/answer.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, makeEvent, type TestEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, type RunSetup, statePaths } from '../helpers/import-run.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

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

  test('an input whose only event is bad pauses, and is a reject when the user says so', async () => {
    const path = inputOf(1)
    const paused = await run(path, service([0]))
    expect(paused.error).toMatchObject({
      code: 'paused',
      message: 'the service refused the last event and took none in this run: 400 invalid event',
    })
    expect(paused.counts).toMatchObject({ read: 1, rejected: 0, pending: 1 })
    const { error, counts } = await run(path, service([0]), { acceptRefusals: true })
    expect([error, counts.rejected, rejectsOf(path)]).toEqual([undefined, 1, [0]])
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
  const clock = new SleepyClock()
  const sleep = clock.sleep.bind(clock)
  let timeIsUp = () => {}
  clock.sleep = (ms, signal) =>
    ms === 5_000 ? new Promise((resolve) => (timeIsUp = resolve)) : sleep(ms, signal)
  const post = new FakePost((_, at) => {
    if (at < 2) return OK
    if (at === 3) timeIsUp()
    return REFUSED
  })
  const { error, counts } = await importFile({ path, post, clock, stopAfterMs: 5_000 })
  expect(error).toMatchObject({
    code: 'paused',
    message: expect.stringMatching(/^the time given by --stop-after is up, and the service refused the last/),
  })
  expect(counts).toMatchObject({ written: 2, rejected: 0 })
})
