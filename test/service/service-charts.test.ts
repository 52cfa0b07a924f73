import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Chart, ChartEvents, ChartFilter, ChartQuery, ChartSpan } from '../../src/charts/chart.ts'
import type { ChartCall } from '../../src/charts/chart-side.ts'
import { Secret } from '../../src/http/secret.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { Api } from '../../src/service/api.ts'
import { arrivedCharts } from '../../src/service/arrived-charts.ts'
import { serviceCharts } from '../../src/service/service-charts.ts'
import { oracle, sorted } from '../helpers/chart-oracle.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { seeded } from '../helpers/random.ts'
import { chartMaker } from '../helpers/random-charts.ts'
import { seedOf } from '../helpers/seed.ts'
import { startHarness, uuid } from '../sandbox/harness.ts'

const SPAN: ChartSpan = { first: '2026-03-01', last: '2026-03-31' }
const CALL: ChartCall = { signal: new AbortController().signal, names: undefined, note: () => undefined }

function apiOf(url: string, key = 'phx_test'): Api {
  const api = new Api({
    settings: {
      origin: { value: url, source: 'cli', from: 'a test' },
      personalKey: new Secret(key, 'a test'),
      projectId: undefined,
    },
    signal: CALL.signal,
    onWait: () => undefined,
    clock: new FakeClock(0),
  })
  onTestFinished(() => api.close())
  return api
}

interface Told {
  readonly event: string
  readonly id?: string
  readonly at: string
  readonly properties?: object
}

/** PostHog's side of a history in a sandbox, and what it answers: `2026-03-01 5`, or `2026-03-01 pro 5`. */
async function sideOf(history: readonly Told[], options: SandboxOptions = {}) {
  const { sandbox, send } = await startHarness({ now: () => Date.parse('2026-06-01T00:00:00Z'), ...options })
  await send(
    history.map(({ event, id = 'u', at, properties = {} }, n) => {
      return { uuid: uuid(n), event, distinct_id: id, timestamp: at, properties }
    }),
  )
  const api = apiOf(sandbox.url, sandbox.personalKey)
  const side = serviceCharts(api, '1')
  const ask = async (query: ChartQuery, span = SPAN) => {
    const answer = await side.ask(chartOf(query), span, CALL)
    if ('unanswered' in answer) return [answer.unanswered]
    const cells = answer.cells.map(({ at, by, value }) => [at, ...(by === null ? [] : [by]), value].join(' '))
    return cells.sort()
  }
  return { api, side, ask, send }
}

const chartOf = (query: ChartQuery): Chart => ({ name: 'asked', query, report: null })

function series(more: Partial<Extract<ChartQuery, { kind: 'series' }>> = {}): ChartQuery {
  return {
    kind: 'series',
    event: 'a',
    where: [],
    measure: 'count',
    property: null,
    interval: 'day',
    by: null,
    ...more,
  }
}

const events = (event: string | null, where: readonly ChartFilter[] = []): ChartEvents => ({ event, where })

describe('by the days of the project', () => {
  const NEW_YORK = { timeZone: 'America/New_York', weekStartDay: 1 } as const
  const HISTORY: readonly Told[] = [
    // Before the span, and the days around the change of the clocks, which the 8th is.
    { event: 'a', at: '2026-03-01T04:59:59.999Z' },
    { event: 'a', at: '2026-03-01T05:00:00Z' },
    { event: 'a', at: '2026-03-08T05:00:00Z' },
    { event: 'a', id: 'v', at: '2026-03-09T03:59:59.999Z' },
    { event: 'a', id: 'v', at: '2026-03-09T04:00:00Z' },
    // In the last second of the span, and after it.
    { event: 'a', id: 'v', at: '2026-04-01T03:59:59.5Z', properties: { price: 2.5 } },
    { event: 'a', id: 'v', at: '2026-04-01T04:00:00Z', properties: { price: 100 } },
    { event: 'b', id: 'w', at: '2026-03-16T12:00:00Z', properties: { price: '4' } },
  ]

  test('series hold every event of the span to its last moment, and no other', async () => {
    const { ask, side } = await sideOf(HISTORY, NEW_YORK)
    expect(await ask(series())).toEqual(['2026-03-01 1', '2026-03-08 2', '2026-03-09 1', '2026-03-31 1'])
    expect(await ask(series({ measure: 'unique' }))).toContain('2026-03-08 2')
    // Of the weeks only whole ones: the first day of the span is a Sunday, the last a Tuesday.
    expect(await ask(series({ interval: 'week' }))).toEqual(['2026-03-02 2', '2026-03-09 1'])
    expect(await ask(series({ interval: 'month', measure: 'unique' }))).toEqual(['2026-03-01 2'])
    expect(await ask(series({ interval: 'month' }), { first: '2026-03-02', last: '2026-03-31' })).toEqual([])
    expect(await ask(series({ interval: 'whole' }))).toEqual(['whole 5'])
    expect(await ask(series({ interval: 'whole', measure: 'unique', event: null }))).toEqual(['whole 3'])
    const price = { property: 'price', event: null } as const
    expect(await ask(series({ interval: 'whole', measure: 'sum', ...price }))).toEqual(['whole 6.5'])
    expect(await ask(series({ measure: 'average', ...price }))).toEqual(['2026-03-16 4', '2026-03-31 2.5'])
    expect(await side.ask(chartOf(series()), SPAN, CALL)).toMatchObject({
      zone: 'America/New_York',
      notes: [],
    })
  })

  test('weeks from Monday are asked by a query where weeks begin on Sunday', async () => {
    const { ask, side } = await sideOf([...HISTORY, { event: 'late', at: '2026-03-30T03:59:59.999Z' }], {
      ...NEW_YORK,
      weekStartDay: null,
    })
    expect(await ask(series({ event: 'late', interval: 'week' }))).toEqual(['2026-03-23 1'])
    expect(await ask(series({ interval: 'week' }))).toEqual(['2026-03-02 2', '2026-03-09 1'])
    expect(await ask(series({ interval: 'week', measure: 'unique', event: null }))).toEqual([
      '2026-03-02 2',
      '2026-03-09 1',
      '2026-03-16 1',
      '2026-03-23 1',
    ])
    const { notes } = (await side.ask(chartOf(series({ interval: 'week' })), SPAN, CALL)) as {
      notes: string[]
    }
    expect(notes).toEqual([expect.stringContaining('asked by a query')])
  })
})

test('a day without a midnight begins with its first hour, and the day before ends with its last', async () => {
  // In Sao Paulo midnight of the 4th was 1 o'clock.
  const hours = [
    '2018-11-04T02:30:00Z',
    '2018-11-04T03:00:00Z',
    '2018-11-05T01:59:59.999Z',
    '2018-11-05T02:00:00Z',
  ]
  const { api } = await sideOf(hours.map((at) => ({ event: 'a', at })))
  const query = vi.spyOn(api, 'query')
  const of = async (day: string) => {
    const asked = { charts: [chartOf(series())], importIds: [], zone: 'America/Sao_Paulo' }
    const cells = (await arrivedCharts(api, '1', { ...asked, span: { first: day, last: day } })).get('asked')
    return cells?.map(({ at, others }) => `${at} ${others}`)
  }
  expect(await of('2018-11-03')).toEqual(['2018-11-03 1'])
  expect(await of('2018-11-04')).toEqual(['2018-11-04 2'])
  expect(await of('2018-11-05')).toEqual(['2018-11-05 1'])
  // What the service makes of a time that never was is left to nobody.
  expect(JSON.stringify(query.mock.calls.map(([, body]) => body))).not.toMatch(/00:00:00[^)]*Sao_Paulo/)
})

test('a property has its 20 most frequent values by events, whatever is measured, and those that lack it', async () => {
  const at = '2026-03-05T12:00:00Z'
  const of = (plan: string | undefined, count: number): Told[] =>
    Array.from({ length: count }, (_, n) => ({
      event: 'a',
      id: n === 0 ? 'u' : 'v',
      at,
      properties: { plan },
    }))
  const many = Array.from({ length: 19 }, (_, n) => `p${String(n).padStart(2, '0')}`)
  // `q` has the most people and the fewest events: it is none of the twenty.
  const { ask } = await sideOf([
    ...many.flatMap((plan) => of(plan, 4)),
    ...of(undefined, 3),
    ...of('', 1),
    ...['x', 'y', 'w'].map((id) => ({ event: 'a', id, at, properties: { plan: 'q' } })),
  ])
  const expected = ['2026-03-05  4', ...many.map((plan) => `2026-03-05 ${plan} 4`)]
  expect(await ask(series({ by: 'plan' }))).toEqual(expected.sort())
  expect(await ask(series({ by: 'plan', measure: 'unique' }))).toEqual(
    expected.map((cell) => cell.replace(/4$/, '2')),
  )
  expect(await ask(series({ by: 'plan', interval: 'whole', measure: 'unique' }))).toContain('whole  2')
})

test('values beyond what a chart of PostHog tells apart are asked for by a query', async () => {
  const at = '2026-03-05T12:00:00Z'
  const rare = Array.from({ length: 501 }, (_, n) => ({ event: 'a', at, properties: { plan: `r${n}` } }))
  const none = [1, 2].map(() => ({ event: 'a', at }))
  const { ask, side } = await sideOf([...rare, ...none])
  const cells = await ask(series({ by: 'plan' }))
  expect(cells).toHaveLength(20)
  expect(cells).toContain('2026-03-05  2')
  const { notes } = (await side.ask(chartOf(series({ by: 'plan' })), SPAN, CALL)) as { notes: string[] }
  expect(notes).toEqual([expect.stringContaining('so many values')])
})

const FILTERS: readonly (readonly [ChartFilter['operator'], readonly string[], number])[] = [
  ['is', ['pro', '5'], 2],
  ['is', ["it's"], 1],
  ['is_not', ['pro', 'p_o'], 5],
  ['contains', ['PR'], 1],
  ['contains', ['p_o'], 1],
  ['contains', ['P_O', 'É'], 2],
  ['set', [], 6],
  ['not_set', [], 1],
  ['over', ['4.5'], 2],
  ['under', ['6', '-1'], 1],
]

test.each([1, 0] as const)(
  'filters mean the same in a chart and in a query (weeks begin on %i)',
  async (weekStartDay) => {
    const at = '2026-03-05T12:00:00Z'
    const plans = ['pro', 'p_o', "it's", 'café', 5, 6, undefined]
    const { ask } = await sideOf(
      plans.map((plan) => ({ event: 'a', at, properties: { 'the plan': plan } })),
      { weekStartDay },
    )
    for (const [operator, values, count] of FILTERS) {
      const where = [{ property: 'the plan', operator, values }]
      const what = `${operator} ${values.join()}`
      expect(await ask(series({ where, interval: 'week' })), what).toEqual([`2026-03-02 ${count}`])
      const steps = [events('a', where), events('b')]
      expect(await ask({ kind: 'funnel', steps, windowDays: 1 }), what).toEqual(['1 1'])
    }
    const where = [{ property: 'the plan', operator: 'over', values: ['many'] } as const]
    expect(await ask(series({ where }))).toEqual(['"many" is not a number, and can\'t be over or under one'])
  },
)

test('funnels count who came at least to a step', async () => {
  const at = (hour: string) => `2026-03-05T${hour}:00:00Z`
  const { ask } = await sideOf([
    { event: 'a', id: 'u', at: at('08') },
    { event: 'b', id: 'u', at: at('09') },
    { event: 'c', id: 'u', at: at('10') },
    { event: 'a', id: 'v', at: at('08') },
    { event: 'b', id: 'v', at: '2026-03-07T08:00:00.001Z' },
    { event: 'b', id: 'w', at: at('08') },
  ])
  const steps = ['a', 'b', 'c'].map((event) => events(event))
  expect(await ask({ kind: 'funnel', steps, windowDays: 2 })).toEqual(['1 2', '2 1', '3 1'])
  expect(await ask({ kind: 'funnel', steps, windowDays: 3 })).toEqual(['1 2', '2 2', '3 1'])
  expect(await ask({ kind: 'funnel', steps: [events('x'), events('y')], windowDays: 3 })).toEqual([])
})

test.each([1, 0] as const)(
  'who came back, by the first start in whole periods of the span (weeks begin on %i)',
  async (weekStartDay) => {
    const { ask } = await sideOf(
      [
        // Before the span, and in the part of a week that its start cuts off.
        { event: 'a', id: 'u', at: '2026-02-10T08:00:00Z' },
        { event: 'a', id: 'v', at: '2026-03-01T08:00:00Z' },
        { event: 'a', id: 'u', at: '2026-03-03T08:00:00Z' },
        { event: 'a', id: 'v', at: '2026-03-10T08:00:00Z' },
        { event: 'b', id: 'u', at: '2026-03-08T08:00:00Z' },
        { event: 'b', id: 'u', at: '2026-03-16T08:00:00Z' },
        { event: 'b', id: 'v', at: '2026-03-16T08:00:00Z' },
        // After the last whole week.
        { event: 'b', id: 'v', at: '2026-03-30T08:00:00Z' },
        { event: 'a', id: 'w', at: '2026-03-30T08:00:00Z' },
      ],
      { weekStartDay },
    )
    const retention = { kind: 'retention', start: events('a'), back: events('b'), period: 'week' } as const
    expect(await ask({ ...retention, periods: 4 })).toEqual([
      '2026-03-02+0 1',
      '2026-03-02+2 1',
      '2026-03-09+0 1',
      '2026-03-09+1 1',
    ])
    expect(await ask({ ...retention, periods: 2 })).toEqual([
      '2026-03-02+0 1',
      '2026-03-09+0 1',
      '2026-03-09+1 1',
    ])
    expect(
      await ask({ ...retention, start: events(null), back: events(null), period: 'month', periods: 2 }),
    ).toEqual(['2026-03-01+0 3'])
  },
)

test('people are persons after all merges; who is nobody is none', async () => {
  const { ask } = await sideOf([
    { event: 'a', id: 'anon', at: '2025-01-01T08:00:00Z' },
    { event: 'a', id: 'ann', at: '2026-03-02T08:00:00Z' },
    { event: '$identify', id: 'ann', at: '2026-03-03T08:00:00Z', properties: { $anon_distinct_id: 'anon' } },
    { event: 'a', id: 'ghost', at: '2026-03-03T08:00:00Z', properties: { $process_person_profile: false } },
  ])
  expect(await ask({ kind: 'people' })).toEqual(['whole 1'])
  expect(await ask(series({ measure: 'unique', interval: 'whole' }))).toEqual(['whole 2'])
})

test('whose events a number is made of', async () => {
  const at = '2026-03-05T12:00:00Z'
  const ours = { $import_job_id: 'job-1' }
  const { api, ask, send } = await sideOf([
    { event: 'a', id: 'u', at, properties: ours },
    { event: 'a', id: 'u', at, properties: { ...ours, plan: 'pro' } },
    { event: 'a', id: 'v', at, properties: ours },
    { event: 'a', id: 'v', at, properties: { $import_job_id: 'job-2' } },
    { event: 'a', id: 'w', at, properties: {} },
    { event: 'b', id: 'w', at, properties: ours },
  ])
  // A copy that is not merged yet, and one under another time of the day.
  const copy = { uuid: uuid(0), event: 'a', distinct_id: 'u', properties: ours }
  await send([
    { ...copy, timestamp: at },
    { ...copy, timestamp: '2026-03-05T13:00:00Z' },
  ])
  const charts = [
    series(),
    series({ measure: 'unique', interval: 'whole' }),
    series({ measure: 'count', by: 'plan' }),
    series({ event: 'b' }),
    series({ event: 'never' }),
    series({ event: null }),
  ]
  const asked = {
    charts: [
      ...charts.map((query, n) => ({ ...chartOf(query), name: String(n) })),
      chartOf({ kind: 'people' }),
    ],
    span: SPAN,
    importIds: ['job-1'],
    zone: 'UTC',
  }
  const none = { by: null, at: '2026-03-05' }
  const questions = vi.spyOn(api, 'query')
  const split = [...(await arrivedCharts(api, '1', asked))].sort()
  // What differs in its name only is one question.
  expect(questions).toHaveBeenCalledTimes(4)
  expect(split).toEqual([
    ['0', [{ ...none, ours: 3, others: 2, doubled: 2 }]],
    ['1', [{ at: 'whole', by: null, ours: 2, others: 1, doubled: 0 }]],
    [
      '2',
      expect.arrayContaining([
        { ...none, by: '', ours: 2, others: 2, doubled: 2 },
        { ...none, by: 'pro', ours: 1, others: 0, doubled: 0 },
      ]),
    ],
    ['3', [{ ...none, ours: 1, others: 0, doubled: 0 }]],
    ['4', []],
    ['5', [{ ...none, ours: 4, others: 2, doubled: 2 }]],
  ])
  // The sum is the number of the chart.
  expect(await ask(series())).toEqual(['2026-03-05 7'])
  const nobody = await arrivedCharts(api, '1', { ...asked, importIds: [], charts: [chartOf(series())] })
  expect(nobody.get('asked')).toEqual([{ ...none, ours: 0, others: 5, doubled: 2 }])
})

test.each([
  [{ timeZone: 'America/New_York', weekStartDay: 1 }, Date.UTC(2024, 1, 20)],
  [{ timeZone: 'Pacific/Auckland', weekStartDay: 0 }, Date.UTC(2024, 8, 1)],
] as const)('charts of random histories are what a plain count says: %j', async (project, start) => {
  const { history, question, many } = chartMaker(seeded(seedOf(`charts in ${project.timeZone}`)))
  // PostHog drops identity events that have no person.
  const seen = history(200, start).filter(
    ({ event, properties }) => !event.startsWith('$') || properties.$process_person_profile !== false,
  )
  const { sandbox, send } = await startHarness(project)
  await send(seen)
  const side = serviceCharts(apiOf(sandbox.url, sandbox.personalKey), '1')
  const day = (after: number) => new Date(start + after * 86_400_000).toISOString().slice(0, 10)
  const span = { first: day(9), last: day(36) }
  const rule = { tries: 'newest', ends: 'clip' } as const
  for (const query of many(14, question)) {
    // PostHog has no funnel of one step.
    if (query.kind === 'funnel' && query.steps.length < 2) continue
    const answer = await side.ask(chartOf(query), span, CALL)
    const cells = 'unanswered' in answer ? [] : sorted(answer.cells)
    expect(cells, JSON.stringify(query)).toEqual(
      sorted(oracle(seen, query, { span, zone: project.timeZone, rule })),
    )
  }
})
