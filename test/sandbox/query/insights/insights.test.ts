import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../../../src/sandbox/sandbox.ts'
import { startHarness, uuid } from '../../harness.ts'

interface Told {
  readonly event: string
  readonly id?: string
  readonly at: string
  readonly properties?: object
}

let sent = 0

/** A sandbox with a history, and what it answers to a query. */
async function asking(history: readonly Told[], options: SandboxOptions = {}) {
  const harness = await startHarness({ now: () => Date.parse('2026-06-01T00:00:00Z'), ...options })
  const events = history.map(({ event, id = 'u', at, properties = {} }) => {
    return { uuid: uuid(++sent), event, distinct_id: id, timestamp: at, properties }
  })
  if (events.length > 0) await harness.send(events)
  const ask = async (query: object) => {
    const answer = await harness.ask('/api/projects/1/query/', { query, refresh: 'force_blocking' })
    return {
      status: answer.status,
      ...(answer.json() as { detail?: string; hasMore?: boolean; results: never[] }),
    }
  }
  return { ...harness, insight: ask }
}

const node = (event: string | null, more: object = {}) => ({ kind: 'EventsNode', event, ...more })

/** Day and number of each bucket that has one. */
async function trend(
  { insight }: Awaited<ReturnType<typeof asking>>,
  [date_from, date_to]: readonly [string, string],
  series: object,
  more: object = {},
) {
  const dateRange = { date_from, date_to }
  const answer = await insight({ kind: 'TrendsQuery', dateRange, series: [series], ...more })
  expect(answer).toMatchObject({ status: 200 })
  const rows = answer.results as { days: string[]; data: number[]; breakdown_value?: string }[]
  return rows.map(({ days, data, breakdown_value }) => [
    ...(breakdown_value === undefined ? [] : [breakdown_value]),
    ...days.flatMap((day, at) => (data[at] ? [`${day} ${data[at]}`] : [])),
  ])
}

test('days are those of the project, 23 hours of one among them; its last second ends before its fraction', async () => {
  const asked = await asking(
    [
      { event: 'a', at: '2026-03-08T04:59:59.999Z' },
      { event: 'a', at: '2026-03-08T05:00:00Z' },
      // The clocks went on an hour: the day ends at 04:00 in UTC.
      { event: 'a', at: '2026-03-09T03:59:59Z' },
      { event: 'a', at: '2026-03-09T03:59:59.5Z' },
      { event: 'a', at: '2026-03-09T04:00:00Z' },
    ],
    { timeZone: 'America/New_York' },
  )
  expect(await trend(asked, ['2026-03-08', '2026-03-08'], node('a'))).toEqual([['2026-03-08 2']])
  expect(await trend(asked, ['2026-03-07', '2026-03-09'], node(null))).toEqual([
    ['2026-03-07 1', '2026-03-08 3', '2026-03-09 1'],
  ])
  const dateRange = { date_from: '2026-03-08', date_to: '2026-03-08' }
  const funnel = await asked.insight({ kind: 'FunnelsQuery', dateRange, series: [node('a'), node('a')] })
  expect(funnel.results).toMatchObject([{ count: 1 }, { count: 1 }])
  expect((await asked.get('/api/projects/1/')).json()).toMatchObject({ timezone: 'America/New_York' })
})

test.each([
  [null, ['2026-05-03 1', '2026-05-10 1']],
  [0, ['2026-05-03 1', '2026-05-10 1']],
  [1, ['2026-05-04 2']],
] as const)('where weeks begin (%s) the project says', async (weekStartDay, weeks) => {
  const history = [
    { event: 'a', at: '2026-05-03T12:00:00Z' },
    { event: 'a', at: '2026-05-09T12:00:00Z' },
    { event: 'a', at: '2026-05-10T12:00:00Z' },
  ]
  const asked = await asking(history, { weekStartDay })
  // The first week counts from the first day of the range only, the first month whole.
  expect(await trend(asked, ['2026-05-04', '2026-05-10'], node('a'), { interval: 'week' })).toEqual([weeks])
  expect(await trend(asked, ['2026-05-10', '2026-05-10'], node('a'), { interval: 'month' })).toEqual([
    ['2026-05-01 3'],
  ])
  expect((await asked.get('/api/projects/1/')).json()).toMatchObject({ week_start_day: weekStartDay })
})

test('a person who is merged later is one, in the days before as well', async () => {
  const asked = await asking([
    { event: 'a', id: 'anon', at: '2026-05-01T08:00:00Z' },
    { event: 'a', id: 'ann', at: '2026-05-01T09:00:00Z' },
    { event: 'a', id: 'bob', at: '2026-05-01T10:00:00Z' },
  ])
  const day = ['2026-05-01', '2026-05-01'] as const
  expect(await trend(asked, day, node('a', { math: 'dau' }))).toEqual([['2026-05-01 3']])
  await asked.send([
    {
      uuid: uuid(++sent),
      event: '$identify',
      distinct_id: 'ann',
      timestamp: '2026-05-20T00:00:00Z',
      properties: { $anon_distinct_id: 'anon' },
    },
  ])
  expect(await trend(asked, day, node('a', { math: 'dau' }))).toEqual([['2026-05-01 2']])
  expect(await trend(asked, day, node('a', { math: 'total' }))).toEqual([['2026-05-01 3']])
})

test('a copy that is not merged yet counts', async () => {
  let now = Date.parse('2026-06-01T00:00:00Z')
  const asked = await asking([], { now: () => now })
  const copy = { uuid: uuid(++sent), event: 'a', distinct_id: 'u', timestamp: '2026-05-01T00:00:00Z' }
  await asked.send([copy])
  await asked.send([copy])
  const day = ['2026-05-01', '2026-05-01'] as const
  expect(await trend(asked, day, node('a'))).toEqual([['2026-05-01 2']])
  now += 61_000
  expect(await trend(asked, day, node('a'))).toEqual([['2026-05-01 1']])
})

test('sums and averages take numbers, also those in texts, and 0 where there is none', async () => {
  const at = '2026-05-01T08:00:00Z'
  const asked = await asking([
    { event: 'a', at, properties: { price: 3 } },
    { event: 'a', at, properties: { price: '1.5' } },
    { event: 'a', at, properties: { price: 'free' } },
    { event: 'a', at },
    { event: 'b', at },
  ])
  const total = async (event: string, math: string) => {
    const query = {
      kind: 'TrendsQuery',
      dateRange: { date_from: '2026-04-01', date_to: '2026-05-31' },
      series: [node('x'), node(event, { math, math_property: 'price' })],
      trendsFilter: { display: 'BoldNumber' },
    }
    return (await asked.insight(query)).results
  }
  expect(await total('a', 'sum')).toMatchObject([
    { aggregated_value: 0 },
    { aggregated_value: 4.5, data: [], count: 0, action: { order: 1 } },
  ])
  expect(await total('a', 'avg')).toMatchObject([{}, { aggregated_value: 2.25 }])
  expect(await total('b', 'avg')).toMatchObject([{}, { aggregated_value: 0 }])
})

const OTHER = '$$_posthog_breakdown_other_$$'
const NONE = '$$_posthog_breakdown_null_$$'

test('of a breakdown the largest have rows, the rest is one row, and who lack a value come after all', async () => {
  const at = '2026-05-01T08:00:00Z'
  const values = ['x', 'x', 'x', 'y', 'y', 'z', '', undefined, undefined, undefined, undefined]
  const asked = await asking(values.map((plan) => ({ event: 'a', at, properties: { plan } })))
  const by = (breakdown_limit?: number) =>
    trend(asked, ['2026-05-01', '2026-05-01'], node('a'), {
      breakdownFilter: {
        breakdown: 'plan',
        breakdown_type: 'event',
        ...(breakdown_limit && { breakdown_limit }),
      },
    })
  expect(await by()).toEqual([
    ['x', '2026-05-01 3'],
    ['y', '2026-05-01 2'],
    ['z', '2026-05-01 1'],
    [NONE, '2026-05-01 5'],
  ])
  expect(await by(2)).toEqual([
    ['x', '2026-05-01 3'],
    ['y', '2026-05-01 2'],
    [OTHER, '2026-05-01 6'],
  ])
})

const FILTERS = [
  [{ operator: 'exact', value: ['pro', '5.0'] }, 2],
  [{ operator: 'exact', value: 'Pro' }, 0],
  [{ operator: 'is_not', value: ['pro'] }, 4],
  [{ operator: 'icontains', value: 'PR' }, 2],
  [{ operator: 'icontains', value: 'p_o' }, 1],
  [{ operator: 'icontains', value: ['p_o', '6'] }, 1],
  [{ operator: 'is_set' }, 4],
  [{ operator: 'is_not_set' }, 1],
  [{ operator: 'gt', value: 4 }, 2],
  [{ operator: 'lt', value: '6' }, 1],
] as const

test('filters hold for a series and for the whole query; what an event lacks is only what it is not', async () => {
  const at = '2026-05-01T08:00:00Z'
  const plans = ['pro', 'prime', 5, 6, undefined]
  const asked = await asking(plans.map((plan) => ({ event: 'a', at, properties: { plan } })))
  const counted = async (series: object, more: object = {}) =>
    trend(asked, ['2026-05-01', '2026-05-01'], series, more)
  for (const [filter, count] of FILTERS) {
    const properties = [{ key: 'plan', type: 'event', ...filter }]
    const expected = [count > 0 ? [`2026-05-01 ${count}`] : []]
    expect(await counted(node('a', { properties })), JSON.stringify(filter)).toEqual(expected)
    expect(await counted(node('a'), { properties }), JSON.stringify(filter)).toEqual(expected)
  }
})

test('a filter may be an expression of the query language', async () => {
  const at = '2026-05-01T08:00:00Z'
  const asked = await asking([4, 5, '6', 'x'].map((price) => ({ event: 'a', at, properties: { price } })))
  const properties = [{ type: 'hogql', key: "toFloat(properties['price']) > 4 or event = 'b'" }]
  expect(await trend(asked, ['2026-05-01', '2026-05-01'], node('a', { properties }))).toEqual([
    ['2026-05-01 2'],
  ])
})

const a = (at: string, id?: string): Told => ({ event: 'a', at, ...(id && { id }) })
const b = (at: string, id?: string): Told => ({ event: 'b', at, ...(id && { id }) })
const c = (at: string, id?: string): Told => ({ event: 'c', at, ...(id && { id }) })

const LONG = [a('2026-05-01T08:00:00Z'), b('2026-05-02T07:00:00Z'), c('2026-05-02T09:00:00Z')]
const OVER = [a('2026-05-10T23:59:59.9Z'), b('2026-05-11T00:00:00Z'), a('2026-05-11T01:00:00Z', 'v')]

/** What is shown, the events, and how many come to each step of a window of a day. */
const FUNNELS: readonly (readonly [string, readonly Told[], Readonly<Record<string, number>>, object?])[] = [
  [
    'the window holds to its last moment',
    [a('2026-05-01T08:00:00Z'), b('2026-05-02T08:00:00Z')],
    { a: 1, b: 1 },
  ],
  ['and no longer', [a('2026-05-01T08:00:00Z'), b('2026-05-02T08:00:00.001Z')], { a: 1, b: 0 }],
  ['it counts from the first step', LONG, { a: 1, b: 1, c: 0 }],
  ['in its unit', LONG, { a: 1, b: 1, c: 1 }, { funnelWindowInterval: 25, funnelWindowIntervalUnit: 'hour' }],
  [
    'each first step begins a new try',
    [a('2026-05-01T08:00:00Z'), a('2026-05-03T08:00:00Z'), b('2026-05-03T09:00:00Z')],
    { a: 1, b: 1 },
  ],
  [
    'which takes the place of the old one only where it stands',
    [
      a('2026-05-01T08:00:00Z'),
      b('2026-05-01T09:00:00Z'),
      a('2026-05-02T07:00:00Z'),
      c('2026-05-02T07:30:00Z'),
    ],
    { a: 1, b: 1, c: 1 },
  ],
  [
    'and with its second step all of it',
    [
      a('2026-05-01T08:00:00Z'),
      b('2026-05-01T09:00:00Z'),
      a('2026-05-02T07:00:00Z'),
      b('2026-05-02T07:30:00Z'),
      c('2026-05-02T09:00:00Z'),
    ],
    { a: 1, b: 1, c: 1 },
  ],
  ['order', [b('2026-05-01T07:00:00Z'), a('2026-05-01T08:00:00Z')], { a: 1, b: 0 }],
  ['one instant', [b('2026-05-01T08:00:00Z'), a('2026-05-01T08:00:00Z')], { a: 1, b: 1 }],
  ['all steps lie in the range', OVER, { a: 1, b: 0 }],
  ['or only the first', OVER, { a: 1, b: 1 }, { funnelWindowBoundary: 'extend' }],
]

test('how many come to each step of a funnel', async () => {
  const named = (event: string, scenario: number) => `${event}${scenario}`
  const history = FUNNELS.flatMap(([, events], n) =>
    events.map((one) => ({ ...one, event: named(one.event, n) })),
  )
  const { insight } = await asking(history)
  const counted = async (steps: readonly string[], more: object = {}) => {
    const answer = await insight({
      kind: 'FunnelsQuery',
      dateRange: { date_from: '2026-05-01', date_to: '2026-05-10' },
      series: steps.map((step) => node(step)),
      funnelsFilter: { funnelVizType: 'steps', funnelOrderType: 'ordered', funnelWindowInterval: 1, ...more },
    })
    expect(answer).toMatchObject({ status: 200 })
    return (answer.results as { count: number }[]).map(({ count }) => count)
  }
  for (const [n, [what, , steps, more]] of FUNNELS.entries()) {
    const names = Object.keys(steps).map((step) => named(step, n))
    expect(await counted(names, more), what).toEqual(Object.values(steps))
  }
  // One event is no two steps, two are.
  expect(await counted(['a7', 'a7'])).toEqual([1, 0])
  expect(await counted(['b8', 'b8', 'a8'])).toEqual([1, 0, 0])
  expect(await counted(['a4', 'a4'], { funnelWindowInterval: 3 })).toEqual([1, 1])
})

test('how long the steps of a funnel took: from the last first step before the second', async () => {
  const { insight } = await asking([
    a('2026-05-01T08:00:00Z'),
    a('2026-05-01T09:00:00Z'),
    b('2026-05-01T09:00:10Z'),
    a('2026-05-01T08:00:00Z', 'v'),
    b('2026-05-01T08:00:20Z', 'v'),
    a('2026-05-01T08:00:00Z', 'w'),
    b('2026-05-01T08:00:00Z', 'w'),
  ])
  const dateRange = { date_from: '2026-05-01', date_to: '2026-05-01' }
  expect(
    (await insight({ kind: 'FunnelsQuery', dateRange, series: [node('a'), node('b')] })).results,
  ).toMatchObject([
    { name: 'a', order: 0, count: 3, average_conversion_time: null },
    { name: 'b', order: 1, count: 3, average_conversion_time: 15, median_conversion_time: 15 },
  ])
})

/** The numbers of each row, and where it begins. */
async function retention(history: readonly Told[], filter: object, options: SandboxOptions = {}) {
  const { insight } = await asking(history, options)
  const answer = await insight({
    kind: 'RetentionQuery',
    dateRange: { date_from: '2026-05-05', date_to: '2026-05-12' },
    retentionFilter: {
      period: 'Week',
      totalIntervals: 2,
      targetEntity: { id: 'a', type: 'events' },
      returningEntity: { id: 'b', type: 'events' },
      ...filter,
    },
  })
  expect(answer).toMatchObject({ status: 200 })
  const rows = answer.results as { date: string; values: { count: number }[] }[]
  return rows.map(({ date, values }) => [date, ...values.map(({ count }) => count)])
}

test('who returned: by the first start of all time, or by each', async () => {
  const history = [
    a('2026-04-01T08:00:00Z', 'old'),
    a('2026-05-04T08:00:00Z', 'old'),
    a('2026-05-04T08:00:00Z', 'new'),
    a('2026-05-13T08:00:00Z', 'new'),
    b('2026-05-17T08:00:00Z', 'new'),
    b('2026-05-17T08:00:00Z', 'old'),
    b('2026-05-18T08:00:00Z', 'new'),
  ]
  const monday = { weekStartDay: 1 } as const
  expect(await retention(history, { retentionType: 'retention_first_time' }, monday)).toEqual([
    ['2026-05-04T00:00:00+00:00', 1, 1],
    ['2026-05-11T00:00:00+00:00', 0, 0],
  ])
  expect(await retention(history, { retentionType: 'retention_recurring' }, monday)).toEqual([
    ['2026-05-04T00:00:00+00:00', 2, 2],
    ['2026-05-11T00:00:00+00:00', 1, 0],
  ])
})

test('periods are those of the project, widened to whole ones', async () => {
  const history = [a('2026-05-03T03:30:00Z'), a('2026-05-03T04:30:00Z', 'v'), b('2026-05-11T03:30:00Z', 'v')]
  const zone = { timeZone: 'America/New_York' }
  expect(await retention(history, {}, zone)).toEqual([
    ['2026-05-03T00:00:00-04:00', 1, 1],
    ['2026-05-10T00:00:00-04:00', 0, 0],
  ])
  expect(await retention(history, { period: 'Month' }, zone)).toEqual([['2026-05-01T00:00:00-04:00', 2, 0]])
})

const REFUSED = [
  [{ kind: 'TrendsQuery', serie: [] }, 'query.serie: Extra inputs are not permitted'],
  [{ kind: 'TrendsQuery', compareFilter: {} }, 'query.compareFilter: the sandbox does not play this part'],
  [{ kind: 'TrendsQuery', interval: 'hour' }, 'query.interval: Invalid option'],
  [{ kind: 'TrendsQuery', series: [node('a', { math: 'sum' })] }, 'math_property is needed'],
  [{ kind: 'FunnelsQuery', series: [node('a'), node('b')], funnelsFilter: { window: 1 } }, 'window: Extra'],
  [{ kind: 'PathsQuery' }, 'Unsupported query kind: PathsQuery'],
  [{ kind: 'TrendsQuery', properties: [{ type: 'hogql', key: 'nope(' }] }, 'input'],
] as const

test('keys that the service does not know are refused, and forms that the sandbox does not play', async () => {
  const { insight } = await asking([])
  const dateRange = { date_from: '2026-05-01', date_to: '2026-05-02' }
  for (const [query, detail] of REFUSED) {
    const answer = await insight({ dateRange, series: [node('a')], ...query })
    expect(answer, detail).toMatchObject({ status: 400, detail: expect.stringContaining(detail) })
  }
})
