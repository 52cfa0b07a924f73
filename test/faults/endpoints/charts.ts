import type {
  ChartQuery,
  ChartSide,
  SavedReport,
  SeriesChart,
  VendorNames,
} from '../../../src/charts/index.ts'
import { serviceCharts } from '../../../src/service/service-charts.ts'
import { mixpanelSide } from '../../../src/sources/mixpanel/chart-work.ts'
import { QueryApi } from '../../../src/sources/mixpanel/query-api.ts'
import type { Answer } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'
import { type Endpoint, json, project, Verdict, withVendor } from './endpoint.ts'

const SPAN = { first: '2024-01-31', last: '2024-02-01' }
const NAMES: VendorNames = {
  events: (final) => (final === null ? ['Zürich'] : [final]),
  property: (final) => final,
  finalEvent: (name) => name,
  finalProperty: (name) => name,
}
const STEPS = ['Zürich', 'Basel'].map((event) => ({ event, where: [] }))
const FUNNEL: ChartQuery = { kind: 'funnel', steps: STEPS, windowDays: 7 }
const RETENTION: ChartQuery = {
  ...{ kind: 'retention', period: 'day', periods: 2 },
  ...{ start: STEPS[0]!, back: STEPS[1]! },
}

function series(more: Partial<SeriesChart> = {}): SeriesChart {
  return {
    ...{ kind: 'series', event: 'Zürich', where: [], measure: 'count', property: null, interval: 'day' },
    ...{ by: null, ...more },
  }
}

/** What a side says to a chart: its cells, or that it can't be asked. */
async function cellsOf(
  side: ChartSide,
  { query, report = null, span = SPAN }: { query: ChartQuery; report?: string | null; span?: typeof SPAN },
  signal: AbortSignal,
) {
  const call = { signal, names: NAMES, note: () => undefined }
  const answer = await side.ask({ name: 'Zürich', query, report }, span, call)
  return 'cells' in answer ? answer.cells : new Verdict('has no answer')
}

/** What is asked of Mixpanel's charts. */
function mixpanel(
  name: string,
  struck: RegExp,
  right: unknown | ((request: Received) => unknown),
  ask: (side: ChartSide, signal: AbortSignal) => Promise<unknown>,
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    name: `Mixpanel: ${name}`,
    struck,
    proof: 'value',
    client: 'vendor',
    isLikeAnother: true,
    right: (request): Answer => json(typeof right === 'function' ? right(request) : right),
    ask: (asking) =>
      withVendor(asking, 'Mixpanel', async (client, { signal, retry }) => {
        return await ask(mixpanelSide(new QueryApi(client, '7', retry)), signal)
      }),
    ...more,
  }
}

const DAYS = { '2024-01-31': 3, '2024-02-01': 4 }
const COUNTS = { data: { series: Object.keys(DAYS), values: { Zürich: DAYS } } }
const OTHER_DAY = { '2020-02-02': 3 }
const OTHER_COUNTS = json({ data: { series: ['2020-02-02'], values: { Zürich: OTHER_DAY } } })
const REPORT = {
  ...{ id: 5, name: 'Zürich', type: 'insights' },
  params: {
    sections: { show: [{ behavior: { type: 'event', name: 'Zürich' }, measurement: { math: 'total' } }] },
  },
}
const steps = (...counts: readonly number[]) =>
  counts.map((count, at) => ({ count, event: STEPS[at]!.event }))
const namesOf = (reports: readonly SavedReport[]) => reports.map(({ id, name }) => ({ id, name }))
const call = (signal: AbortSignal) => ({ signal, names: NAMES, note: () => undefined })

const MIXPANEL: readonly Endpoint[] = [
  mixpanel(
    'the events of a chart',
    /^GET \/api\/query\/events\?/,
    COUNTS,
    (side, signal) => cellsOf(side, { query: series() }, signal),
    // A name without events has no numbers.
    { isLikeAnother: false, nothing: [[]], other: OTHER_COUNTS },
  ),
  mixpanel(
    'all names of a chart',
    /^GET \/api\/query\/events\/names\?/,
    ({ path }: Received) => (path.includes('/names') ? ['Zürich'] : COUNTS),
    (side, signal) => cellsOf(side, { query: series({ event: null }) }, signal),
  ),
  mixpanel(
    'a divided chart',
    /^GET \/api\/query\/segmentation\?/,
    COUNTS,
    (side, signal) => cellsOf(side, { query: series({ by: 'city' }) }, signal),
    { nothing: [[]], other: OTHER_COUNTS },
  ),
  mixpanel(
    'a sum',
    /^GET \/api\/query\/segmentation\/sum\?/,
    { status: 'ok', results: DAYS },
    (side, signal) => cellsOf(side, { query: series({ measure: 'sum', property: 'price' }) }, signal),
    // A sum may be any number.
    {
      nothing: [[]],
      believes: /^(?:-1|1\.5) for numbers$/,
      other: json({ status: 'ok', results: OTHER_DAY }),
    },
  ),
  mixpanel(
    'a retention',
    /^GET \/api\/query\/retention\?/,
    { '2024-01-31': { first: 4, counts: [4, 3] }, '2024-02-01': { first: 2, counts: [1] } },
    (side, signal) => cellsOf(side, { query: RETENTION }, signal),
    { nothing: [[]], other: json({ '2020-02-02': { first: 4, counts: [4, 3] } }) },
  ),
  mixpanel(
    'a listed funnel',
    /^GET \/api\/query\/funnels\?/,
    { meta: { dates: ['2024-01-31'] }, data: { '2024-01-31': { steps: steps(4, 3) } } },
    (side, signal) => cellsOf(side, { query: FUNNEL, report: 'funnel-5' }, signal),
    { other: json({ data: { '2020-02-02': { steps: steps(4, 3) } } }) },
  ),
  mixpanel(
    'a saved funnel',
    /^GET \/api\/query\/insights\?/,
    {
      date_range: { from_date: SPAN.first, to_date: SPAN.last },
      series: { count: { '1. Zürich': { all: 4 }, '2. Basel': { all: 3 } } },
    },
    (side, signal) => cellsOf(side, { query: FUNNEL, report: '5' }, signal),
    {
      other: json({
        date_range: { from_date: '2020-02-02', to_date: '2020-02-02' },
        series: { count: { '1. Zürich': { all: 4 }, '2. Basel': { all: 3 } } },
      }),
    },
  ),
  mixpanel(
    'the list of funnels',
    /^GET \/api\/query\/funnels\/list\?/,
    ({ path }: Received) =>
      path.includes('/list') ? [{ funnel_id: 4, name: 'Zürich' }] : { results: [REPORT] },
    async (side, signal) => namesOf(await side.reports!(call(signal))),
    // A project may have none of them.
    { nothing: [[{ id: '5', name: 'Zürich' }]] },
  ),
  mixpanel(
    'a saved report',
    /^GET \/api\/app\/projects\/7\/bookmarks\?/,
    { results: [REPORT] },
    async (side, signal) => namesOf([await side.report!('5', call(signal))]),
  ),
]

const INSIGHT = /^POST \/api\/projects\/1\/query\/$/
const CALENDAR = { id: 1, timezone: 'Europe/Berlin', week_start_day: 1 }
const DAY_AFTER = [...Object.keys(DAYS), '2024-02-02']
const trend = (...data: readonly number[]) => ({
  results: [{ action: { order: 0, id: 'Zürich' }, days: DAY_AFTER, data }],
})
const later = (isDone: boolean) => ({
  query_status: { id: 'q-1', complete: isDone, results: isDone ? trend(3, 4, 0).results : null },
})

/** What PostHog is asked for a chart; `answer`: what its query is answered. */
function posthog(
  name: string,
  answer: unknown,
  query: ChartQuery,
  more: Omit<Partial<Parameters<typeof project>[0]>, 'name' | 'right' | 'ask'> = {},
): Endpoint {
  return project({
    name: `chart: ${name}`,
    struck: INSIGHT,
    isLikeAnother: true,
    right: ({ path }: Received) => (path.endsWith('/query/') ? answer : CALENDAR),
    ask: (api, { signal }) => cellsOf(serviceCharts(api, '1'), { query }, signal),
    ...more,
  })
}

const POSTHOG: readonly Endpoint[] = [
  posthog("the project's days", trend(3, 4, 0), series(), { struck: /^GET \/api\/projects\/1\/$/ }),
  posthog('a series', trend(3, 4, 0), series(), {
    isLikeAnother: false,
    other: { results: [{ action: { order: 0, id: 'Basel' }, days: DAY_AFTER, data: [1, 2, 3] }] },
  }),
  posthog(
    'a divided series',
    {
      results: [0, 1].map((order) => ({
        ...{ action: { order, id: 'Zürich' }, breakdown_value: 'Zürich' },
        ...{ days: DAY_AFTER, data: [3, 4, 0] },
      })),
    },
    series({ by: 'city', measure: 'unique' }),
    { nothing: [[]] },
  ),
  posthog(
    'a funnel',
    { results: [4, 3].map((count, order) => ({ order, count, action_id: STEPS[order]!.event })) },
    FUNNEL,
    {
      nothing: [[]],
      other: { results: [4, 3].map((count, order) => ({ order, count, action_id: 'Basel' })) },
    },
  ),
  posthog(
    'a retention',
    {
      results: Object.keys(DAYS).map((day, at) => ({
        date: `${day}T00:00:00+01:00`,
        values: [{ count: 5 }, { count: at }],
      })),
    },
    RETENTION,
    {
      nothing: [[]],
      other: { results: [{ date: '2020-02-02T00:00:00Z', values: [{ count: 1 }, { count: 1 }] }] },
    },
  ),
  {
    ...posthog('an answer that comes later', {}, series(), {
      struck: /^GET \/api\/projects\/1\/query\/q-1\/$/,
      other: { query_status: { id: 'q-2', complete: true, results: trend(7, 7, 7).results } },
    }),
    right: ({ path }) => {
      if (path.endsWith('/query/')) return json(later(false), { status: 202 })
      return json(path.endsWith('/q-1/') ? later(true) : CALENDAR)
    },
  },
]

/** What vendors and PostHog are asked for charts. */
export const CHARTS: readonly Endpoint[] = [...MIXPANEL, ...POSTHOG]
