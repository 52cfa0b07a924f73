import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { RateLimiter } from '../../src/http/rate-limiter.ts'
import { Secret } from '../../src/http/secret.ts'
import { utcTime } from '../../src/options/values.ts'
import { ExportState } from '../../src/sources/export-state.ts'
import { exportEvents } from '../../src/sources/posthog/events.ts'
import { PersonColumn } from '../../src/sources/posthog/person-column.ts'
import type { PostHogOptions } from '../../src/sources/posthog/posthog.ts'
import { queryPath } from '../../src/sources/posthog/query.ts'
import type { VendorCall } from '../../src/sources/source.ts'
import { bearer, VendorClient } from '../../src/sources/vendor-client.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { readManifest } from '../../src/store/dataset.ts'
import type { RawManifest } from '../../src/store/manifest.ts'
import { MS_PER_DAY } from '../../src/text/units.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'
import type { MischiefKind } from '../helpers/vendors/fake.ts'
import { FakePostHog, type FakePostHogOptions, type PostHogRow } from '../helpers/vendors/posthog.ts'
import { exportInto, freshStore, linesOf, reconciled, recordsOf, started } from './harness.ts'
import { POSTHOG_KEY, posthogFrom } from './orders.ts'

const FROM = utcTime('2024-03-01')
const TO = utcTime('2024-03-04')

function someEvents(count: number): PostHogRow[] {
  const random = seeded(3)
  return Array.from({ length: count }, (_, i) => {
    // Many events share a microsecond, as the events of one batch do.
    const time = FROM + Math.floor(random() * 60) * Math.floor((TO - FROM) / 60)
    return {
      uuid: `00000000-0000-4000-8000-${String((i * 7919) % 1_000_000).padStart(12, '0')}`,
      event: '$pageview',
      distinct_id: `user ${i % 9} "quoted"`,
      timestamp: `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')}.${i % 2 ? '000001' : '000000'}`,
      properties: `{"n": 12345678901234567890, "x": 1.0, "text": "a\\nb ✓"}`,
      elements_chain: i % 3 ? '' : 'a:text="x"',
    }
  })
}

const start = (options: Partial<FakePostHogOptions> = {}) =>
  started(new FakePostHog({ events: someEvents(500), ...options }))

const order = (fake: FakePostHog, more: Partial<PostHogOptions> = {}) =>
  posthogFrom(fake.url, {
    windows: windowsOf(FROM, TO, MS_PER_DAY),
    clock: new FakeClock(utcTime('2024-03-07')),
    ...more,
  })

const ids = (records: readonly unknown[]) => records.map((r) => (r as PostHogRow).uuid).sort()
const EVENTS = ids(someEvents(500))

test('events come as written, in the form of batch exports', async () => {
  const fake = await start()
  const into = freshStore()
  await exportInto(into, order(fake))
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
  const line = (await linesOf(into)).find((text) => text.includes('000000000000'))
  expect(line).toMatch(
    /^\{"uuid":"00000000-0000-4000-8000-000000000000","event":"\$pageview","distinct_id":"user 0 \\"quoted\\"","timestamp":"2024-03-0\dT\d\d:\d\d:\d\d\.000000Z","properties":\{"n": 12345678901234567890, "x": 1\.0, "text": "a\\nb ✓"\},"elements_chain":"a:text=\\"x\\"","created_at":"2024-03-0\dT[\d:.]+Z"\}$/,
  )
})

test('what was known of a person comes as written, where there is some', async () => {
  const known = ['{"plan": "pro", "n": 1.0}', '{}', '']
  const events = someEvents(3).map((row, n) => ({ ...row, person_properties: known[n]! }))
  const into = freshStore()
  await exportInto(into, order(await start({ events })))
  const lines = await linesOf(into)
  const of = ({ uuid }: PostHogRow) => lines.find((line) => line.includes(uuid))!
  expect(of(events[0]!)).toContain(',"person_properties":{"plan": "pro", "n": 1.0},')
  expect(events.slice(1).map((row) => JSON.parse(of(row)).person_properties)).toEqual([undefined, undefined])
})

async function stateOf(fake: FakePostHog) {
  const { memory } = await ExportState.open(freshStore(), order(fake).identity)
  const opened = order(fake).open(memory)
  try {
    return await opened.personState!({ signal: new AbortController().signal })
  } finally {
    await opened.close()
  }
}

const UNKNOWN = [
  'Unable to resolve field: poe',
  'Field "poe" not found on table events',
  "Missing columns: 'poe'",
]

test.each(UNKNOWN)('a server that says "%s" is asked without it, and that is said once', async (words) => {
  const known = someEvents(500).map((row) => ({ ...row, person_properties: '{"plan": "pro"}' }))
  const fake = await start({ events: known, refusesPerson: words })
  const into = freshStore()
  const { notes, outcome } = await exportInto(into, order(fake))
  expect(outcome.refused).toEqual([])
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
  expect(notes).toEqual([expect.stringContaining('no person properties on events')])
})

test.each([
  'Unable to resolve field: elements_chain',
  "Syntax error: SELECT toString(uuid), poe.properties, '{}' FROM events",
  'Field not found: properties, while reading event, poe.properties',
])('a server that says "%s" fails the export as before', async (words) => {
  const fake = await start({ refusesPerson: words })
  await expect(exportInto(freshStore(), order(fake))).rejects.toThrow(`answered 400: ${words}`)
  expect(fake.seen.filter(({ body }) => !body.includes('poe.'))).toEqual([])
})

test('where the state of persons comes from hangs on that column, also in a run that fetches nothing', async () => {
  const refusesPerson = UNKNOWN[0]!
  const reason = expect.stringContaining('has no person properties on events')
  expect(await stateOf(await start({ old: 3 }))).toEqual({ from: 'person_properties', withoutSet: 3 })
  expect(await stateOf(await start({ old: 3, refusesPerson }))).toEqual({
    from: 'none',
    withoutSet: 3,
    reason,
  })
  expect(await stateOf(await start({ refusesPerson }))).toEqual({ from: 'events', withoutSet: 0, reason })
})

test.each([1, 2, 3, 7, 499, 500, 501])(
  'pages of %i rows lose and double nothing, among equal times and where some are too much',
  async (rows) => {
    const mischief = [{ kind: 'timeout', rate: 0.3, times: 6 }] as const
    const fake = await start({ events: someEvents(200), mischief })
    const clock = new FakeClock(0)
    const limiter = new RateLimiter({ limits: [], clock })
    const client = new VendorClient({
      vendor: 'PostHog',
      origin: fake.url,
      credentials: bearer(POSTHOG_KEY),
      limiter,
      quietMs: 5000,
    })
    const signal = new AbortController().signal
    const retry = { retryForMs: 0, clock, random: () => 0, signal }
    const call: VendorCall = { signal, retry, scratch: () => '', note: () => {} }
    const lines: string[] = []
    const window = { name: 'all', start: FROM, end: TO }
    const queries = { client, path: queryPath('7'), person: new PersonColumn() }
    for await (const chunk of exportEvents(queries, window, call, rows)) {
      lines.push(...chunk.toString().trimEnd().split('\n'))
    }
    await client.close()
    expect(lines.map((line) => (JSON.parse(line) as PostHogRow).uuid).sort()).toEqual(ids(someEvents(200)))
  },
)

test.each<MischiefKind>(['storm', 'busy', 'html', 'drop', 'cut', 'drip', 'timeout'])(
  'a service that answers with "%s" costs time, and no event',
  async (kind) => {
    const fake = await start({ seed: 5, mischief: [{ kind, rate: 0.5, times: 12 }] })
    const into = freshStore()
    await exportInto(into, order(fake))
    expect(fake.done[kind]).toBeGreaterThan(0)
    expect(ids(await recordsOf(into))).toEqual(EVENTS)
  },
)

test('a query that is too expensive is asked in smaller spans', async () => {
  const fake = await start({ mostScanned: 30 })
  const into = freshStore()
  const report = await exportInto(into, order(fake))
  expect(report.notes.length).toBeGreaterThan(3)
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
})

test('a second that is too expensive is reported', async () => {
  const fake = await start({ mostScanned: 0 })
  const report = await exportInto(freshStore(), order(fake))
  expect(report.outcome.refused.length).toBe(3)
  expect(report.refused[0]).toContain('too expensive')
})

test('persons become $set events', async () => {
  const persons = [1, 2, 3].map((n) => ({
    id: `0000000${n}-0000-4000-8000-000000000000`,
    created_at: '2024-02-01 10:00:00',
    properties: '{"plan": "pro", "n": 12345678901234567890}',
    distinct_id: n === 2 ? '' : `user ${n}`,
  }))
  const fake = await start({ persons })
  const into = freshStore()
  await exportInto(into, order(fake, { windows: [], persons: true }))
  const lines = await linesOf(into)
  expect(lines).toHaveLength(2)
  expect(lines[0]).toMatch(
    /^\{"uuid":"[0-9a-f-]{36}","event":"\$set","distinct_id":"user 1","timestamp":"2024-02-01T10:00:00Z","properties":\{"\$set":\{"plan": "pro", "n": 12345678901234567890\}\}\}$/,
  )
})

test('a wrong key ends the run', async () => {
  const fake = await start()
  const wrong = order(fake, { credentials: bearer(new Secret('phx_wrong', 'a test')) })
  await expect(exportInto(freshStore(), wrong)).rejects.toMatchObject({ code: 'auth' })
})

/** Sixty days, of which three have events; the last day is so young that events are still added to it. */
const LONG = windowsOf(FROM - 10 * MS_PER_DAY, FROM + 50 * MS_PER_DAY, MS_PER_DAY)
const long = (fake: FakePostHog) =>
  order(fake, { windows: LONG, clock: new FakeClock(FROM + 50 * MS_PER_DAY) })
const queriesOf = (fake: FakePostHog) =>
  fake.seen.map(({ body }) => (JSON.parse(body) as { query: { query: string } }).query.query)
const windowsAsked = (fake: FakePostHog) =>
  queriesOf(fake).flatMap(
    (sql) => /uuid\), event.* timestamp >= toDateTime64\('([\d-]{10})/.exec(sql)?.[1] ?? [],
  )

const partsOf = async (store: ReturnType<typeof freshStore>) =>
  ((await readManifest(store)) as RawManifest).parts
const partNames = async (store: ReturnType<typeof freshStore>) =>
  (await store.list()).map(({ name }) => name).filter((name) => /^[^/]+\.ndjson\.gz$/.test(name))

test('days that the project counts as empty are not asked for one by one, and share a part', async () => {
  const fake = await start()
  const into = freshStore()
  const { notes, fetched } = await exportInto(into, long(fake))
  expect(queriesOf(fake).filter((sql) => sql.includes('AS day, count()'))).toHaveLength(1)
  expect(windowsAsked(fake).sort()).toEqual(['2024-03-01', '2024-03-02', '2024-03-03', '2024-04-19'])
  expect(notes).toContainEqual(expect.stringContaining('56 of 59 windows are empty'))
  expect(fetched).toHaveLength(60)
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
  expect(await partNames(into)).toHaveLength(5)
  // As an export that asks for each window, a few at a time, but for the file of what is empty.
  const other = freshStore()
  for (let at = 0; at < LONG.length; at += 5)
    await exportInto(other, order(fake, { windows: LONG.slice(at, at + 5), clock: new FakeClock(FROM) }))
  const asked = (await partsOf(other)).map((part) =>
    part.events === 0 && part.window !== '2024-04-19' ? { ...part, file: 'empty.ndjson.gz' } : part,
  )
  expect(await partsOf(into)).toEqual(asked)
  // A later run counts and asks nothing more, and takes the shared part for no window's.
  const { length } = fake.seen
  expect(await exportInto(into, long(fake))).toMatchObject({ fetched: [], adopted: [] })
  expect([fake.seen.length, await partsOf(into)]).toEqual([length, asked])
})

test('the shared part of empty windows is made anew where it is gone, and is no window of its own', async () => {
  const fake = await start()
  const into = freshStore()
  // A run was killed before it said in its state what the file is.
  await (await ExportState.open(into, long(fake).identity)).claim()
  await into.put('empty.ndjson.gz', gzipSync(''))
  expect((await exportInto(into, long(fake))).adopted).toEqual([])
  const parts = await partsOf(into)
  expect(parts.map(({ window }) => window)).toEqual(LONG.map(({ name }) => name))
  await into.remove('empty.ndjson.gz')
  expect((await exportInto(into, long(fake))).fetched).toHaveLength(56)
  expect(await partsOf(into)).toEqual(parts)
  // All windows again: the file of one that had events, and is empty by now, goes.
  const emptied = await start({ events: [] })
  await exportInto(into, { ...long(emptied), identity: long(fake).identity }, { refetch: true })
  expect([await partNames(into), await recordsOf(into)]).toEqual([
    ['2024-04-19.ndjson.gz', 'empty.ndjson.gz'],
    [],
  ])
})

test('an export that was cut short counts what is left anew: a day that was empty has events by now', async () => {
  const options = { events: someEvents(500) as readonly PostHogRow[] }
  const fake = await started(new FakePostHog(options))
  const into = freshStore()
  await exportInto(into, long(fake))
  const late = { ...someEvents(1)[0]!, uuid: LATE, timestamp: '2024-02-25 10:00:00.000000' }
  options.events = [...options.events, late]
  expect(await short(into, fake)).toEqual(['2024-02-25'])
  await exportInto(into, long(fake), { refetch: true })
  expect(ids(await recordsOf(into))).toEqual([...EVENTS, LATE].sort())
  expect(await short(into, fake)).toEqual([])
})

const LATE = '00000000-0000-4000-8000-999999999999'
const short = async (into: ReturnType<typeof freshStore>, fake: FakePostHog) =>
  (await reconciled(into, long(fake), new FakeClock(FROM + 50 * MS_PER_DAY))).short.map(({ day }) => day)

test('counts that are too much for one query make no day empty', async () => {
  const fake = await start({ mostScanned: 150 })
  const into = freshStore()
  await exportInto(into, long(fake), { concurrency: 1 })
  expect(queriesOf(fake).filter((sql) => sql.includes('AS day, count()'))).toHaveLength(1)
  expect(new Set(windowsAsked(fake)).size).toBe(60)
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
})
