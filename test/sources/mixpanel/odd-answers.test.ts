import { expect, onTestFinished, test } from 'vitest'
import type { ChartQuery } from '../../../src/charts/chart.ts'
import { RateLimiter } from '../../../src/http/rate-limiter.ts'
import { Secret } from '../../../src/http/secret.ts'
import { mixpanelSide } from '../../../src/sources/mixpanel/chart-work.ts'
import { QueryApi } from '../../../src/sources/mixpanel/query-api.ts'
import { bearer, VendorClient } from '../../../src/sources/vendor-client.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { oddServer } from '../../helpers/odd-server.ts'
import { callOf, chartOf, NOW, series } from './side.ts'

const SPAN = { first: '2024-03-04', last: '2024-03-05' }

/** What Mixpanel's side says to a chart where each of its questions is answered so. */
async function asked(answer: unknown, query: ChartQuery, report: string | null = null) {
  const clock = new FakeClock(NOW)
  const server = await oddServer(() => ({ body: JSON.stringify(answer) }))
  onTestFinished(() => server.close())
  const client = new VendorClient({
    ...{ vendor: 'Mixpanel', origin: server.url, quietMs: 5000 },
    ...{ credentials: bearer(new Secret('s', 'a test')), limiter: new RateLimiter({ limits: [], clock }) },
  })
  const side = mixpanelSide(new QueryApi(client, '7', { retryForMs: 0, clock, random: () => 0 }))
  onTestFinished(() => side.close())
  return side.ask(chartOf(query, report), SPAN, callOf()).catch((error: Error) => error.message)
}

const events = (event: string) => ({ event, where: [] })
const RETENTION: ChartQuery = {
  ...{ kind: 'retention', period: 'day', periods: 2 },
  ...{ start: events('a'), back: events('b') },
}
const FUNNEL: ChartQuery = { kind: 'funnel', steps: [events('a'), events('b')], windowDays: 7 }
const PEOPLE = series('a', { measure: 'unique', by: 'plan' })
const values = (of: object) => ({ data: { values: of } })
const steps = (...counts: readonly number[]) => counts.map((count, at) => ({ count, event: 'ab'[at] }))
const saved = (of: object) => {
  return { date_range: { from_date: SPAN.first, to_date: SPAN.last }, series: { count: of } }
}

test.each<[string, unknown, ChartQuery, string]>([
  ['another name', values({ A: { '2024-03-04': 3 } }), series('a'), 'not asked about "A"'],
  ['a part of an event', values({ a: { '2024-03-04': 1.5 } }), series('a'), 'another shape'],
  [
    'another name where one is filtered',
    values({ A: { '2024-03-04': 3 } }),
    series('a', { where: [{ property: 'plan', operator: 'set', values: [] }] }),
    'has numbers of "A"',
  ],
  [
    'people by hour',
    values({ pro: { '2024-03-04 00:00:00': 3, '2024-03-04 01:00:00': 3 } }),
    PEOPLE,
    'otherwise than it was asked',
  ],
  ['periods that are missing', { '2024-03-04': { first: 4, counts: [4] } }, RETENTION, '1 days only'],
  [
    'more back than begun',
    { '2024-03-04': { first: 4, counts: [4, 5] } },
    RETENTION,
    'more people came back',
  ],
  [
    'a day twice',
    { '2024-03-04': { first: 4, counts: [4, 2] }, '2024-03-04 12:00:00': { first: 1, counts: [1, 0] } },
    RETENTION,
    'other days than asked',
  ],
])('%s: no number is made of it', async (_, answer, query, reason) => {
  expect(JSON.stringify(await asked(answer, query))).toContain(JSON.stringify(reason).slice(1, -1))
})

test.each<[string, unknown, string, string]>([
  [
    'other days',
    { data: { '2020-02-02': { steps: steps(4, 3) } } },
    'funnel-5',
    'answers from 2020-02-02 on',
  ],
  [
    'steps that grow',
    { data: { '2024-03-04': { steps: steps(3, 4) } } },
    'funnel-5',
    'more people took step 2',
  ],
  ['a step less', saved({ '1. a': { all: 4 } }), '5', 'no step 2'],
  ['a step more', saved({ '1. a': { all: 4 }, '2. b': { all: 3 }, '3. c': { all: 3 } }), '5', 'other steps'],
  ['a step twice', saved({ '1. a': { all: 4 }, '2. b': { all: 3 }, '2. c': { all: 3 } }), '5', 'other steps'],
  [
    'a saved one that grows',
    saved({ '1. a': { all: 3 }, '2. b': { all: 4 } }),
    '5',
    'more people took step 2',
  ],
])('a funnel with %s has no answer', async (_, answer, report, reason) => {
  expect(await asked(answer, FUNNEL, report)).toEqual({ unanswered: expect.stringContaining(reason) })
})

test('a day on which nobody began needs no counts', async () => {
  const answer = { '2024-03-04': { first: 4, counts: [4, 1] }, '2024-03-05': { first: 0, counts: [] } }
  expect(await asked(answer, RETENTION)).toMatchObject({
    cells: [
      { at: '2024-03-04+0', value: 4 },
      { at: '2024-03-04+1', value: 1 },
    ],
  })
})
