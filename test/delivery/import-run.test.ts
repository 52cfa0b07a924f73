import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { laneOfText } from '../../src/delivery/distinct-id.ts'
import { FileSource } from '../../src/delivery/file-source.ts'
import { FileLineReader } from '../../src/delivery/line-reader.ts'
import type { DeliveryOutcome } from '../../src/delivery/outcome.ts'
import { conserved } from '../../src/record/counts.ts'
import { parseReject } from '../../src/record/reject.ts'
import { loadCheckpoint, saveCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, identity, makeEvent, type TestEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, type RunSetup } from '../helpers/import-run.ts'
import { mapped, mapperForFiles } from '../helpers/mapper.ts'
import { alarm, SleepyClock } from '../helpers/sleepy-clock.ts'

const linesOf = (lines: readonly (string | TestEvent)[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : eventLine(line)}\n`).join('')

function inputOf(lines: readonly (string | TestEvent)[], name = 'events.ndjson'): string {
  const path = join(testFolder(), name)
  writeFileSync(path, linesOf(lines))
  return path
}

async function run(
  path: string,
  setup: Partial<RunSetup> = {},
): Promise<DeliveryOutcome & { post: FakePost }> {
  const post = setup.post ?? new FakePost()
  const outcome = await importFile({ path, ...setup, post })
  expect(conserved(outcome.counts)).toBe(true)
  return { ...outcome, post }
}

const numbers = (post: FakePost) => post.accepted.map(({ properties }) => properties.n)
const range = (count: number, from = 0) => Array.from({ length: count }, (_, n) => from + n)
const events = (count: number, from = 0) => range(count, from).map((n) => makeEvent(n))
const rejectsOf = (path: string) =>
  readFileSync(`${path}.rejects.ndjson`)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => parseReject(Buffer.from(line), 0, Buffer.byteLength(line)))

describe('an import', () => {
  test('sends every event once, in file order, and says so', async () => {
    const path = inputOf(events(250))
    const { counts, post, error } = await run(path)
    expect(error).toBeUndefined()
    expect(counts).toEqual({ read: 250, written: 250, rejected: 0, filtered: 0, duplicate: 0, pending: 0 })
    expect(post.accepted.map(eventLine)).toEqual(events(250).map(mapped).map(eventLine))
    expect(post.requests.map((request) => request.events.length)).toEqual([100, 100, 50])
    expect((await loadCheckpoint(`${path}.checkpoint.json`))?.state).toMatchObject({
      done: true,
      counts: { delivered: 250 },
    })
  })

  test('run again finds nothing to do', async () => {
    const path = inputOf(events(10))
    await run(path)
    const { counts, deliveredNow, post } = await run(path)
    expect(counts).toMatchObject({ read: 10, written: 10 })
    expect([deliveredNow, post.requests.length]).toEqual([0, 0])
  })

  test('of an empty file is done', async () => {
    const { counts, error } = await run(inputOf([]))
    expect([counts.read, error]).toEqual([0, undefined])
  })

  test('goes on with what was appended since', async () => {
    const path = inputOf(events(10))
    await run(path)
    appendFileSync(path, linesOf(events(5, 10)))
    const { counts, post } = await run(path)
    expect(counts).toMatchObject({ read: 15, written: 15 })
    expect(numbers(post)).toEqual([10, 11, 12, 13, 14])
  })

  test('reads gzip by its content, several members in a row, and goes on when one is appended', async () => {
    const path = join(testFolder(), 'odd-name.ndjson')
    const pack = (list: TestEvent[]) => gzipSync(linesOf(list))
    writeFileSync(path, Buffer.concat([pack(events(3)), pack(events(3, 3))]))
    expect((await run(path)).counts.written).toBe(6)
    appendFileSync(path, pack(events(2, 6)))
    const { post } = await run(path)
    expect(numbers(post)).toEqual([6, 7])
  })

  test('of a cut .gz delivers what comes before the cut, and says that it is cut', async () => {
    const path = join(testFolder(), 'cut.ndjson.gz')
    const whole = gzipSync(linesOf(events(20_000)))
    writeFileSync(path, whole.subarray(0, whole.length >> 1))
    const { counts, error } = await run(path)
    expect(error).toMatchObject({ code: 'input', message: expect.stringMatching(/cannot unpack/) })
    expect(counts.written).toBeGreaterThan(1000)
  })
})

describe('rejects', () => {
  test('are in the file with line, offset, reason and the original line; the rest is sent', async () => {
    const path = inputOf([
      makeEvent(0),
      '{"event":',
      '',
      makeEvent(1),
      '{"event":"","distinct_id":"a","timestamp":"2024-01-01"}',
    ])
    const { counts } = await run(path)
    expect(counts).toMatchObject({ read: 4, written: 2, rejected: 2 })
    expect(rejectsOf(path)).toMatchObject([
      { line: 2, reason: 'bad_json', record: '{"event":', offset: eventLine(makeEvent(0)).length + 1 + 2 },
      { line: 5, reason: 'event_missing' },
    ])
  })

  test('that were mended are imported from their own file, with the uuid of their first place', async () => {
    const bare = (n: number) =>
      JSON.stringify({ event: 'e', distinct_id: 'd', timestamp: '2024-01-05T00:00:00Z', properties: { n } })
    const path = inputOf([bare(1), `${bare(2)}x`, bare(3)])
    const first = await run(path)
    const rejects = `${path}.rejects.ndjson`
    writeFileSync(rejects, readFileSync(rejects, 'utf8').replace('}}x"', '}}"'))
    const { counts, post } = await run(rejects)
    expect(counts).toMatchObject({ read: 1, written: 1 })
    const whole = await run(inputOf([bare(1), bare(2), bare(3)]))
    expect([first.post.accepted[0], post.accepted[0], first.post.accepted[1]]).toMatchObject([
      { properties: { n: 1 } },
      { properties: { n: 2 } },
      { properties: { n: 3 } },
    ])
    expect(post.accepted[0]?.uuid).toBe(whole.post.accepted[1]?.uuid)
  })

  test('of the service carry its words and the line as it was in the file', async () => {
    const odd = '{"distinct_id":"x","event":"odd","timestamp":"2024-01-01T00:00:00Z", "properties":{}}'
    const path = inputOf([makeEvent(0), odd, makeEvent(1)])
    const post = new FakePost(({ events }) =>
      events.some(({ event }) => event === 'odd') ? { status: 400, headers: {}, body: 'invalid event' } : OK,
    )
    const { counts } = await run(path, { post })
    expect(counts).toMatchObject({ read: 3, written: 2, rejected: 1 })
    expect(rejectsOf(path)).toMatchObject([
      { line: 2, reason: 'refused_by_service', message: '400 invalid event', record: odd },
    ])
  })

  test('what a writer adds while a file is read waits for the next run: it may begin inside a line', async () => {
    const [whole, cut] = [eventLine(makeEvent(0)), eventLine(makeEvent(1))]
    const path = inputOf([])
    writeFileSync(path, `${whole}\n${cut.slice(0, 50)}`)
    await run(path)
    const source = await FileSource.open(path)
    appendFileSync(path, `${cut.slice(50)}\n`)
    expect((await run(path, { source })).counts).toMatchObject({ read: 2, written: 1, rejected: 1 })
    const { counts, post } = await run(path)
    expect(counts).toMatchObject({ read: 2, written: 2, rejected: 0 })
    expect(post.accepted).toHaveLength(1)
  })

  test('a .gz whose members lie apart is an error: what comes after the gap would be lost', async () => {
    const path = join(testFolder(), 'events.ndjson.gz')
    const pack = (n: number) => gzipSync(`${eventLine(makeEvent(n))}\n`)
    writeFileSync(path, Buffer.concat([pack(0), Buffer.alloc(512)]))
    expect((await run(path)).error).toBeUndefined()
    writeFileSync(path, Buffer.concat([pack(0), Buffer.alloc(512), pack(1)]))
    const { error, counts } = await run(path)
    expect(error).toMatchObject({ code: 'input', message: expect.stringContaining('after its end') })
    expect(counts).toMatchObject({ read: 1, written: 1 })
  })

  test('a file that becomes shorter while it is read is an error, not an end', async () => {
    const path = inputOf(events(10))
    const source = await FileSource.open(path)
    writeFileSync(path, eventLine(makeEvent(0)))
    const { error } = await run(path, { source })
    expect(error).toMatchObject({ code: 'input' })
  })

  test('a cut last line is rejected; when the file grows, it is read again whole and its reject withdrawn', async () => {
    const last = eventLine(makeEvent(2))
    const path = inputOf([makeEvent(0), 'no event'])
    appendFileSync(path, last.slice(0, 40))
    expect((await run(path)).counts).toMatchObject({ read: 3, written: 1, rejected: 2 })
    expect(rejectsOf(path)).toMatchObject([{ line: 2 }, { line: 3, record: last.slice(0, 40) }])
    expect((await run(path)).counts).toMatchObject({ read: 3, written: 1, rejected: 2 })
    appendFileSync(path, `${last.slice(40)}\n${eventLine(makeEvent(3))}\n`)
    const { counts, post, tally } = await run(path)
    expect(counts).toMatchObject({ read: 4, written: 3, rejected: 1 })
    expect(tally.reasons).toMatchObject({ bad_json: 1 })
    expect(numbers(post)).toEqual([2, 3])
    expect(rejectsOf(path)).toMatchObject([{ line: 2 }])
  })

  test('a whole last line without its end is an event', async () => {
    const path = inputOf([])
    appendFileSync(path, eventLine(makeEvent(0)))
    expect((await run(path)).counts).toMatchObject({ read: 1, written: 1 })
    appendFileSync(path, `\n${eventLine(makeEvent(1))}`)
    expect((await run(path)).counts).toMatchObject({ read: 2, written: 2 })
  })
})

describe('goes on only where it may', () => {
  const begin = async () => {
    const path = inputOf(events(300))
    const stop = new AbortController()
    const post = new FakePost((_, at) => {
      if (at === 1) stop.abort()
      return OK
    })
    const { error, counts } = await run(path, { post, interrupted: stop.signal })
    expect(error).toMatchObject({ code: 'interrupted' })
    expect(counts.written).toBe(200)
    return path
  }

  test('after an interruption, exactly there', async () => {
    const path = await begin()
    const { post } = await run(path)
    expect(numbers(post)).toEqual(range(100, 200))
  })

  test.each<[string, (path: string) => Partial<RunSetup> | undefined]>([
    ['another host', () => ({ target: { host: 'https://us.i.posthog.com', key: 'fingerprint' } })],
    ['another key', () => ({ target: { host: 'http://127.0.0.1:1', key: 'other' } })],
    ['another head', (path) => void writeFileSync(path, `x${readFileSync(path, 'utf8').slice(1)}`)],
    ['a shorter file', (path) => void writeFileSync(path, readFileSync(path, 'utf8').slice(0, -500))],
    [
      'a change in what is imported',
      (path) => {
        const bytes = readFileSync(path)
        bytes[70_000] = 0x20
        writeFileSync(path, Buffer.concat([bytes, bytes]))
      },
    ],
  ])('not with %s', async (_, change) => {
    const path = inputOf(events(1000))
    await run(path)
    const setup = change(path)
    await expect(run(path, setup)).rejects.toMatchObject({ code: 'mismatch', hint: expect.any(String) })
  })

  test('not where its events were deleted again: only a restart sends them anew', async () => {
    const path = await begin()
    const checkpoint = `${path}.checkpoint.json`
    const { state } = (await loadCheckpoint(checkpoint))!
    await saveCheckpoint(checkpoint, { ...state, undone: { at: '2024-03-01', submission_id: 'one' } })
    const post = new FakePost()
    await expect(run(path, { post })).rejects.toMatchObject({
      code: 'mismatch',
      options: { '--restart': '' },
    })
    expect(post.accepted).toEqual([])
    expect((await run(path, { restart: true })).post.accepted).toHaveLength(300)
  })

  test('with another number of lanes only when all are at one place', async () => {
    const path = inputOf(events(300))
    const stop = new AbortController()
    const post = new FakePost(async (_, at) => {
      if (at === 2) stop.abort()
      return OK
    })
    await run(path, { post, lanes: 3, limits: { events: 20, bytes: 1e6 }, interrupted: stop.signal })
    await expect(run(path, { lanes: 2 })).rejects.toMatchObject({
      code: 'mismatch',
      hint: expect.stringMatching(/--lanes 3/),
    })
    const rest = await run(path, { lanes: 3 })
    expect(new Set([...post.accepted, ...rest.post.accepted].map(identity)).size).toBe(300)
    expect((await run(path, { lanes: 2 })).counts.written).toBe(300)
  })

  test('under a pace that allows for the most lanes any run of it has had, over a restart too', async () => {
    const path = inputOf(events(4))
    const mostLanes = async () => (await loadCheckpoint(`${path}.checkpoint.json`))?.state.most_lanes
    await run(path, { lanes: 3 })
    for (const restart of [false, true]) {
      await run(path, { lanes: 1, restart })
      expect(await mostLanes()).toBe(3)
      const caps = { perMinute: 4, events: 1e9, approved: true }
      await expect(run(path, { lanes: 1, caps, restart })).rejects.toMatchObject({
        code: 'config',
        hint: expect.stringMatching(/--max-events-per-minute 5/),
      })
      expect(await mostLanes()).toBe(3)
    }
    await run(path, { lanes: 5 })
    expect(await mostLanes()).toBe(5)
    // The reserve is part of the cap: of 8 a minute, 2 are left after 5 lanes, and 6 after one.
    appendFileSync(path, `${eventLine(makeEvent(4))}\n`)
    const clock = new SleepyClock()
    const began = clock.now()
    await run(path, { lanes: 1, caps: { perMinute: 8, events: 1e9, approved: true }, clock })
    expect(clock.now() - began).toBeGreaterThan(29_999)
  })

  const CLOCKED = {
    'nothing else': (event: TestEvent) => event,
    'its uuid, too': (event: TestEvent) => ({ ...event, uuid: 'no-uuid' }),
    // Of a few: each takes as long as all others together.
    'its size, too': (event: TestEvent, n: number) =>
      n % 4 > 0 ? event : { ...event, properties: { big: 'x'.repeat(900_000) } },
  }
  test.each(
    (Object.keys(CLOCKED) as Array<keyof typeof CLOCKED>).flatMap((fault) =>
      [2, 3].flatMap((lanes) => [0, 1].map((stuckLane) => ({ fault, lanes, stuckLane }))),
    ),
  )(
    'a line that the clock refuses is kept once over two runs: $fault, lane $stuckLane of $lanes',
    async (one) => {
      const { fault, lanes, stuckLane } = one
      const readers = [Date.UTC(2024, 0, 1), Date.UTC(2026, 0, 1)].map((now) => {
        return new FileLineReader(mapperForFiles({ now: now * 1000 }))
      })
      // Every third line has a day that is in the future when the first run reads it.
      const path = inputOf(
        Array.from({ length: 72 }, (_, n) =>
          n % 3 === 2 ? CLOCKED[fault](makeEvent(n, { day: 20, ids: 13 }), n) : makeEvent(n, { ids: 13 }),
        ),
      )
      // In the first run, one lane gets stuck after the others have gone further.
      const stuck = new FakePost(async ({ events: sent }) => {
        if (!sent.some(({ distinct_id: id }) => laneOfText(id, lanes) === stuckLane)) return OK
        for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate)
        return { status: 503, headers: {}, body: '' }
      })
      const options = { lanes, limits: { events: 5, bytes: 1e7 } }
      const first = await run(path, { ...options, post: stuck, reader: readers[0]!, retryForMs: 1 })
      expect(first.error).toMatchObject({ code: 'unavailable' })
      const { counts, post } = await run(path, { ...options, reader: readers[1]! })
      expect(counts).toMatchObject({ read: 72, pending: 0 })
      const rejected = counts.rejected === 0 ? [] : rejectsOf(path).map((reject) => reject!.offset)
      expect(new Set(rejected).size, 'no reject twice').toBe(rejected.length)
      const delivered = new Set([...stuck.accepted, ...post.accepted].map(identity))
      expect(delivered.size + rejected.length).toBe(72)
    },
  )

  test('--restart forgets what is done, but not what the volume cap has counted', async () => {
    const path = inputOf([...events(10), 'bad'])
    await run(path)
    const { counts, post } = await run(path, {
      restart: true,
      caps: { perMinute: 1e9, events: 20, approved: true },
    })
    expect(counts).toMatchObject({ read: 11, written: 10, rejected: 1 })
    expect(post.accepted.length).toBe(10)
    expect(rejectsOf(path).length).toBe(1)
    const third = await run(path, { restart: true, caps: { perMinute: 1e9, events: 25, approved: true } })
    expect(third.error).toMatchObject({ code: 'paused' })
    expect(third.counts.written).toBe(5)
  })
})

describe('the volume cap', () => {
  test('stops at the very event, and goes on from there when it is raised', async () => {
    const path = inputOf(events(250))
    const caps = { perMinute: 1e9, events: 130, approved: true }
    const first = await run(path, { caps })
    expect(first.error).toMatchObject({ code: 'paused', message: expect.stringMatching(/volume cap/) })
    expect(first.counts).toMatchObject({ read: 130, written: 130, pending: 0 })
    const again = await run(path, { caps })
    expect([again.post.requests.length, again.counts.written]).toEqual([0, 130])
    const rest = await run(path, { caps: { ...caps, events: 250 } })
    expect(rest.error).toBeUndefined()
    expect(numbers(rest.post)).toEqual(range(120, 130))
  })
})

/** A run of 1,000 events whose time is up when it sends its third batch. */
async function stopped(path: string, setup: Partial<RunSetup> = {}) {
  const { clock, ring } = alarm(5_000)
  const post = new FakePost((_, at) => {
    if (at === 2) ring()
    return OK
  })
  const outcome = await run(path, { post, clock, stopAfterMs: 5_000, ...setup })
  expect(outcome).toMatchObject({ error: undefined, stoppedInTime: true, counts: { written: 300 } })
  return outcome
}

test('a run with --stop-after ends in time: requests under way are waited for, the rest is pending', async () => {
  const path = inputOf(events(1000))
  const { counts, left, migration } = await stopped(path)
  expect(counts).toMatchObject({ read: 1000, pending: 700 })
  // Every request was answered: the batch that waits was not sent, and does not count.
  expect(migration.events).toBe(300)
  const bytes = Buffer.byteLength(readFileSync(path, 'utf8').split('\n').slice(300).join('\n'))
  expect(left).toEqual({ events: undefined, bytes })
  const rest = await run(path)
  expect(rest).toMatchObject({ error: undefined, stoppedInTime: false, left: { bytes: 0 } })
  expect(rest.counts.written).toBe(1000)
})

test('a run whose time is up before it has sent what the volume cap allows is not at the cap, though it has read that far', async () => {
  const path = inputOf(events(1000))
  const caps = { perMinute: 1e9, events: 900, approved: true }
  await stopped(path, { caps })
  const capped = await run(path, { caps })
  expect([capped.error, capped.counts.written]).toEqual([expect.objectContaining({ code: 'paused' }), 900])
})

test.each([
  ['nothing was ever taken', 0],
  ['it took something before', 2],
])(
  'a run with --stop-after whose time is up in an outage says so, for a scheduler to see: %s',
  async (_, taken) => {
    const path = inputOf(events(1000))
    const { clock, ring } = alarm(5_000)
    const post = new FakePost((_, at) => {
      if (at < taken) return OK
      if (at === taken + 3) ring()
      return { status: 503, headers: {}, body: '' }
    })
    const { error, counts, stoppedInTime } = await run(path, { post, clock, stopAfterMs: 5_000 })
    expect(error).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('--stop-after has passed'),
    })
    expect([stoppedInTime, counts.written]).toEqual([false, taken * 100])
  },
)

/** A service that takes `taken` batches and then never answers: a request ends when the drain is over. */
function silentAfter(taken: number, onSilence: () => void) {
  const post = new FakePost()
  const answers = post.send.bind(post)
  post.send = async (packed: Buffer, over?: AbortSignal) => {
    if (post.requests.length < taken) return answers(packed)
    onSilence()
    if (!over?.aborted) await new Promise((resolve) => over?.addEventListener('abort', resolve))
    return { network: 'aborted', message: 'interrupted' }
  }
  return post
}

test.each([
  ['a signal', 'interrupted'],
  ['--stop-after', 'unavailable'],
])('after %s a request without an answer is left to the next run, and stays counted', async (why, code) => {
  const path = inputOf(events(1000))
  const stop = new AbortController()
  const over = new AbortController()
  const { clock, ring } = alarm(5_000)
  // The time of the drain passes as soon as it begins.
  const drain = { over: over.signal, begin: () => over.abort() }
  const post = silentAfter(2, () => (why === 'a signal' ? stop.abort('SIGTERM') : ring()))
  const { error, counts, migration } = await run(path, {
    post,
    clock,
    drain,
    interrupted: stop.signal,
    stopAfterMs: 5_000,
  })
  expect(error).toMatchObject({ code })
  expect(counts).toMatchObject({ read: 1000, written: 200, pending: 800 })
  // What the service may have taken without a word counts against the volume cap until the next run knows better.
  expect(migration.events).toBe(300)
  const rest = await run(path)
  expect(rest).toMatchObject({ error: undefined, counts: { written: 1000 }, migration: { events: 1000 } })
})

test('an input that hangs does not hold up a run that stops', async () => {
  const path = inputOf(events(300))
  const source = await FileSource.open(path)
  const stop = new AbortController()
  const over = new AbortController()
  const pieces = source.pieces.bind(source)
  source.pieces = async function* (from) {
    for await (const piece of pieces(from)) {
      const chunks = async function* () {
        yield* piece.chunks
        stop.abort('SIGTERM')
        await new Promise(() => undefined)
      }
      yield { ...piece, chunks: chunks() }
    }
  }
  const drain = { over: over.signal, begin: () => over.abort() }
  const { error } = await run(path, { source, drain, interrupted: stop.signal })
  expect(error).toMatchObject({ code: 'interrupted' })
  expect((await run(path)).counts).toMatchObject({ written: 300 })
})

test.each([
  ['before an event goes out', 0],
  ['on the way: nothing more is taken for acknowledged', 2],
])('a disk that fails stops the run %s', async (_, after) => {
  const path = inputOf(events(1000))
  const fail = () => mkdirSync(`${path}.checkpoint.json.tmp`)
  const post = new FakePost((_, at) => {
    if (at + 1 === after) fail()
    return OK
  })
  if (after === 0) fail()
  const { error } = await run(path, { post })
  expect(error).toMatchObject({ code: 'input' })
  expect(post.requests.length === 0).toBe(after === 0)
  rmSync(`${path}.checkpoint.json.tmp`, { recursive: true })
  const rest = await run(path)
  expect(new Set([...post.accepted, ...rest.post.accepted].map(identity)).size).toBe(1000)
})

test('mixed days make small batches, and one notice', async () => {
  const notes: string[] = []
  const path = inputOf(Array.from({ length: 200 }, (_, n) => makeEvent(n, { day: 1 + (n % 2) })))
  const { post } = await run(path, { note: (text) => notes.push(text) })
  expect(post.requests.length).toBe(200)
  expect(notes.filter((note) => /transform/.test(note)).length).toBe(1)
})
