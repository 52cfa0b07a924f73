import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { utcTime } from '../../src/options/values.ts'
import { EXPORT } from '../../src/sources/export-state.ts'
import type { MixpanelOptions } from '../../src/sources/mixpanel/mixpanel.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { readManifest } from '../../src/store/dataset.ts'
import { MS_PER_DAY } from '../../src/text/units.ts'
import { edited } from '../helpers/edited.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'
import type { MischiefKind } from '../helpers/vendors/fake.ts'
import { FakeMixpanel, type FakeMixpanelOptions, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'
import { exportInto, freshStore, linesOf, recordsOf, started } from './harness.ts'
import { mixpanelFrom } from './orders.ts'

const FROM = utcTime('2024-03-01')
const TO = utcTime('2024-03-05')
const DAYS = windowsOf(FROM, TO, MS_PER_DAY).map(({ name }) => name)

function someEvents(count: number): MixpanelEvent[] {
  const random = seeded(3)
  return Array.from({ length: count }, (_, i) => ({
    event: ['Signed Up', '$mp_web_page_view', 'Füße ✓'][i % 3]!,
    properties: {
      time: FROM + Math.floor(random() * (TO - FROM)),
      distinct_id: `user-${i % 17}`,
      $insert_id: `insert-${i}`,
    },
  }))
}

const start = (options: Partial<FakeMixpanelOptions> = {}) =>
  started(new FakeMixpanel({ events: someEvents(400), ...options }))

const order = (fake: FakeMixpanel, more: Partial<MixpanelOptions> = {}) =>
  mixpanelFrom(fake.url, {
    windows: windowsOf(FROM, TO, MS_PER_DAY),
    clock: new FakeClock(utcTime('2024-03-07')),
    ...more,
  })

const ids = (records: unknown[]) => records.map((r) => (r as MixpanelEvent).properties.$insert_id).sort()

test('each day becomes one part, and nothing is missing or double', async () => {
  const fake = await start()
  const into = freshStore()
  const report = await exportInto(into, order(fake))
  expect(report.outcome).toEqual({ fetched: 4, refused: [] })
  const records = await recordsOf(into)
  expect(records).toHaveLength(400)
  expect(ids(records)).toEqual(ids(fake.events as unknown[]))
  const times = (records as MixpanelEvent[]).map((r) => r.properties.time).sort((a, b) => a - b)
  expect(times).toEqual(fake.events.map((e) => e.properties.time).sort((a, b) => a - b))
  const manifest = await readManifest(into)
  expect(manifest).toMatchObject({
    kind: 'raw',
    source: { vendor: 'mixpanel', preset: 'mixpanel', project: '42' },
  })
  expect(manifest.parts.map((part) => 'window' in part && part.window)).toEqual(DAYS)
})

test.each<MischiefKind>(['storm', 'busy', 'html', 'drop', 'cut', 'drip', 'terminated'])(
  'a vendor that answers with "%s" costs time, and no event',
  async (kind) => {
    const fake = await start({ seed: 5, mischief: [{ kind, rate: 0.6, times: 10 }] })
    const into = freshStore()
    const report = await exportInto(into, order(fake))
    expect(fake.done[kind]).toBeGreaterThan(0)
    if (kind !== 'drip') expect(report.retries).toHaveLength(fake.done[kind]!)
    expect(ids(await recordsOf(into))).toEqual(ids(fake.events as unknown[]))
    const files = (await into.list()).map((file) => file.name)
    expect(files.filter((name) => !name.startsWith('counts/'))).toHaveLength(4 + 2)
  },
)

test('parts that are there are not fetched again, unless --refetch asks for it: then late events are in them', async () => {
  const fake = await start()
  const into = freshStore()
  await exportInto(into, order(fake))
  const late = { event: 'Late', properties: { time: FROM + 5, distinct_id: 'u', $insert_id: 'late-1' } }
  fake.events = [...fake.events, late]
  const before = fake.seen.length
  expect((await exportInto(into, order(fake))).outcome.fetched).toBe(0)
  expect(fake.seen.length).toBe(before)
  expect(await recordsOf(into)).toHaveLength(400)
  await exportInto(into, order(fake), { refetch: true })
  expect(ids(await recordsOf(into))).toEqual(ids(fake.events as unknown[]))
})

test('an export that ends early is recognised by its words, and without compression by its last line', async () => {
  const early = await start({ mischief: [{ kind: 'terminated', rate: 1, times: 1 }] })
  const report = await exportInto(freshStore(), order(early))
  expect(report.retries).toEqual([expect.stringContaining('ended the export early')])
  const cut = await start({ plain: true, mischief: [{ kind: 'cut', rate: 1, times: 3 }] })
  const into = freshStore()
  const plain = await exportInto(into, order(cut))
  expect(plain.retries).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('not a whole event')))
  expect(ids(await recordsOf(into))).toEqual(ids(cut.events as unknown[]))
})

test('a refetch that was cut short does not take old parts for new ones', async () => {
  const fake = await start()
  const into = freshStore()
  await exportInto(into, order(fake))
  const lateDays = windowsOf(FROM, TO, MS_PER_DAY).map(({ start: time, name }) => {
    return { event: 'Late', properties: { time, distinct_id: 'u', $insert_id: `late-${name}` } }
  })
  fake.events = [...fake.events, ...lateDays]
  const interruption = new AbortController()
  let asked = 0
  fake.onRequest = () => {
    if (++asked === 3) interruption.abort()
  }
  const cut = exportInto(into, order(fake), { refetch: true, concurrency: 1, signal: interruption.signal })
  await expect(cut).rejects.toMatchObject({ code: 'interrupted' })
  // A folder with some old and some new parts is not a finished dataset.
  expect((await into.list()).some((file) => file.name === 'manifest.json')).toBe(false)
  fake.onRequest = () => {}
  const rest = await exportInto(into, order(fake))
  expect(rest.outcome.fetched).toBe(2)
  expect(ids(await recordsOf(into))).toEqual(ids(fake.events as unknown[]))
})

test('parts that no state knows are taken over, those that are gone are fetched, changed ones refused', async () => {
  const fake = await start()
  const into = freshStore()
  await exportInto(into, order(fake))
  const state = JSON.parse(Buffer.from((await into.load('export.json'))!.bytes).toString())
  const { '2024-03-02': known, ...frozen } = state.frozen
  await into.put(
    'export.json',
    edited(EXPORT, (await into.load('export.json'))!.bytes, () => ({ frozen })),
  )
  await into.remove('2024-03-03.ndjson.gz')
  const report = await exportInto(into, order(fake))
  expect(report).toMatchObject({ adopted: ['2024-03-02'], fetched: ['2024-03-03'] })
  const again = JSON.parse(Buffer.from((await into.load('export.json'))!.bytes).toString())
  expect(again.frozen['2024-03-02']).toEqual({ ...known, asked_at: expect.any(Number) })
  expect(ids(await recordsOf(into))).toEqual(ids(fake.events as unknown[]))
  await into.put('2024-03-03.ndjson.gz', Buffer.from('edited'))
  await expect(exportInto(into, order(fake))).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('2024-03-03'),
  })
})

test('what a dead run left half written is gone when the next one begins', async () => {
  const fake = await start()
  const into = freshStore()
  const half = join(into.location, '.2024-03-02.ndjson.gz.1a2b3c4d.tmp')
  writeFileSync(half, 'half')
  await exportInto(into, order(fake))
  expect(existsSync(half)).toBe(false)
})

test('windows that were asked for before they were final are found', async () => {
  const fake = await start()
  const into = freshStore()
  const report = await exportInto(into, order(fake, { clock: new FakeClock(utcTime('2024-03-08')) }), {
    now: utcTime('2024-03-08'),
  })
  expect(report.provisional).toEqual(['2024-03-03', '2024-03-04'])
  expect((await exportInto(into, order(fake))).provisional).toEqual(['2024-03-03', '2024-03-04'])
  expect((await exportInto(into, order(fake), { refetch: true })).provisional).toEqual([])
})

test('asks for events by name, in milliseconds, with the project', async () => {
  const fake = await start()
  const into = freshStore()
  await exportInto(into, order(fake, { events: ['Füße ✓', 'Signed Up'] }))
  const names = new Set((await recordsOf(into)).map((record) => (record as MixpanelEvent).event))
  expect(names).toEqual(new Set(['Füße ✓', 'Signed Up']))
  expect(Object.fromEntries(fake.seen[0]!.url.searchParams)).toMatchObject({
    project_id: '42',
    time_in_ms: 'true',
    event: '["Füße ✓","Signed Up"]',
  })
  await expect(exportInto(into, order(fake))).rejects.toMatchObject({ code: 'mismatch' })
})

test('wrong credentials end the run at once, and are not shown', async () => {
  const fake = await start()
  fake.credentials = { user: 'service-user', secret: 'another' }
  const into = freshStore()
  const error = await exportInto(into, order(fake)).catch((caught: Error) => caught)
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('401') })
  expect(fake.seen.length).toBeLessThanOrEqual(4)
  expect(await into.list()).toEqual([expect.objectContaining({ name: 'export.json' })])
})

test('profiles come page by page, as written, and the groups of a type with it', async () => {
  const profiles = Array.from(
    { length: 2345 },
    (_, i) => `{"$distinct_id": "u${i}",\n "$properties": {"n": 12345678901234567890, "x": 1.0}}`,
  )
  const fake = await start({ profiles, groupProfiles: { '-77': ['{}', '{"$distinct_id":"Acme"}'] } })
  const into = freshStore()
  const report = await exportInto(
    into,
    order(fake, {
      windows: [],
      profiles: [
        { name: 'profiles' },
        { name: 'group-profiles-company', group: { type: 'company', dataGroupId: '-77' } },
      ],
    }),
  )
  expect(report.outcome.fetched).toBe(2)
  const lines = await linesOf(into)
  expect(lines).toHaveLength(2347)
  const [empty, group, first] = lines
  expect(empty).toMatch(/^\{"\$exported_at":"[^"]+Z","\$group_type":"company"\}$/)
  expect(group).toMatch(/^\{"\$distinct_id":"Acme","\$exported_at":"[^"]+Z","\$group_type":"company"\}$/)
  expect(first).toMatch(
    /^\{"\$distinct_id": "u0", {2}"\$properties": \{"n": 12345678901234567890, "x": 1\.0\},"\$exported_at"/,
  )
  expect(new Set(lines.map((line) => (JSON.parse(line) as { $distinct_id: string }).$distinct_id)).size).toBe(
    2347,
  )
})

test.each([
  { what: 'has events of them', since: FROM, parts: 4, note: 'has events in 2 days' },
  { what: 'has none', since: FROM + 2 * MS_PER_DAY, parts: 2, note: 'has no events in 2 days' },
])('of days before the two years one event is asked for first: where Mixpanel $what', async (row) => {
  const events = someEvents(400).filter(({ properties: { time } }) => time >= row.since)
  const fake = await start({ events })
  const into = freshStore()
  const clock = new FakeClock(utcTime('2026-03-03'))
  const { notes, fetched } = await exportInto(into, order(fake, { clock }), { concurrency: 2 })
  const [first, ...days] = fake.seen.map(({ url }) => url.searchParams)
  expect([...first!].map(([name, value]) => `${name}=${value}`)).toEqual(
    expect.arrayContaining(['from_date=2024-03-01', 'to_date=2024-03-02', 'limit=1']),
  )
  expect(days.map((one) => one.get('from_date')).sort()).toEqual(DAYS.slice(-row.parts))
  expect(notes).toEqual([expect.stringContaining(row.note)])
  expect(fetched).toHaveLength(4)
  expect(await recordsOf(into)).toHaveLength(events.length)
})

test('where Mixpanel refuses the question of all old days, each is asked', async () => {
  const fake = await start({ longest: MS_PER_DAY })
  const into = freshStore()
  await exportInto(into, order(fake, { clock: new FakeClock(utcTime('2026-03-03')) }))
  expect(await recordsOf(into)).toHaveLength(400)
})
