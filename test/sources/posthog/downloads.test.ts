import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/http/secret.ts'
import { utcTime } from '../../../src/options/values.ts'
import { NotOffered } from '../../../src/sources/posthog/download-api.ts'
import {
  type DownloadOptions,
  downloadsOrder,
  firstDownload,
  insertionWeeks,
} from '../../../src/sources/posthog/downloads.ts'
import { bearer } from '../../../src/sources/vendor-client.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import type { LocalStore } from '../../../src/store/local.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import type { PostHogRow } from '../../helpers/vendors/posthog.ts'
import { FakeDownloads, type FakeDownloadsOptions } from '../../helpers/vendors/posthog-downloads.ts'
import { exportInto, freshStore, linesOf, reconciled, recordsOf, started } from '../harness.ts'

const FROM = utcTime('2024-03-01')
const TO = utcTime('2024-03-11')
const NOW = utcTime('2024-04-20')

/** Three events a day, from two days before the range until two days after it. */
const EVENTS = Array.from({ length: 42 }, (_, i): PostHogRow => {
  const time = new Date(FROM - 2 * MS_PER_DAY + Math.floor((i * MS_PER_DAY) / 3)).toISOString()
  return {
    uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    event: i % 2 ? '$pageview' : 'Paid',
    distinct_id: `user ${i % 5}`,
    timestamp: time.replace('T', ' ').replace('Z', '000'),
    properties: '{"n": 12345678901234567890, "x": 1.0, "timestamp": "2001-01-01", "text": "a\\u2028 ✓"}',
  }
})
const asked = ({ timestamp }: PostHogRow) => timestamp >= '2024-03-01' && timestamp < '2024-03-11'
const ids = (records: readonly unknown[]) => records.map((one) => (one as PostHogRow).uuid).sort()
const WANTED = ids(EVENTS.filter(asked))

async function start(options: Partial<FakeDownloadsOptions> = {}) {
  const clock = new FakeClock(NOW)
  const fake = await started(new FakeDownloads({ events: EVENTS, now: () => clock.wall(), ...options }))
  const usual: DownloadOptions = {
    host: fake.url,
    projectId: '7',
    credentials: bearer(new Secret('phx_source_key', 'a test')),
    windows: windowsOf(FROM, TO, MS_PER_DAY),
    spanMs: MS_PER_DAY,
    persons: false,
    groups: undefined,
    limits: [],
    quietMs: 5000,
    clock,
    to: TO,
  }
  const order = (more: Partial<DownloadOptions> = {}) => downloadsOrder({ ...usual, ...more })
  return { fake, clock, usual, order, into: freshStore() }
}

const stateOf = (store: LocalStore) =>
  JSON.parse(readFileSync(join(store.location, 'export.json'), 'utf8')) as {
    ordered?: Record<string, string>
  }

describe('weeks of insertion', () => {
  test('begin at the same instants in all exports, a day before the range, and end now', () => {
    const weeks = insertionWeeks({ start: FROM, end: TO }, NOW)
    expect(new Date(weeks[0]!.start).toISOString()).toBe('2024-02-29T00:00:00.000Z')
    expect(weeks.every(({ start, end }) => end - start === 7 * MS_PER_DAY)).toBe(true)
    expect(weeks.at(-1)!.start).toBeLessThan(NOW)
    expect(weeks.at(-1)!.end).toBeGreaterThanOrEqual(NOW)
    const later = insertionWeeks({ start: FROM + 3 * MS_PER_DAY, end: TO }, NOW)
    expect(weeks.map(({ start }) => start)).toEqual(expect.arrayContaining(later.map(({ start }) => start)))
  })

  test('give the lines of the range byte for byte, and each order is of a week that is over', async () => {
    const { fake, clock, order, into } = await start({ fileRows: 4 })
    const told = await exportInto(into, order(), { clock })
    expect(ids(await recordsOf(into))).toEqual(WANTED)
    expect((await linesOf(into))[0]).toBe(
      '{"uuid":"00000000-0000-4000-8000-000000000006","event":"Paid","distinct_id":"user 1","person_id":"p",' +
        '"properties":{"n": 12345678901234567890, "x": 1.0, "timestamp": "2001-01-01", "text": "a\\u2028 ✓"},' +
        '"person_properties":{"plan":"pro"},"elements_chain":"","timestamp":"2024-03-01T00:00:00.000Z",' +
        '"created_at":"2024-03-01T00:00:00.000Z","_inserted_at":"2024-03-01T00:00:00.000Z"}',
    )
    expect(told.filtered).toBe(9)
    // No other host may see the key.
    expect(fake.storage.seen.length).toBeGreaterThan(0)
    expect(fake.storage.seen.filter(({ authorization }) => authorization !== '')).toEqual([])
    // One order at a time, but which of the weeks comes first is not said.
    expect(fake.orders.map((order) => JSON.parse(order))).toContainEqual({
      model: 'events',
      file: { format: 'JSONLines', compression: 'gzip', max_size_mb: 256 },
      data_interval_start: '2024-02-29T00:00:00.000Z',
      data_interval_end: '2024-03-07T00:00:00.000Z',
    })
    expect(readdirSync(into.location).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(stateOf(into).ordered ?? {}).toEqual({})
  })

  test('that can hold no event of the range are not ordered', async () => {
    const { fake, clock, order, into } = await start()
    clock.pass(300 * MS_PER_DAY)
    await exportInto(into, order(), { clock })
    expect(ids(await recordsOf(into))).toEqual(WANTED)
    expect(fake.orders.length).toBeLessThan(12)
  })
})

describe('what goes wrong costs time, and no event', () => {
  type Harm = {
    readonly service?: Partial<FakeDownloads>
    readonly storage?: Partial<FakeDownloads['storage']>
    readonly run?: (run: number) => string[]
  }
  test.each<[string, Harm]>([
    ['too many downloads at once', { service: { tooMany: 3 } }],
    ['a download that has expired', { service: { expired: 2 } }],
    ['an address that is too old', { storage: { late: 2 } }],
    ['a file that is cut', { storage: { torn: 2 } }],
    ['a connection that breaks', { storage: { mischief: [{ kind: 'drop', rate: 1, times: 3 }] } }],
    ['a storage that is busy', { storage: { mischief: [{ kind: 'busy', rate: 1, times: 3 }] } }],
    ['a service that is busy', { service: { mischief: [{ kind: 'busy', rate: 0.5, times: 9 }] } }],
    ['a run that waits', { run: () => ['Starting', 'Running', 'Running', 'Completed'] }],
    ['a status that is new', { run: () => ['Queued', 'constructor', 'Completed'] }],
    ['a run that may work again', { run: (run) => [run < 2 ? 'FailedRetryable' : 'Completed'] }],
  ])('%s', async (_, { service, storage, run }) => {
    const { fake, clock, order, into } = await start(run && { statuses: run })
    Object.assign(fake, service)
    Object.assign(fake.storage, storage)
    await exportInto(into, order(), { clock, retryForMs: 600_000 })
    expect(ids(await recordsOf(into))).toEqual(WANTED)
  })

  test.each([
    ['Failed', 'refused', /Failed at PostHog, so this week is not there: disk of the worker/],
    ['TimedOut', 'refused', /TimedOut at PostHog, so this week is too much/],
    ['FailedBilling', 'stopped', /limit of exported rows/],
    ['Cancelled', 'stopped', /somebody there stopped it/],
    ['Terminated', 'stopped', /somebody there stopped it/],
    ['Waiting', 'stopped', /still Waiting at PostHog after 6 h/],
  ])('a run that ends as %s is %s, and the next one goes on', async (status, how, words) => {
    let ended = 0
    const { fake, clock, order, into } = await start({
      statuses: () => [ended++ === 0 ? status : 'Completed'],
    })
    if (status === 'Waiting') fake.onRequest = () => clock.pass(MS_PER_DAY / 24)
    const first = exportInto(into, order(), { clock, concurrency: 1 })
    if (how === 'refused') expect((await first).refused.join()).toMatch(words)
    else await expect(first).rejects.toThrow(words)
    fake.onRequest = () => {}
    if (status === 'Waiting') fake.runs[0]!.left[0] = 'Completed'
    await exportInto(into, order(), { clock })
    expect(ids(await recordsOf(into))).toEqual(WANTED)
    // A run that is not over is taken up; all others are ordered again.
    expect(fake.runs.length).toBe(
      insertionWeeks({ start: FROM, end: TO }, NOW).length + (status === 'Waiting' ? 0 : 1),
    )
  })
})

test.each(['poll', 'file'])(
  'a run that is stopped at a %s is taken up, and not ordered again',
  async (where) => {
    const { fake, clock, order, into } = await start({ statuses: () => ['Running', 'Completed'] })
    const stop = new AbortController()
    if (where === 'file') fake.storage.onFile = () => stop.abort()
    else fake.onRequest = () => void (fake.seen.at(-1)!.url.pathname.endsWith('0/') && stop.abort())
    await expect(exportInto(into, order(), { clock, signal: stop.signal })).rejects.toThrow('interrupted')
    expect(Object.keys(stateOf(into).ordered ?? {})).toContain('inserted-2024-02-29')
    fake.onRequest = () => {}
    fake.storage.onFile = () => {}
    await exportInto(into, order(), { clock })
    expect(ids(await recordsOf(into))).toEqual(WANTED)
    const starts = fake.orders.map(
      (body) => (JSON.parse(body) as { data_interval_start: string }).data_interval_start,
    )
    expect(new Set(starts).size).toBe(starts.length)
  },
)

test.each([
  ['route', '404: Not found.'],
  ['storage', '500: The batch export failed to start'],
] as const)('a server that lacks the %s is found out before anything is written', async (lacks, words) => {
  const { usual } = await start({ lacks })
  const { signal } = new AbortController()
  const retry = { retryForMs: 600_000, clock: usual.clock, random: () => 0, signal }
  const error = await firstDownload(usual, retry).catch((caught: unknown) => caught)
  // So the export goes on by queries.
  expect(error).toBeInstanceOf(NotOffered)
  expect(error).toMatchObject({ message: expect.stringContaining(words) })
})

test('events that were stored long after they happened, and copies of others, are told by the counts', async () => {
  const [late, twice] = [EVENTS[20]!, EVENTS[14]!]
  const copy = { ...twice }
  const { clock, order, into } = await start({
    events: [...EVENTS, copy],
    // The copy comes four days after the event; another event, of the same day as that, a month late.
    inserted: (row) =>
      Date.parse(`${row.timestamp.slice(0, 10)}T23:00:00Z`) +
      (row === late ? 30 : row === copy ? 4 : 0) * MS_PER_DAY,
  })
  await exportInto(into, order(), { clock })
  const found = ids(await recordsOf(into))
  expect(found.filter((id) => id === twice.uuid)).toHaveLength(2)
  const held = await reconciled(into, order(), clock)
  expect(held).toMatchObject({
    days: 10,
    there: 30,
    here: 29,
    short: [{ day: late.timestamp.slice(0, 10), event: late.event, here: 1, there: 2 }],
  })
})

test('a week that was fetched before its end is short, and is found to be', async () => {
  // Half of the range's days are over, and the events of the other half are not there yet.
  const { clock, order, into } = await start()
  clock.pass(utcTime('2024-03-09T12') - NOW)
  await exportInto(into, order(), { clock })
  clock.pass(3 * MS_PER_DAY)
  await exportInto(into, order(), { clock })
  const held = await reconciled(into, order(), clock)
  expect(held).toMatchObject({ days: 10, otherDays: 0, there: 30 })
  expect([...new Set(held.short.map(({ day }) => day))]).toEqual(['2024-03-09', '2024-03-10'])
})
