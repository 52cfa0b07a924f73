import { afterEach, expect, test } from 'vitest'
import type { Chart, ChartQuery, ChartSpan, SeriesChart } from '../../src/charts/chart.ts'
import type { ChartAnswer, ChartCell, NoAnswer } from '../../src/charts/chart-answer.ts'
import type { ChartSide, VendorNames } from '../../src/charts/chart-side.ts'
import { amplitudeWork } from '../../src/sources/amplitude/amplitude.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'
import {
  type AmplitudeEvent,
  FakeAmplitude,
  type FakeAmplitudeOptions,
} from '../helpers/vendors/amplitude.ts'
import type { MischiefKind } from '../helpers/vendors/fake.ts'

const ZONE = 'America/New_York'
// Clocks go forward on the 10th, a Sunday.
const MARCH: ChartSpan = { first: '2024-03-01', last: '2024-03-31' }

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const utc = (time: number) => new Date(time).toISOString().slice(0, 23).replace('T', ' ')

function event(type: string, time: string | number, user: string, more: object = {}): AmplitudeEvent {
  const at = typeof time === 'string' ? utc(Date.parse(time)) : utc(time)
  return {
    ...{ event_type: type, event_time: `${at}000`, server_upload_time: `${at}000`, amplitude_id: user },
    ...more,
  }
}

const NAMES = ['Füße & "Co" ✓', 'bought']

/** Events of a month and two days more on either side, by 40 users of whom some were merged. */
const HISTORY: readonly AmplitudeEvent[] = (() => {
  const random = seeded(11)
  const [from, to] = [Date.parse('2024-02-28'), Date.parse('2024-04-03')]
  return Array.from({ length: 2000 }, (_, i) => {
    const plan = ['free', 'team', 'ünternehmen'][Math.floor(random() * 4)]
    const properties = {
      ...(plan && { plan }),
      ...(i % 3 === 0 && { price: Math.floor(random() * 100) / 4 }),
    }
    const more = { $insert_id: `i${i}`, event_properties: properties, country: i % 5 === 0 ? 'Chad' : 'Peru' }
    const time = from + Math.floor(random() * (to - from))
    return event(NAMES[Math.floor(random() * 2)]!, time, String(1 + Math.floor(random() * 40)), more)
  })
})()

const MERGED = { '1': '2', '2': '3', '7': '8' }

const names = (events: Readonly<Record<string, readonly string[]>> = {}): VendorNames => ({
  events: (final) => (final === null ? NAMES : (events[final] ?? [final])),
  property: (final) => {
    if (final === 'gone') return undefined
    if (final === 'country') return 'country'
    return final === '$geoip_country_name' ? 'country' : `event_properties.${final}`
  },
  finalEvent: (name) => name,
  finalProperty: (name) => name,
})

interface Setting {
  readonly fake: FakeAmplitude
  readonly side: ChartSide
  readonly clock: FakeClock
  readonly notes: string[]
  readonly ask: (
    query: ChartQuery,
    span?: ChartSpan,
    events?: Readonly<Record<string, readonly string[]>>,
  ) => Promise<ChartAnswer | NoAnswer>
}

async function setting(options: Partial<FakeAmplitudeOptions> = {}): Promise<Setting> {
  const clock = new FakeClock(Date.parse('2024-05-01'))
  const now = () => clock.wall()
  const fake = await new FakeAmplitude({
    events: HISTORY,
    zone: ZONE,
    merged: MERGED,
    now,
    ...options,
  }).start()
  const side = await amplitudeWork.chartSide!(
    { vendor: 'amplitude', baseUrl: fake.url },
    {
      env: { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' },
      stdin: process.stdin,
      clock,
      patienceMs: 5000,
      retry: { retryForMs: 3_600_000, clock, random: () => 0 },
      memory: { asked: () => [], remember: async () => {} },
    },
  )
  open.push(side, fake)
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const { signal } = new AbortController()
  const ask: Setting['ask'] = (query, span = MARCH, events) => {
    const chart: Chart = { name: 'a chart', report: null, query }
    return side.ask(chart, span, { signal, names: names(events), note })
  }
  return { fake, side, clock, notes, ask }
}

function series(more: Partial<SeriesChart> = {}): SeriesChart {
  return {
    kind: 'series',
    measure: 'count',
    interval: 'day',
    ...{ property: null, by: null, event: 'bought', where: [] },
    ...more,
  }
}

function cells(answer: ChartAnswer | NoAnswer): ChartCell[] {
  if ('unanswered' in answer) expect.unreachable(answer.unanswered)
  return [...answer.cells].sort((a, b) => (`${a.at} ${a.by}` < `${b.at} ${b.by}` ? -1 : 1))
}

const calendar = new Intl.DateTimeFormat('sv', { timeZone: ZONE, dateStyle: 'short' })
const days = new Map(
  HISTORY.map((one) => {
    return [one, calendar.format(Date.parse(`${String(one.event_time).slice(0, 19).replace(' ', 'T')}Z`))]
  }),
)
const dayOf = (one: AmplitudeEvent) => days.get(one)!
const userOf = (one: AmplitudeEvent) =>
  ({ '1': '3', '2': '3', '7': '8' })[String(one.amplitude_id)] ?? String(one.amplitude_id)
const mondayOf = (day: string) => {
  const at = new Date(day)
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
  return at.toISOString().slice(0, 10)
}

/** The cells of the history's events, counted in the plainest way. */
function expected(
  keep: (one: AmplitudeEvent, day: string) => string | undefined,
  number: (events: readonly AmplitudeEvent[]) => number,
): ChartCell[] {
  const places = new Map<string, AmplitudeEvent[]>()
  for (const one of HISTORY) {
    const at = keep(one, dayOf(one))
    if (at !== undefined) places.set(at, [...(places.get(at) ?? []), one])
  }
  return [...places].sort().map(([at, events]) => ({ at, by: null, value: number(events) }))
}

const inMarch = (day: string) => (day >= MARCH.first && day <= MARCH.last ? day : undefined)
const bought = (one: AmplitudeEvent, day: string) => (one.event_type === 'bought' ? inMarch(day) : undefined)
const weekOf = (one: AmplitudeEvent, day: string) =>
  bought(one, day) && mondayOf(day) >= MARCH.first ? mondayOf(day) : undefined
const people = (events: readonly AmplitudeEvent[]) => new Set(events.map(userOf)).size
const count = (events: readonly AmplitudeEvent[]) => events.length

test('events and people by day are those of the days of the zone, also where its clocks change', async () => {
  const { ask } = await setting()
  expect(cells(await ask(series()))).toEqual(expected(bought, count))
  const answer = await ask(series({ measure: 'unique' }))
  expect(cells(answer)).toEqual(expected(bought, people))
  expect(answer).toMatchObject({ zone: null, estimated: false, notes: [expect.stringContaining('merged')] })
})

test.each([1, 0, 6])(
  'whole weeks begin on Monday where those of Amplitude begin on day %i',
  async (weekStart) => {
    const { ask, fake } = await setting({ weekStart })
    expect(cells(await ask(series({ interval: 'week' })))).toEqual(expected(weekOf, count))
    fake.seen.length = 0
    expect(cells(await ask(series({ interval: 'week', measure: 'unique' })))).toEqual(
      expected(weekOf, people),
    )
    expect(fake.seen).toHaveLength(weekStart === 1 ? 1 : 5)
  },
)

test('a month that the span cuts is left out, the whole span is one number', async () => {
  const { ask } = await setting()
  const span = { first: '2024-02-29', last: '2024-04-01' }
  const march = (one: AmplitudeEvent, day: string) => (bought(one, day) ? '2024-03-01' : undefined)
  for (const [measure, number] of [
    ['count', count],
    ['unique', people],
  ] as const) {
    const monthly = await ask(series({ measure, interval: 'month' }), span)
    expect(cells(monthly)).toEqual(expected(march, number))
    const whole = await ask(series({ measure, interval: 'whole' }))
    expect(cells(whole)).toEqual(expected((one, day) => bought(one, day) && 'whole', number))
  }
  expect(
    cells(await ask(series({ interval: 'month' }), { first: '2024-03-02', last: '2024-03-31' })),
  ).toEqual([])
})

test('all events, and the number of people', async () => {
  const { ask } = await setting()
  const day = await ask(series({ event: null }))
  expect(cells(day)).toEqual(expected((_, at) => inMarch(at), count))
  expect(day).toMatchObject({ notes: [expect.stringContaining('Any Event')] })
  expect(cells(await ask({ kind: 'people' }))).toEqual(expected((_, at) => inMarch(at) && 'whole', people))
})

test('people of more than a year are one number, too', async () => {
  const { ask } = await setting()
  const answer = await ask({ kind: 'people' }, { first: '2023-01-01', last: '2024-03-31' })
  expect(cells(answer)).toEqual(expected((_, day) => (day <= '2024-03-31' ? 'whole' : undefined), people))
})

test('an answer that lacks a day is not taken for one without events', async () => {
  const { ask } = await setting({ lacks: '2024-03-07' })
  await expect(ask(series({ interval: 'week' }))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('2024-03-07'),
  })
})

test('several names that became one are added up, but not their people', async () => {
  const { ask } = await setting()
  const both = { thing: NAMES }
  expect(cells(await ask(series({ event: 'thing' }), MARCH, both))).toEqual(
    expected((_, at) => inMarch(at), count),
  )
  for (const query of [
    series({ event: 'thing', measure: 'unique' }),
    series({ event: 'thing', measure: 'average', property: 'price' }),
  ]) {
    expect(await ask(query, MARCH, both)).toEqual({
      unanswered: expect.stringMatching(/`thing` is made of .*Füße.*bought.*, and Amplitude's API/),
    })
  }
})

test('a sum and an average are of the events that have the property', async () => {
  const { ask } = await setting()
  const prices = (events: readonly AmplitudeEvent[]) =>
    events.flatMap((one) => (one.event_properties as { price?: number }).price ?? [])
  const sum = (events: readonly AmplitudeEvent[]) => prices(events).reduce((a, b) => a + b, 0)
  const query = series({ measure: 'sum', property: 'price', interval: 'week' })
  expect(cells(await ask(query))).toEqual(expected(weekOf, sum))
  const average = cells(await ask({ ...query, measure: 'average' }))
  const mean = (events: readonly AmplitudeEvent[]) => sum(events) / prices(events).length
  expect(average).toEqual(expected(weekOf, (events) => Math.round(mean(events) * 1e6) / 1e6))
  expect(await ask({ ...query, by: 'plan' })).toEqual({ unanswered: expect.stringContaining('divide') })
})

test('a series by a property has a row for each value, and one for events without it', async () => {
  const { ask } = await setting()
  const found = cells(await ask(series({ by: 'plan', interval: 'whole' })))
  const planOf = (one: AmplitudeEvent) => (one.event_properties as { plan?: string }).plan ?? ''
  const rows = expected((one, day) => bought(one, day) && planOf(one), count)
  expect(found).toEqual(rows.map(({ at, value }) => ({ at: 'whole', by: at, value })))
  expect(found.map(({ by }) => by)).toEqual(['', 'free', 'team', 'ünternehmen'])
})

test('only the 20 most frequent values have a row', async () => {
  const events = Array.from({ length: 25 * 25 }, (_, i) => {
    const value = Math.floor(Math.sqrt(i))
    return event('bought', '2024-03-05T12:00:00Z', String(i), { event_properties: { value: `v${value}` } })
  })
  const { ask } = await setting({ events })
  const found = cells(await ask(series({ by: 'value', measure: 'unique', interval: 'month' })))
  expect(found).toHaveLength(20)
  // 2n+1 events have the value n.
  expect(found.map(({ by }) => Number(by!.slice(1))).sort((a, b) => a - b)[0]).toBe(5)
})

test('the highest number decides which values have a row, not how many events they have', async () => {
  const at = '2024-03-05T12:00:00Z'
  const many = Array.from({ length: 330 }, (_, i) =>
    event('bought', at, 'one', { event_properties: { value: `v${i % 110}` } }),
  )
  const two = ['one', 'two'].map((user) => event('bought', at, user, { event_properties: { value: 'both' } }))
  const { ask } = await setting({ events: [...many, ...two] })
  const found = cells(await ask(series({ by: 'value', measure: 'unique', interval: 'whole' })))
  expect(found).toHaveLength(20)
  expect(found.find(({ by }) => by === 'both')).toEqual({ at: 'whole', by: 'both', value: 2 })
})

test.each([
  ['is', ['free', 'team'], (plan: string | undefined) => plan === 'free' || plan === 'team'],
  ['is_not', ['free'], (plan: string | undefined) => plan !== 'free'],
  ['contains', ['nehm'], (plan: string | undefined) => plan === 'ünternehmen'],
  ['set', [], (plan: string | undefined) => plan !== undefined],
  ['not_set', [], (plan: string | undefined) => plan === undefined],
] as const)('a filter: %s', async (operator, values, holds) => {
  const { ask } = await setting()
  const query = series({ where: [{ property: 'plan', operator, values }], interval: 'whole' })
  const planOf = (one: AmplitudeEvent) => (one.event_properties as { plan?: string }).plan
  const kept = expected((one, day) => (bought(one, day) && holds(planOf(one)) ? 'whole' : undefined), count)
  expect(cells(await ask(query))).toEqual(kept)
})

test('filters by numbers, and by what Amplitude knows of every event', async () => {
  const { ask } = await setting()
  const over = { property: 'price', operator: 'over', values: ['12.5'] } as const
  const peru = { property: '$geoip_country_name', operator: 'is', values: ['Peru'] } as const
  const kept = (one: AmplitudeEvent, day: string) => {
    const { price = 0 } = one.event_properties as { price?: number }
    return bought(one, day) && price > 12.5 && one.country === 'Peru' ? 'whole' : undefined
  }
  const answer = await ask(series({ where: [over, peru], interval: 'whole' }))
  expect(cells(answer)).toEqual(expected(kept, count))
})

test('an event property that is called like one of Amplitude is still that of the event', async () => {
  const events = ['Chad', 'Peru'].map((country, i) =>
    event('bought', '2024-03-05T12:00:00Z', 'u', { country, event_properties: { country: `c${i}` } }),
  )
  const { ask } = await setting({ events })
  const own = await ask(series({ by: 'country', interval: 'whole' }))
  expect(cells(own).map(({ by }) => by)).toEqual(['c0', 'c1'])
  const theirs = await ask(series({ by: '$geoip_country_name', interval: 'whole' }))
  expect(cells(theirs).map(({ by }) => by)).toEqual(['Chad', 'Peru'])
})

test('a funnel counts the users of each step, of the longest try, also after the end of the span', async () => {
  const step = (type: string, day: string, user: string) => event(type, `2024-03-${day}Z`, user)
  const events = [
    // Within the window of the second try alone.
    ...[step('a', '01T10:00', '1'), step('a', '05T10:00', '1'), step('b', '06T10:00', '1')],
    // The wrong order.
    ...[step('b', '02T10:00', '9'), step('a', '03T10:00', '9')],
    // The same user, by a merge; the last step comes after the span.
    ...[step('a', '19T10:00', '7'), step('b', '20T20:00', '8'), step('c', '21T09:00', '8')],
    // Too late by a second.
    ...[step('a', '10T10:00:00', '4'), step('b', '12T10:00:01', '4')],
    step('b', '04T10:00', '5'),
  ]
  const { ask } = await setting({ events })
  const steps = ['a', 'b', 'c'].map((name) => ({ event: name, where: [] }))
  const query = { kind: 'funnel', steps, windowDays: 2 } as const
  const answer = await ask(query, { first: '2024-03-01', last: '2024-03-20' })
  expect(cells(answer).map(({ at, value }) => [at, value])).toEqual([
    ['1', 4],
    ['2', 2],
    ['3', 1],
  ])
  expect(answer).toMatchObject({ notes: expect.arrayContaining([expect.stringContaining('after its end')]) })
  const twice = await ask(query, MARCH, { a: ['x', 'y'] })
  expect(twice).toEqual({ unanswered: expect.stringContaining('`a` is made of `x`, `y`') })
})

test('retention has a row for each day, with the periods that the span has', async () => {
  const events = [
    event('a', '2024-03-04T23:30:00-05:00', '1'),
    // The next calendar day, but within 24 hours.
    event('b', '2024-03-05T01:00:00-05:00', '1'),
    event('b', '2024-03-06T00:00:00-05:00', '1'),
    event('a', '2024-03-05T12:00:00-05:00', '9'),
    event('a', '2024-03-06T12:00:00-05:00', '9'),
    event('b', '2024-03-07T12:00:00-05:00', '9'),
  ]
  const { ask } = await setting({ events })
  const [start, back] = [
    { event: 'a', where: [] },
    { event: 'b', where: [] },
  ]
  const query = { kind: 'retention', start, back, period: 'day', periods: 3 } as const
  const answer = await ask(query, { first: '2024-03-04', last: '2024-03-06' })
  expect(cells(answer).map(({ at, value }) => [at, value])).toEqual([
    ['2024-03-04+0', 1],
    ['2024-03-04+1', 1],
    ['2024-03-05+0', 1],
    ['2024-03-06+0', 1],
  ])
  const anyone = await ask(
    { ...query, start: { event: null, where: [] } },
    { first: '2024-03-04', last: '2024-03-06' },
  )
  expect(cells(anyone).map(({ at, value }) => [at, value])).toContainEqual(['2024-03-05+0', 2])
  const weeks = await ask({ ...query, period: 'week' }, { first: '2024-03-04', last: '2024-03-24' })
  expect(cells(weeks).map(({ at }) => at)).toEqual(['2024-03-04+0'])
})

test('retention that Amplitude can only tell otherwise is not guessed', async () => {
  const { ask } = await setting({ weekStart: 0 })
  const events = { event: 'bought', where: [] }
  const query = { kind: 'retention', start: events, back: events, period: 'week', periods: 3 } as const
  expect(await ask(query)).toEqual({ unanswered: expect.stringContaining("weeks don't begin on 2024-03-04") })
  const years = { first: '2022-01-01', last: '2024-03-31' }
  expect(await ask({ ...query, period: 'month' }, years)).toEqual({
    unanswered: expect.stringContaining('no year'),
  })
  expect(await ask({ ...query, period: 'day' }, { first: '2024-01-01', last: '2024-06-30' })).toEqual({
    unanswered: expect.stringContaining('quota of 1,000'),
  })
})

test('what Amplitude has not, or hides, has no answer', async () => {
  const { ask } = await setting({ hidden: ['bought'] })
  expect(await ask(series())).toEqual({
    unanswered: "Amplitude can't show this: Invalid event type bought",
  })
  expect(await ask(series({ event: '$set' }), MARCH, { $set: [] })).toEqual({
    unanswered: 'Amplitude has no event that becomes `$set`',
  })
  const where = (property: string) => [{ property, operator: 'is', values: ['x'] }] as const
  expect(await ask(series({ event: null, where: where('gone') }))).toEqual({
    unanswered: 'Amplitude has no property that becomes `gone` alone',
  })
  expect(await ask(series({ event: null, where: where('colour') }))).toEqual({
    unanswered: "Amplitude can't show this: Invalid property colour",
  })
})

test('copies that Amplitude dropped when they arrived are in no number', async () => {
  const copy = { $insert_id: 'one', device_id: 'd' }
  const events = [
    event('bought', '2024-03-05T12:00:00Z', '1', copy),
    event('bought', '2024-03-05T12:00:00Z', '1', copy),
    event('bought', '2024-03-05T12:00:00Z', '1', { ...copy, device_id: 'e' }),
  ]
  const { ask } = await setting({ events })
  expect(cells(await ask(series()))).toEqual([{ at: '2024-03-05', by: null, value: 2 }])
})

test('years are asked within the quota, and the user learns of long waits', async () => {
  const { ask, fake, notes, clock } = await setting()
  const began = clock.wall()
  const span = { first: '2021-01-01', last: '2024-03-31' }
  const whole = (await ask(series({ interval: 'whole' }), span)) as ChartAnswer
  const events = HISTORY.filter((one) => one.event_type === 'bought' && dayOf(one) <= span.last)
  expect(whole.cells).toEqual([{ at: 'whole', by: null, value: events.length }])
  expect(fake.seen).toHaveLength(4)
  await ask(series({ by: 'plan', interval: 'month' }), span)
  expect(fake.seen).toHaveLength(4 + 6)
  expect(notes.at(-1)).toMatch(/^waiting 5 min( 5 s)? for Amplitude's quota$/)
  // 1,186 days, once as they are and once at five times the price.
  expect(clock.wall() - began).toBeGreaterThan(6 * 5 * 60_000)
  expect(await ask({ kind: 'people' }, span)).toEqual({
    unanswered: expect.stringContaining('ask for fewer days'),
  })
})

const saved = (path: string, more: Readonly<Record<string, string>>) =>
  `${path}?${new URLSearchParams({ start: '20240301', end: '20240331', ...more })}`

test('a saved chart is what gives the same numbers, of the same days', async () => {
  const segmentation = (e: object, more = {}) =>
    saved('/api/2/events/segmentation', { e: JSON.stringify(e), ...more })
  const step = (name: string) => `&e=${encodeURIComponent(JSON.stringify({ event_type: name }))}`
  const charts = {
    'e-1': segmentation({ event_type: 'bought' }, { m: 'uniques', i: '1' }),
    'e-2': segmentation({ event_type: NAMES[0] }, { m: 'totals', i: '7', start: '20240304' }),
    all: segmentation({ event_type: '_all' }, { m: 'totals', i: '1' }),
    funnel: `${saved('/api/2/funnels', {})}${step('bought')}${step(NAMES[0]!)}`,
  }
  const { side } = await setting({ charts })
  const call = { signal: new AbortController().signal, names: names(), note: () => {} }
  const query = async (id: string) => {
    const report = await side.report!(id, call)
    expect(report).toMatchObject({ id, why: null, charts: [{ report: id }] })
    return report.charts[0]!.query
  }
  expect(await query('e-1')).toEqual(series({ measure: 'unique' }))
  expect(await query('e-2')).toEqual(series({ event: NAMES[0]!, interval: 'week' }))
  expect(await query('all')).toEqual(series({ event: null }))
  const steps = ['bought', NAMES[0]!].map((event) => ({ event, where: [] }))
  expect(await query('funnel')).toEqual({ kind: 'funnel', steps, windowDays: 30 })
})

test('a saved chart of which the answer tells too little is not guessed', async () => {
  const filters = [{ subprop_type: 'event', subprop_key: 'plan', subprop_op: 'is', subprop_value: ['free'] }]
  const e = (more: object) => JSON.stringify({ event_type: 'bought', ...more })
  const group = { group_by: [{ type: 'event', value: 'plan' }] }
  const charts = {
    filtered: saved('/api/2/events/segmentation', { e: e({ filters }), m: 'totals' }),
    divided: saved('/api/2/events/segmentation', { e: e(group), m: 'totals' }),
    window: `${saved('/api/2/funnels', { cs: '3600' })}&e=${encodeURIComponent(e({}))}&e=${encodeURIComponent(e({}))}`,
    retention: saved('/api/2/retention', { se: e({}), re: e({}) }),
  }
  const { side } = await setting({ charts })
  const call = { signal: new AbortController().signal, names: names(), note: () => {} }
  for (const id of Object.keys(charts)) {
    const report = await side.report!(id, call)
    expect(report).toMatchObject({ id, charts: [] })
    expect(report.why).toMatch(id === 'retention' ? /no series of days/ : /other numbers/)
  }
  // Each user once a day: people and events are the same numbers.
  const alike = await setting({
    events: ['05', '06', '07'].map((day) => event('bought', `2024-03-${day}T12:00:00Z`, 'u')),
    charts: { alike: saved('/api/2/events/segmentation', { e: e({}), m: 'totals' }) },
  })
  expect(await alike.side.report!('alike', call)).toMatchObject({ charts: [] })
  await expect(side.report!('other', call)).rejects.toMatchObject({
    code: 'usage',
    message: 'Amplitude has no saved chart other: no chart other',
  })
})

test.each<MischiefKind>(['storm', 'busy', 'html', 'cut', 'drop', 'drip', 'timeout'])(
  'a vendor that answers with "%s" costs time, and no number',
  async (kind) => {
    const { ask, fake } = await setting({ seed: 5, mischief: [{ kind, rate: 0.5, times: 6 }] })
    for (const interval of ['day', 'week', 'month'] as const) {
      const unique = await ask(series({ measure: 'unique', interval }))
      if (interval === 'day') expect(cells(unique)).toEqual(expected(bought, people))
      if (interval === 'week') expect(cells(unique)).toEqual(expected(weekOf, people))
    }
    const steps = NAMES.map((name) => ({ event: name, where: [] }))
    expect(cells(await ask({ kind: 'funnel', steps, windowDays: 7 }))).toHaveLength(2)
    expect(fake.done[kind]).toBeGreaterThan(0)
  },
)

test.each<[string, ChartQuery]>([
  ['a series', series()],
  ['a funnel', { kind: 'funnel', steps: [{ event: 'bought', where: [] }], windowDays: 1 }],
  ['people', { kind: 'people' }],
])('an answer of another shape is no number: %s', async (_, query) => {
  const { ask } = await setting({ mischief: [{ kind: 'shape', rate: 1 }] })
  await expect(ask(query)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('another shape'),
  })
})

test('keys that are not let in stop the comparison', async () => {
  const { fake } = await setting()
  const tools = {
    stdin: process.stdin,
    clock: new FakeClock(0),
    patienceMs: 5000,
    retry: { retryForMs: 1000, clock: new FakeClock(0), random: () => 0 },
    memory: { asked: () => [], remember: async () => {} },
  }
  const project = { vendor: 'amplitude', baseUrl: fake.url }
  await expect(amplitudeWork.chartSide!(project, { ...tools, env: {} })).rejects.toMatchObject({
    code: 'auth',
  })
  const env = { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'wrong' }
  const side = await amplitudeWork.chartSide!(project, { ...tools, env })
  open.push(side)
  const call = { signal: new AbortController().signal, names: names(), note: () => {} }
  const chart = { name: 'a chart', report: null, query: series() }
  await expect(side.ask(chart, MARCH, call)).rejects.toMatchObject({ code: 'auth' })
})
