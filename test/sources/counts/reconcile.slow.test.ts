import { describe, expect, test } from 'vitest'
import { utcTime } from '../../../src/options/values.ts'
import type { Reconciled } from '../../../src/sources/counts/reconcile.ts'
import type { ExportOrder } from '../../../src/sources/source.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { seeded } from '../../helpers/random.ts'
import {
  type AmplitudeEvent,
  FakeAmplitude,
  type FakeAmplitudeOptions,
} from '../../helpers/vendors/amplitude.ts'
import { FakeMixpanel, type FakeMixpanelOptions, type MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { FakePostHog, type FakePostHogOptions, type PostHogRow } from '../../helpers/vendors/posthog.ts'
import { exportInto, freshStore, reconciled, started } from '../harness.ts'
import { amplitudeFrom, mixpanelFrom, posthogFrom } from '../orders.ts'

const FROM = utcTime('2024-03-01')
const HOUR = 3_600_000
const DAY = 24 * HOUR
const NAMES = ['Signed Up', '$mp_web_page_view', 'Füße ✓']
const clock = () => new FakeClock(FROM + 100 * DAY)

/** Exports, and holds the export against the report. `forget`: as if an older version had exported. */
async function held(
  order: ExportOrder,
  { now = FROM + 100 * DAY, forget = false } = {},
): Promise<Reconciled> {
  const store = freshStore()
  await exportInto(store, order, { now })
  if (forget) {
    for (const { name } of await store.list()) if (name.startsWith('counts/')) await store.remove(name)
  }
  return reconciled(store, order, new FakeClock(now))
}

const known = { isZoneKnown: true, lastDays: 0 }
const whole = { short: [], arriving: [], untold: [], uncertainParts: 0, uncertainDays: 0 }

describe('Mixpanel', () => {
  const history = (count = 600, days = 10): MixpanelEvent[] => {
    const random = seeded(3)
    return Array.from({ length: count }, (_, i) => ({
      event: NAMES[i % 3]!,
      properties: {
        time: FROM + Math.floor(random() * days * DAY),
        distinct_id: `u${i % 17}`,
        $insert_id: `i${i}`,
      },
    }))
  }
  const order = (fake: FakeMixpanel, days = 10, events: readonly string[] = []) =>
    mixpanelFrom(fake.url, { events, windows: windowsOf(FROM, FROM + days * DAY, DAY), clock: clock() })
  const mixpanel = (options: Partial<FakeMixpanelOptions> = {}) =>
    started(new FakeMixpanel({ events: history(), ...options }))

  test.each([false, true])('a whole export is whole (counted again: %s)', async (forget) => {
    const fake = await mixpanel()
    expect(await held(order(fake), { forget })).toMatchObject({
      ...whole,
      ...known,
      zone: 'UTC',
      days: 10,
      otherDays: 0,
      here: 600,
      there: 600,
    })
    const { searchParams } = fake.seen.at(-1)!.url
    expect(Object.fromEntries(searchParams)).toMatchObject({ project_id: '42', type: 'general', unit: 'day' })
  })

  test('what was lost is named by day and event', async () => {
    const fake = await mixpanel({ lost: ({ properties }) => properties.$insert_id === 'i4' })
    const day = new Date(fake.events[4]!.properties.time).toISOString().slice(0, 10)
    const { short } = await held(order(fake))
    expect(short).toEqual([{ day, event: NAMES[1], here: expect.any(Number), there: short[0]!.here + 1 }])
  })

  test('copies do not hide that another event is missing', async () => {
    const events = history()
    const copied = [...events, ...events.filter((_, i) => i % 5 === 0)]
    expect(await held(order(await mixpanel({ events: copied })))).toMatchObject({
      ...whole,
      here: 600,
      there: 600,
    })
    const fake = await mixpanel({ events: copied, lost: ({ properties }) => properties.$insert_id === 'i4' })
    expect((await held(order(fake))).short).toHaveLength(1)
  })

  test.each(['America/New_York', 'Asia/Kolkata'])(
    'days of a project in %s are compared as such',
    async (zone) => {
      const events = history(1500, 30)
      const found = await held(order(await mixpanel({ events, zone }), 30))
      expect(found).toMatchObject({ ...whole, days: 29, otherDays: 1 })
      expect(found.zone).not.toBe('UTC')
      const lost = ({ properties }: MixpanelEvent) =>
        Number(String(properties.$insert_id).slice(1)) % 250 === 125
      expect((await held(order(await mixpanel({ events, zone, lost }), 30))).short.length).toBeGreaterThan(3)
    },
  )

  test('a few days in another zone can not be compared, and are not called short', async () => {
    const fake = await mixpanel({ events: history(600, 3), zone: 'Asia/Tokyo' })
    await expect(held(order(fake, 3))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('zone'),
    })
  })

  test('a name of which nothing came is asked for, unless it was not to be exported', async () => {
    const lost = ({ event }: MixpanelEvent) => event === 'Signed Up'
    const { short } = await held(order(await mixpanel({ lost })))
    expect(new Set(short.map(({ event, here }) => `${event} ${here}`))).toEqual(new Set(['Signed Up 0']))
    expect(short).toHaveLength(10)
    const some = order(await mixpanel({ lost }), 10, ['Füße ✓'])
    expect(await held(some)).toMatchObject({ ...whole, here: 200, there: 200 })
  })

  test('a name that reports hide is not compared, and said', async () => {
    const found = await held(order(await mixpanel({ hidden: ['Signed Up'] })))
    expect(found).toMatchObject({ short: [], untold: ['Signed Up'], here: 400, there: 400 })
  })

  test('days to which events are still added are left out', async () => {
    const found = await held(order(await mixpanel()), { now: FROM + 10 * DAY })
    expect(found).toMatchObject({ ...whole, days: 5, otherDays: 5 })
    await expect(held(order(await mixpanel()), { now: FROM + DAY })).rejects.toMatchObject({
      message: expect.stringContaining('no exported day is whole'),
    })
  })

  test.each([
    [{ status: 402, body: '{"error":"Your plan does not allow API calls"}' }, '402: Your plan'],
    [{ status: 403, body: '{"error":"no permission"}' }, '403: no permission'],
    [{ status: 200, body: '{"data":7}' }, 'has a shape'],
  ])('a report that refuses (%j) is an error that says why', async (refuses, words) => {
    const error = await held(order(await mixpanel({ refuses }))).catch((caught: Error) => caught)
    expect(error).toMatchObject({ message: expect.stringContaining(words) })
  })

  test('many names take several requests, fewer than the quota', async () => {
    const events = history(4000).map((event, i) => ({
      ...event,
      event: `An event of a longer name, number ${i % 2000}`,
    }))
    const fake = await mixpanel({ events })
    expect(await held(order(fake))).toMatchObject({ short: [], here: 4000, there: 4000 })
    const asked = fake.seen.filter(({ url }) => url.pathname === '/api/query/events')
    expect(asked.length).toBeGreaterThan(10)
    expect(asked.length).toBeLessThan(60)
    expect(Math.max(...asked.map(({ url }) => url.href.length))).toBeLessThan(7000)
  })
})

describe('Amplitude', () => {
  const { arriving: _, ...settled } = whole
  const DAYS = 12
  const stamp = (at: number) => `${new Date(at).toISOString().slice(0, 23).replace('T', ' ')}000`
  const history = (offlineMs = 4 * DAY): AmplitudeEvent[] => {
    const random = seeded(5)
    return Array.from({ length: 1200 }, (_, i) => {
      const at = FROM + Math.floor(random() * DAYS * DAY)
      // Some devices were offline for days.
      const late = i % 40 === 0 ? Math.floor(random() * offlineMs) : 1000
      const types = ['Signed Up', 'Signed Up', 'Song Played', '$identify']
      return {
        event_type: types[i % 4],
        event_time: stamp(at),
        server_upload_time: stamp(at + late),
        user_id: `u${i % 9}`,
        n: i,
      }
    })
  }
  const order = (fake: FakeAmplitude, days = DAYS) =>
    amplitudeFrom(fake.url, { windows: windowsOf(FROM, FROM + days * DAY, DAY), clock: clock() })
  const amplitude = (options: Partial<FakeAmplitudeOptions> = {}) =>
    started(new FakeAmplitude({ events: history(), ...options }))

  test('a whole export is whole, late events and all, on the days that are settled', async () => {
    const fake = await amplitude()
    const found = await held(order(fake))
    expect(found).toMatchObject({ ...settled, zone: 'UTC', days: 7, otherDays: 5 })
    expect(found.here).toBe(found.there)
    expect(found.here).toBeGreaterThan(400)
    expect(fake.seen.filter(({ url }) => url.searchParams.get('m') === 'totals')).toHaveLength(3)
  })

  test('a few days are all compared as arriving: none of them is settled', async () => {
    const few = await held(order(await amplitude({ events: history(0) }), 3))
    expect(few).toMatchObject({ ...whole, days: 0, otherDays: 3, lastDays: 3, isZoneKnown: false })
    const dayOf = ({ event_time }: AmplitudeEvent) => String(event_time).slice(0, 10)
    const lost = (event: AmplitudeEvent) => dayOf(event) === '2024-03-02'
    const short = await held(order(await amplitude({ events: history(0), lost }), 3))
    expect(short.short).toEqual([])
    expect(short.arriving.map(({ day, event, here }) => `${day} ${event} ${here}`).sort()).toEqual([
      '2024-03-02 Signed Up 0',
      '2024-03-02 Song Played 0',
    ])
  })

  test('what the last days lack is named as arriving, and is not short', async () => {
    const dayOf = ({ event_time }: AmplitudeEvent) => String(event_time).slice(0, 10)
    const found = await held(order(await amplitude({ lost: (event) => dayOf(event) === '2024-03-11' })))
    expect(found.short).toEqual([])
    const days = new Map(found.arriving.map(({ day, event, here }) => [`${day} ${event}`, here]))
    expect(days.get('2024-03-11 Signed Up')).toBe(0)
    for (const { day, here, there } of found.arriving) {
      expect(day > '2024-03-07').toBe(true)
      expect(here).toBeLessThan(there)
    }
  })

  test('what was lost is named, by event or together with the others', async () => {
    const lost = ({ n }: AmplitudeEvent) => n === 1 || n === 2
    const found = await held(order(await amplitude({ lost })))
    for (const { here, there } of found.short) expect(there - here).toBeGreaterThan(0)
    expect(found.short.length).toBeGreaterThan(0)
    expect(found.short.every(({ event }) => event !== null)).toBe(true)
    // A name of which nothing came is in no list, but it is any event.
    const names = await held(
      order(await amplitude({ lost: ({ event_type: type }) => type === 'Song Played' })),
    )
    expect(new Set(names.short.map(({ event, here }) => `${event} ${here}`))).toEqual(new Set(['null 0']))
  })

  test('an event type that no report shows is compared with nothing', async () => {
    expect(await held(order(await amplitude({ hidden: ['Song Played'] })))).toMatchObject({ short: [] })
  })

  test("days are the project's own", async () => {
    const found = await held(order(await amplitude({ zone: 'America/Los_Angeles' })))
    expect(found).toMatchObject({ ...settled, days: 6 })
    expect(found.zone).not.toBe('UTC')
  })
})

describe('PostHog', () => {
  const history = (): PostHogRow[] => {
    const random = seeded(7)
    return Array.from({ length: 500 }, (_, i) => ({
      uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
      event: NAMES[i % 3]!,
      distinct_id: `u${i % 9}`,
      timestamp: `${new Date(FROM + Math.floor(random() * 3 * DAY)).toISOString().slice(0, 23).replace('T', ' ')}000`,
      properties: '{}',
    }))
  }
  const order = (fake: FakePostHog, from = FROM) =>
    posthogFrom(fake.url, {
      windows: windowsOf(from, FROM + 3 * DAY, 6 * HOUR),
      spanMs: 6 * HOUR,
      clock: clock(),
    })
  const posthog = (options: Partial<FakePostHogOptions> = {}) =>
    started(new FakePostHog({ events: history(), ...options }))

  test('a whole export is whole, with copies that the service has not merged', async () => {
    const events = history()
    const fake = await posthog({ events: [...events, ...events.slice(0, 50)], mostScanned: 300 })
    expect(await held(order(fake))).toMatchObject({
      ...whole,
      ...known,
      zone: 'UTC',
      days: 3,
      otherDays: 0,
      here: 500,
      there: 500,
    })
  })

  test('what was lost is named, and copies do not hide it', async () => {
    const events = history()
    const fake = await posthog({
      events: [...events, ...events.slice(0, 50)],
      lost: ({ uuid }) => uuid.endsWith('077'),
    })
    const { short } = await held(order(fake))
    expect(short).toEqual([
      {
        day: events[77]!.timestamp.slice(0, 10),
        event: NAMES[2],
        here: expect.any(Number),
        there: short[0]!.here + 1,
      },
    ])
  })

  test('a day of which only a part was exported is left out', async () => {
    expect(await held(order(await posthog(), FROM + 6 * HOUR))).toMatchObject({
      ...whole,
      days: 2,
      otherDays: 1,
    })
  })
})
