import { expect, test } from 'vitest'
import type { ChartQuery } from '../../../src/charts/chart.ts'
import type { MixpanelEvent } from '../../helpers/vendors/mixpanel.ts'
import { callOf, cellsOf, chartOf, fakeOf, namesOf, series, sideOf } from './side.ts'

const SPAN = { first: '2024-03-04', last: '2024-03-10' }

function event(name: string, person: string, time: string): MixpanelEvent {
  return { event: name, properties: { distinct_id: person, time: Date.parse(time) } }
}

const EVENTS = [
  // Anna comes the whole way, at last after the days that are asked for.
  event('Visit', 'anna', '2024-03-10T20:00:00Z'),
  event('Cart', 'anna', '2024-03-10T21:00:00Z'),
  event('Paid', 'anna', '2024-03-12T21:00:00Z'),
  // Bert's window begins with his first visit.
  event('Visit', 'bert', '2024-03-04T20:00:00Z'),
  event('Visit', 'bert', '2024-03-06T20:00:00Z'),
  event('Cart', 'bert', '2024-03-07T21:00:00Z'),
  event('Paid', 'bert', '2024-03-08T20:30:00Z'),
  // Carl does it in another order.
  event('Cart', 'carl', '2024-03-05T20:00:00Z'),
  event('Visit', 'carl', '2024-03-05T21:00:00Z'),
]
const FUNNELS = [{ id: 7509, name: 'Checkout', steps: ['Visit', 'Cart', 'Paid'] }]
const NAMES = namesOf({ $pageview: ['Visit'] })

const steps = ['$pageview', 'Cart', 'Paid'].map((final) => ({ event: final, where: [] }))
const funnel = (windowDays: number): ChartQuery => ({ kind: 'funnel', steps, windowDays })

async function answers(
  query: ChartQuery,
  report: string | null,
  fake = fakeOf(EVENTS, { funnels: FUNNELS }),
) {
  const answer = await (await sideOf(await fake)).ask(chartOf(query, report), SPAN, callOf(NAMES))
  return 'cells' in answer ? cellsOf(answer) : answer
}

test('a funnel of the list is asked for these days and this window', async () => {
  expect(await answers(funnel(7), 'funnel-7509')).toEqual(['1: 3', '2: 2', '3: 2'])
  expect(await answers(funnel(4), 'funnel-7509')).toEqual(['1: 3', '2: 2', '3: 1'])
  const other = { kind: 'funnel', steps: steps.slice(0, 2), windowDays: 7 } as const
  expect(await answers(other, 'funnel-7509')).toEqual({ unanswered: expect.stringContaining('other steps') })
})

test('a funnel of the list becomes a chart of final names, unless a step has a filter', async () => {
  const filtered = { id: 1, name: 'Filtered', steps: ['Visit', 'Paid'], selector: '(properties["x"] == 1)' }
  const side = await sideOf(await fakeOf(EVENTS, { funnels: [...FUNNELS, filtered], bookmarks: [] }))
  expect(await side.report!('funnel-7509', callOf(NAMES))).toMatchObject({
    kind: 'funnels',
    charts: [{ report: 'funnel-7509', query: funnel(7) }],
    why: null,
  })
  expect(await side.report!('funnel-1', callOf(NAMES))).toMatchObject({
    charts: [],
    why: expect.stringContaining('"Paid" has a filter'),
  })
  expect(await side.reports!(callOf(NAMES))).toMatchObject([
    { id: 'funnel-7509', name: 'Checkout', kind: 'funnels' },
    { id: 'funnel-1', name: 'Filtered', kind: 'funnels' },
  ])
  await expect(side.report!('4711', callOf(NAMES))).rejects.toMatchObject({ code: 'usage' })
})

test('where bookmarks are not told, the funnels are, and a note says so', async () => {
  const side = await sideOf(await fakeOf(EVENTS, { funnels: FUNNELS }))
  const notes: string[] = []
  expect(await side.reports!(callOf(NAMES, notes))).toHaveLength(1)
  expect(notes).toEqual([expect.stringContaining('404')])
})

const measured = { math: 'total', property: null }
const metric = (name: string, more: object = {}, measurement: object = measured) => {
  return {
    type: 'metric',
    behavior: { type: 'event', name, resourceType: 'events', filters: [], ...more },
    measurement,
  }
}

function insights(sections: object, chartType = 'line') {
  const params = {
    sections: {
      show: [metric('Visit')],
      filter: [],
      group: [],
      time: [{ unit: 'week' }],
      formula: [],
      ...sections,
    },
    displayOptions: { chartType },
  }
  return { id: 11, name: 'Weekly visits', type: 'insights', params }
}

const plan = { resourceType: 'events', value: 'plan', filterOperator: 'equals', filterValue: ['paid', 'pro'] }

async function report(bookmark: object) {
  const side = await sideOf(await fakeOf(EVENTS, { bookmarks: [bookmark] }))
  const [found] = await side.reports!(callOf(NAMES))
  expect(await side.report!(found!.id, callOf(NAMES))).toEqual(found)
  return found!
}

test.each<[string, object, ChartQuery]>([
  ['events by week', insights({}), series('$pageview', { interval: 'week' })],
  [
    'people, filtered, divided, over all days',
    insights(
      {
        show: [metric('Cart', { filters: [plan] }, { math: 'unique' })],
        group: [{ value: 'country', resourceType: 'events' }],
      },
      'bar',
    ),
    series('Cart', {
      measure: 'unique',
      interval: 'whole',
      by: 'country',
      where: [{ property: 'plan', operator: 'is', values: ['paid', 'pro'] }],
    }),
  ],
  [
    'a sum, with a filter of the whole report',
    insights({
      show: [metric('Paid', {}, { math: 'total', property: { name: 'amount', resourceType: 'events' } })],
      filter: [{ ...plan, value: 'n', filterOperator: 'is greater than', filterValue: 5 }],
      time: [{ unit: 'day' }],
    }),
    series('Paid', {
      measure: 'sum',
      property: 'amount',
      where: [{ property: 'n', operator: 'over', values: ['5'] }],
    }),
  ],
])('a report of %s becomes a chart', async (_, bookmark, query) => {
  const { charts, why } = await report(bookmark)
  expect(why).toBeNull()
  expect(charts.map((chart) => chart.query)).toEqual([query])
})

test('params that come as a text are read, and each metric is a chart with a name of its own', async () => {
  const { params, ...rest } = insights({ show: [metric('Visit'), metric('Cart')] })
  const { charts } = await report({ ...rest, params: JSON.stringify(params) })
  expect(charts.map(({ query }) => 'event' in query && query.event)).toEqual(['$pageview', 'Cart'])
  expect(new Set(charts.map(({ name }) => name)).size).toBe(2)
})

const behavior = (more: object) => ({
  ...insights({
    show: [
      {
        type: 'metric',
        behavior: { resourceType: 'events', ...more },
        measurement: { math: 'conversion_rate_unique' },
      },
    ],
  }),
})
const saved = {
  type: 'funnel',
  behaviors: ['Visit', 'Cart', 'Paid'].map((name) => ({ type: 'event', name, filters: [] })),
  ...{ conversionWindowDuration: 2, conversionWindowUnit: 'week', funnelOrder: 'loose', exclusions: [] },
}

test('a saved funnel has its steps and window, and is asked for the days that are saved with it', async () => {
  const bookmark = { ...behavior(saved), type: 'funnels' }
  expect((await report(bookmark)).charts[0]!.query).toEqual(funnel(14))
  const answer = (from: string) => ({
    computed_at: '2024-03-20T00:00:00Z',
    date_range: { from_date: `${from}T00:00:00-05:00`, to_date: '2024-03-10T23:59:59.999000-05:00' },
    headers: ['$funnel'],
    series: { count: { '1. Visit': { all: 30 }, '2. Cart': { all: 20 }, '3. Paid': { all: 0 } } },
  })
  const fake = fakeOf(EVENTS, { insights: { 11: answer('2024-03-04'), 12: answer('2024-01-01') } })
  expect(await answers(funnel(14), '11', fake)).toEqual(['1: 30', '2: 20'])
  expect(await answers(funnel(14), '12', fake)).toEqual({ unanswered: expect.stringContaining('2024-01-01') })
})

test('a saved retention is one of weeks, with any event to come back with', async () => {
  const weekly = { type: 'retention', retentionType: 'birth', retentionUnit: 'week' }
  const behaviors = ['Visit', '$mp_anything_event'].map((name) => ({ type: 'event', name, filters: [] }))
  const { charts } = await report({ ...behavior({ ...weekly, behaviors }), type: 'retention' })
  expect(charts[0]!.query).toMatchObject({
    ...{ kind: 'retention', period: 'week' },
    ...{ start: { event: '$pageview' }, back: { event: null } },
  })
})

test.each<[object, string]>([
  [{ ...insights({}), type: 'flows' }, 'flows'],
  [insights({ formula: ['A/B'] }), 'formula'],
  [insights({ time: [{ unit: 'hour' }] }), 'hour'],
  [insights({ show: [metric('$custom_event:1')] }), 'custom event'],
  [insights({ show: [metric('Visit', {}, { math: 'p99' })] }), 'p99'],
  [insights({ show: [metric('Visit', {}, { ...measured, rolling: 7 })] }), 'rolling'],
  [insights({ filter: [{ ...plan, resourceType: 'people' }] }), 'people'],
  [insights({ filter: [{ ...plan, filterOperator: 'was in the last' }] }), 'was in the last'],
  [insights({ filter: [{ customPropertyId: 7, filterOperator: 'is set' }] }), 'filter'],
  [insights({ show: [metric('Visit', { filters: [plan, plan], filtersDeterminer: 'any' })] }), 'is enough'],
  [behavior({ ...saved, funnelOrder: 'any' }), 'any order'],
  [behavior({ ...saved, exclusions: [{}] }), 'leaves out'],
  [behavior({ ...saved, conversionWindowUnit: 'session' }), 'session'],
  [{ ...insights({}), params: 'no JSON' }, 'params'],
])('a report that others have no answer to says why: %#', async (bookmark, words) => {
  expect(await report(bookmark)).toMatchObject({ charts: [], why: expect.stringContaining(words) })
})
