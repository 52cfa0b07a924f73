import { readdir } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { systemClock } from '../../src/http/clock.ts'
import { utcTime } from '../../src/options/values.ts'
import type { AmplitudeOptions } from '../../src/sources/amplitude/amplitude.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../src/text/units.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'
import {
  type AmplitudeEvent,
  FakeAmplitude,
  type FakeAmplitudeOptions,
} from '../helpers/vendors/amplitude.ts'
import type { MischiefKind } from '../helpers/vendors/fake.ts'
import { exportInto, freshStore, recordsOf, started } from './harness.ts'
import { amplitudeFrom } from './orders.ts'

const FROM = utcTime('2024-03-01')
const TO = utcTime('2024-03-02')

function someEvents(count: number): AmplitudeEvent[] {
  const random = seeded(3)
  return Array.from({ length: count }, (_, i) => {
    // Nothing reached the servers between 10 and 14 o'clock.
    const hour = Math.floor(random() * 20)
    const time = FROM + (hour < 10 ? hour : hour + 4) * MS_PER_HOUR + Math.floor(random() * MS_PER_HOUR)
    const text = new Date(time).toISOString().slice(0, 23).replace('T', ' ')
    return { server_upload_time: `${text}000`, event_type: 'Füße ✓', $insert_id: `insert-${i}` }
  })
}

const start = (options: Partial<FakeAmplitudeOptions> = {}) =>
  started(new FakeAmplitude({ events: someEvents(300), ...options }))

function order(fake: FakeAmplitude, more: Partial<AmplitudeOptions> = {}) {
  const spanMs = more.spanMs ?? MS_PER_HOUR
  const clock = new FakeClock(utcTime('2024-03-07'))
  return amplitudeFrom(fake.url, { windows: windowsOf(FROM, TO, spanMs), spanMs, clock, ...more })
}

/** A promise that somebody else keeps. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

const ids = (records: readonly unknown[]) => records.map((r) => (r as AmplitudeEvent).$insert_id).sort()
const EVENTS = ids(someEvents(300))

test('each hour becomes one part, an hour without data an empty one', async () => {
  const fake = await start({ holdFirst: true })
  const into = freshStore()
  const report = await exportInto(into, order(fake))
  expect(report.outcome).toEqual({ fetched: 24, refused: [] })
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
  expect(fake.peak).toBeGreaterThan(1)
  expect(fake.peak).toBeLessThanOrEqual(4)
  expect((await readdir(into.location)).filter((name) => name.startsWith('.'))).toEqual([])
})

test.each<MischiefKind>(['storm', 'busy', 'html', 'drop', 'cut', 'drip', 'timeout'])(
  'a vendor that answers with "%s" costs time, and no event',
  async (kind) => {
    const fake = await start({ seed: 5, mischief: [{ kind, rate: 0.5, times: 12 }] })
    const into = freshStore()
    const report = await exportInto(into, order(fake))
    expect(fake.done[kind]).toBeGreaterThan(0)
    // The status of an answer without data says enough, wherever its text is cut off.
    if (kind !== 'drip') expect(report.retries).not.toHaveLength(0)
    expect(ids(await recordsOf(into))).toEqual(EVENTS)
    expect((await readdir(into.location)).filter((name) => name.startsWith('.'))).toEqual([])
  },
)

test.each([
  ['too large', { mostEvents: 40 }],
  ['too slow', { mostHours: 5 }],
])('a window that is %s is fetched in halves', async (_, more) => {
  const fake = await start(more)
  const into = freshStore()
  const report = await exportInto(into, order(fake, { spanMs: MS_PER_DAY }))
  expect(report.notes.length).toBeGreaterThan(2)
  expect(report.outcome.fetched).toBe(1)
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
})

test.each<[string, Partial<FakeAmplitudeOptions>]>([
  ['without a day', { member: () => 'export.json.gz' }],
  ['without an hour', { member: (usual) => usual.replace(/_\d+#/, '#') }],
  [
    'not packed',
    { member: (usual) => usual.replace('.gz', ''), packed: (lines) => Buffer.from(` ${lines}`) },
  ],
  ['packed, by another name', { member: (usual) => `${usual}.part` }],
])('members of other names are read: %s', async (_, more) => {
  const into = freshStore()
  const report = await exportInto(into, order(await start(more), { spanMs: MS_PER_DAY }))
  expect(report.refused).toEqual([])
  expect(ids(await recordsOf(into))).toEqual(EVENTS)
  // The fake adds a file that holds no events.
  expect(report.notes.join()).toMatch(/1 of \d+ members of Amplitude's archive hold no events: .*123456\.txt/)
})

test('a window of which no member could be read is not taken for exported', async () => {
  const fake = await start({ member: () => 'export.csv', packed: () => Buffer.from('a,b\n1,2\n') })
  const into = freshStore()
  const report = await exportInto(into, order(fake, { spanMs: MS_PER_DAY }))
  expect(report.outcome.fetched).toBe(0)
  expect(report.refused).toEqual([expect.stringMatching(/in none of its \d+ members: export\.csv/)])
  expect((await into.list()).some((file) => file.name === 'manifest.json')).toBe(false)
})

test('an hour that is too large is reported, and the others are fetched', async () => {
  const counts = new Map<string, number>()
  for (const { server_upload_time: time } of someEvents(300)) {
    counts.set(time.slice(0, 13), (counts.get(time.slice(0, 13)) ?? 0) + 1)
  }
  const most = Math.max(...counts.values())
  const fake = await start({ mostEvents: most - 1 })
  const into = freshStore()
  const report = await exportInto(into, order(fake))
  const large = [...counts.values()].filter((count) => count === most).length
  expect(report.outcome).toMatchObject({ fetched: 24 - large })
  expect(report.refused).toHaveLength(large)
  expect(report.refused[0]).toMatch(/cannot export the hour 2024-03-01T\d\d: it is over 4 GB/)
  // The export is not finished, so it is not a dataset: the same command asks for that hour again.
  expect((await into.list()).some((file) => file.name === 'manifest.json')).toBe(false)
})

test('an hour that fails while others succeed is given up by itself', async () => {
  const sickHour = '20240301T00'
  const fake = await start({ sickHour })
  const into = freshStore()
  const startOf = (url: URL) => url.searchParams.get('start')
  // The last hour is answered only after the sick one has failed, so one succeeds after that, however fast the machine is.
  const failed = gate()
  fake.hold = ({ url }) => (startOf(url) === '20240301T23' ? failed.opened : undefined)
  // Time passes only in the waits. The last of them ends when all others are fetched.
  const others = gate()
  let left = 23
  const clock = new FakeClock(0)
  const sleep = async (ms: number) => {
    await clock.sleep(ms)
    failed.open()
    if (clock.now() >= 300) await others.opened
  }
  const report = await exportInto(into, order(fake), {
    retryForMs: 300,
    clock: { now: clock.now, wall: systemClock.wall, sleep },
    frozen: () => {
      if (--left === 0) others.open()
    },
  })
  expect(report.outcome.fetched).toBe(23)
  expect(report.refused).toEqual(['2024-03-01T00: Amplitude answered 500: sick'])
  expect(fake.seen.filter(({ url }) => startOf(url) === sickHour)).toHaveLength(4)
})

test('a vendor that is down ends the run', async () => {
  const fake = await start({ mostHours: 0 })
  await expect(exportInto(freshStore(), order(fake), { retryForMs: 20 })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('504'),
  })
})
