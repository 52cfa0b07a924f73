import { describe, expect, onTestFinished, test } from 'vitest'
import type {
  ChartEvents,
  ChartQuery,
  ChartSpan,
  RetentionChart,
  SeriesChart,
} from '../../src/charts/chart.ts'
import { Secret } from '../../src/http/secret.ts'
import { Api } from '../../src/service/api.ts'
import { serviceCharts } from '../../src/service/service-charts.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { oddServer, type Reply } from '../helpers/odd-server.ts'

/* What a wrong answer to a chart must not become: a number. */

const CALL = { signal: new AbortController().signal, names: undefined, note: () => undefined }

function apiOf(url: string): Api {
  const api = new Api({
    settings: {
      origin: { value: url, source: 'cli', from: 'a test' },
      personalKey: new Secret('phx_test', 'a test'),
      projectId: undefined,
    },
    signal: CALL.signal,
    onWait: () => undefined,
    clock: new FakeClock(0),
  })
  onTestFinished(() => api.close())
  return api
}

function series(more: Partial<SeriesChart> = {}): SeriesChart {
  return {
    ...{ kind: 'series', event: 'a', where: [], measure: 'count', property: null, interval: 'day' },
    ...{ by: null, ...more },
  }
}

const events = (event: string): ChartEvents => ({ event, where: [] })

const PROJECT: Reply = { body: '{"timezone":"UTC","week_start_day":1}' }

async function against(replies: readonly Reply[], query: ChartQuery = series(), span: ChartSpan = DAY) {
  let turn = 0
  const server = await oddServer(() => [PROJECT, ...replies][Math.min(turn++, replies.length)]!)
  onTestFinished(() => server.close())
  const side = serviceCharts(apiOf(server.url), '1')
  const answer = side.ask({ name: 'a by day', query, report: null }, span, CALL)
  return { answer, requests: () => server.asked }
}
const DAY = { first: '2026-03-05', last: '2026-03-05' }
const json = (value: unknown, more: Partial<Reply> = {}): Reply => {
  return { body: JSON.stringify(value), headers: { 'content-type': 'application/json' }, ...more }
}
const row = { action: { order: 0 }, days: ['2026-03-05', '2026-03-06'], data: [3, 4] }
const later = (status: object, more: Partial<Reply> = {}) =>
  json({ query_status: { id: 'q-1', complete: false, ...status } }, more)

test.each([
  ['rows', [row]],
  ['the whole answer', { results: [row] }],
])('an answer that comes later is waited for: %s', async (_, results) => {
  const { answer, requests } = await against([
    later({}, { status: 202 }),
    later({}, { status: 202 }),
    later({ complete: true, results }),
  ])
  expect(await answer).toMatchObject({ cells: [{ at: '2026-03-05', by: null, value: 3 }] })
  expect(
    requests()
      .slice(2)
      .map(({ method, path }) => `${method} ${path}`),
  ).toEqual(['GET /api/projects/1/query/q-1/', 'GET /api/projects/1/query/q-1/'])
})

test.each([
  [
    [later({}, { status: 202 }), later({ complete: true, error: true, error_message: 'Too many bytes' })],
    'Too many bytes',
  ],
  [
    [later({}, { status: 202 }), later({ error: true, error_message: 'bad step' }, { status: 400 })],
    'bad step',
  ],
  [[later({}, { status: 202 }), later({ complete: true })], 'gives no answer'],
  [[later({}, { status: 202 })], 'no answer came within ten minutes'],
  [
    [
      json(
        { type: 'validation_error', code: 'x', detail: 'query.serie: Extra inputs', attr: 'query' },
        { status: 400 },
      ),
    ],
    'Extra inputs',
  ],
  [[json({ hasMore: false })], 'results'],
  [[json({ results: [{ ...row, action: {} }] })], 'action.order'],
  [[json({ results: [{ ...row, data: ['3'] }] })], 'data'],
  [[json({ results: [{ ...row, days: ['2026-03-04', '2026-03-06'] }] })], 'no number of 2026-03-05'],
  // A chart whose hours come instead of its days, as many numbers of one day.
  [[json({ results: [{ ...row, days: ['2026-03-05T00', '2026-03-05T01'] }] })], '2 numbers came of 1 days'],
  [[json({ results: [{ ...row, data: [3.5, 4] }] })], '3.5 is no number of events'],
  [[json({ results: [{ ...row, data: [null, 4] }] })], 'null is no number of events'],
  [[json({ results: [] })], 'it has not the 1 series'],
  [[json({ results: [{ ...row, action: { order: 1 } }] })], 'it has not the 1 series'],
  [[json({ results: [row, row] })], 'a row came twice'],
  [[json({ results: [{ ...row, action: { order: 0, id: 'b' } }] })], 'it is about "b"'],
  [[json({ results: [row], error: 'a part of it timed out' })], 'a part of it timed out'],
  [
    [later({}, { status: 202 }), later({ id: 'q-2', complete: true, results: [row] })],
    'how another query is doing',
  ],
])('what went wrong is said with the name of the chart: %#', async (replies, reason) => {
  const { answer } = await against(replies)
  const error = await answer.then(
    () => new Error('answered'),
    (caught: Error) => caught,
  )
  expect(error.message).toContain('the chart "a by day"')
  expect(error.message).toContain(reason)
  expect(error.message).not.toContain('query_status')
})

test('a rate that is over is waited for as long as the service says', async () => {
  const busy = json({ detail: 'Request was throttled.' }, { status: 429, headers: { 'retry-after': '30' } })
  const { answer, requests } = await against([busy, json({ results: [row] })])
  expect(await answer).toMatchObject({ cells: [{ value: 3 }] })
  expect(requests()).toHaveLength(3)
})

test('rows are told apart by their order, steps and periods by theirs', async () => {
  const by = { ...series({ measure: 'unique', by: 'plan' }) }
  const rows = [
    { ...row, action: { order: 1 }, breakdown_value: 'pro', data: [9, 0] },
    { ...row, action: { order: 0 }, breakdown_value: 'pro', data: [2, 0] },
  ]
  expect(await (await against([json({ results: rows })], by)).answer).toMatchObject({
    cells: [{ at: '2026-03-05', by: 'pro', value: 2 }],
  })
  const steps = [events('a'), events('b')]
  const funnel = { kind: 'funnel', steps, windowDays: 1 } as const
  const turned = [
    { order: 1, count: 1 },
    { order: 0, count: 5 },
  ]
  expect(await (await against([json({ results: turned })], funnel)).answer).toMatchObject({
    cells: expect.arrayContaining([{ at: '1', by: null, value: 5 }]),
  })
  await expect((await against([json({ results: turned.slice(0, 1) })], funnel)).answer).rejects.toThrow(
    'step 1 is missing',
  )
  const retention = {
    kind: 'retention',
    start: events('a'),
    back: events('b'),
    period: 'day',
    periods: 3,
  } as const
  const span = { first: '2026-03-05', last: '2026-03-06' }
  const days = [
    { date: '2026-03-06T00:00:00Z', values: [{ count: 1 }, { count: 7 }] },
    { date: '2026-03-05T00:00:00Z', values: [{ count: 4 }, { count: 2 }, { count: 7 }] },
  ]
  // What lies beyond the span is left out.
  expect(await (await against([json({ results: days })], retention, span)).answer).toMatchObject({
    cells: [
      { at: '2026-03-05+0', value: 4 },
      { at: '2026-03-05+1', value: 2 },
      { at: '2026-03-06+0', value: 1 },
    ],
  })
  await expect(
    (await against([json({ results: days.slice(0, 1) })], retention, span)).answer,
  ).rejects.toThrow('no row of 2026-03-05')
})

const funnel = { kind: 'funnel', steps: [events('a'), events('b')], windowDays: 1 } as const
const step = (order: number, count: number, more = {}) => ({ order, count, ...more })
test.each([
  [[step(0, 5), step(1, 6)], 'more people took step 2'],
  [[step(0, 5), step(1, 2), step(2, 1)], '3 steps instead of 2'],
  [[step(0, 5), step(0, 4), step(1, 2)], '3 steps instead of 2'],
  [[step(0, 5), step(1, 2, { action_id: 'c' })], 'its step 2 is about "c"'],
  [[step(0, 5), step(1, 1.5)], '1.count'],
])('steps that can not be those of the funnel are no answer: %#', async (results, reason) => {
  await expect((await against([json({ results })], funnel)).answer).rejects.toThrow(reason)
})

const RETENTION: RetentionChart = {
  ...{ kind: 'retention', period: 'day', periods: 3 },
  ...{ start: events('a'), back: events('b') },
}
const TWO_DAYS = { first: '2026-03-05', last: '2026-03-06' }
const period = (day: string, ...counts: readonly number[]) => {
  return { date: `${day}T00:00:00Z`, values: counts.map((count) => ({ count })) }
}
test.each([
  [[period('2026-03-05', 4), period('2026-03-06', 1)], 'of 2026-03-05 there are 1 periods only'],
  [[period('2026-03-05', 4, 2), period('2026-03-06', 1), period('2026-03-06', 2)], 'a row came twice'],
  [[period('2026-03-05', 4, 0.5), period('2026-03-06', 1)], 'count'],
])('periods that are not all there are no answer: %#', async (results, reason) => {
  await expect((await against([json({ results })], RETENTION, TWO_DAYS)).answer).rejects.toThrow(reason)
})

test('the value that one series has and the other lacks is not taken for 0', async () => {
  const value = (order: number, plan: string) => ({ ...row, action: { order }, breakdown_value: plan })
  const by = series({ measure: 'unique', by: 'plan' })
  const asked = async (results: unknown) => (await against([json({ results })], by)).answer
  await expect(asked([value(0, 'pro'), value(1, 'pro'), value(1, 'free')])).rejects.toThrow(
    'there is no row of "free"',
  )
  await expect(asked([value(0, 'pro')])).rejects.toThrow('it has not the 2 series')
  await expect(asked([value(0, 'pro'), value(0, 'pro'), value(1, 'pro')])).rejects.toThrow('twice')
})

describe('of a query', () => {
  const WEEKS = { first: '2026-03-02', last: '2026-03-15' }
  async function byQuery(query: ChartQuery, ...answers: readonly (readonly unknown[])[]) {
    let turn = 0
    const sunday: Reply = { body: '{"timezone":"UTC","week_start_day":0}' }
    const replies = [sunday, ...answers.map((results) => json({ results }))]
    const server = await oddServer(() => replies[Math.min(turn++, answers.length)]!)
    onTestFinished(() => server.close())
    return serviceCharts(apiOf(server.url), '1').ask({ name: 'a by week', query, report: null }, WEEKS, CALL)
  }
  const weekly = series({ interval: 'week' })
  test.each([
    [[['2026-03-03', null, 3]], 'it has a number of 2026-03-03'],
    [[['2026-03-02', null, 1.5]], '0.2'],
    [
      [
        ['2026-03-02', null, 3],
        ['2026-03-02', null, 4],
      ],
      'a row came twice',
    ],
  ])('rows that are not those of the chart are no answer: %#', async (rows, reason) => {
    await expect(byQuery(weekly, rows)).rejects.toThrow(reason)
  })

  test('rows beyond the most that a query returns are not left out in silence', async () => {
    const rows = Array.from({ length: 50_000 }, (_, n) => ['2026-03-02', `value ${n}`, 1])
    await expect(byQuery(series({ interval: 'week', by: 'plan' }), rows)).rejects.toThrow(
      '50,000 numbers at most',
    )
  })

  test('those who came back did so in a later week', async () => {
    const retention = { ...RETENTION, period: 'week' } as const
    const starts = [['2026-03-02', 3]]
    await expect(byQuery(retention, starts, [['2026-03-09', '2026-03-02', 1]])).rejects.toThrow(
      'no week after',
    )
    await expect(byQuery(retention, starts, [['2026-03-02', '2026-03-16', 1]])).rejects.toThrow('2026-03-16')
  })
})
