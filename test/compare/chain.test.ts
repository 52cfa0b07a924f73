import { expect, test } from 'vitest'
import type { Chart, ChartQuery } from '../../src/charts/chart.ts'
import type { ChartAnswer } from '../../src/charts/chart-answer.ts'
import { type ChainOrder, type ExplainedCell, explainCharts } from '../../src/compare/chain.ts'
import { ChartTables } from '../../src/compare/chart-tables.ts'
import { NEWEST_TRY } from '../../src/compare/chart-view.ts'
import { defaultCharts } from '../../src/compare/default-charts.ts'
import { readDatasets } from '../../src/compare/read-datasets.ts'
import { readRawRecords } from '../../src/compare/read-records.ts'
import { MIXPANEL_COUNTED } from '../../src/sources/mixpanel/report.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { oracle } from '../helpers/chart-oracle.ts'
import {
  comparedEngine,
  comparedInputs,
  eventsOf,
  NAMES,
  PROPERTIES,
  type RawRecord,
  rawRecords,
  seenByMixpanel,
} from '../helpers/compared-history.ts'
import { partsByDay, writeDataset } from '../helpers/dataset.ts'
import type { TestEvent } from '../helpers/events.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const SPAN = { first: '2024-03-02', last: '2024-03-29' }
const NEW_YORK = 'America/New_York'
const FIRST_TRY = { tries: 'first', ends: 'clip' } as const
const work = makeFolder()
const signal = new AbortController().signal

const of = (event: string | null) => ({ event, where: [] })
const SERIES = { kind: 'series', where: [], property: null, by: null } as const
const more: Record<string, ChartQuery> = {
  funnel: { kind: 'funnel', steps: [of('View'), of('user signed up'), of('Paid')], windowDays: 3 },
  retention: { kind: 'retention', start: of('View'), back: of('Paid'), period: 'week', periods: 3 },
  sum: { ...SERIES, event: 'Paid', measure: 'sum', property: 'price', interval: 'day' },
  average: { ...SERIES, event: null, measure: 'average', property: 'price', interval: 'week' },
  plans: { ...SERIES, event: 'user signed up', measure: 'count', interval: 'day', by: 'plan' },
}
const CHARTS: Chart[] = [
  ...defaultCharts(['View', 'user signed up', 'Paid', 'heartbeat'], SPAN),
  ...Object.entries(more).map(([name, query]) => ({ name, query, report: null })),
]

const records = rawRecords(400, seeded(seedOf('a chain of causes')), Date.UTC(2024, 2, 1))
const events = eventsOf(records)

type Asked = {
  readonly zone: string
  readonly rule?: typeof NEWEST_TRY | typeof FIRST_TRY
  readonly tells?: string | null
}

/** What a side answers to all charts, of the events that it has. */
function answersOf(
  seen: readonly TestEvent[],
  { zone, rule = NEWEST_TRY, tells = zone }: Asked,
): Map<string, ChartAnswer> {
  return new Map(
    CHARTS.map(({ name, query }) => [
      name,
      { cells: oracle(seen, query, { span: SPAN, zone, rule }), zone: tells, estimated: false, notes: [] },
    ]),
  )
}

interface Compared extends Partial<Omit<ChainOrder, 'vendor' | 'service'>> {
  /** The zone whose wall clock the records have. */
  readonly clock?: string
  readonly raw?: readonly RawRecord[]
  readonly vendor?: Partial<NonNullable<ChainOrder['vendor']>> | undefined
  readonly service?: Partial<NonNullable<ChainOrder['service']>> | undefined
}

async function compare({ raw = records, clock, vendor, service, hasRecords = true }: Compared) {
  const tables = await ChartTables.open(work)
  try {
    const folder = testFolder()
    await writeDataset(folder, partsByDay(clock === undefined ? events : eventsOf(raw, clock)))
    const store = new LocalStore(folder)
    await readDatasets(tables, [{ store, manifest: await readEventsManifest(store) }], {
      properties: PROPERTIES,
      signal,
    })
    if (hasRecords)
      await readRawRecords(tables, {
        engine: comparedEngine(clock),
        inputs: await comparedInputs(raw),
        loop: { stop: signal },
        // Who counts each id as a user of its own, so that joining them is a cause.
        by: { ...MIXPANEL_COUNTED, joined: [] },
        names: NAMES,
        properties: PROPERTIES,
      })
    return await explainCharts(tables, {
      charts: CHARTS,
      span: SPAN,
      properties: PROPERTIES,
      hasRecords,
      vendor: vendor && { answers: new Map(), names: NAMES, zone: undefined, rule: FIRST_TRY, ...vendor },
      service: service && { answers: new Map(), zone: 'UTC', parts: new Map(), sentUntil: null, ...service },
    })
  } finally {
    await tables.close()
  }
}

const mixpanel = () => ({
  answers: answersOf(seenByMixpanel(records), { zone: NEW_YORK, rule: FIRST_TRY, tells: null }),
})

/** All amounts of a chart by cause. */
function amounts(cells: readonly ExplainedCell[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [cause, amount] of cells.flatMap(({ parts }) => parts)) sums[cause] = (sums[cause] ?? 0) + amount
  return sums
}

function unexplained(cells: ReadonlyMap<string, readonly ExplainedCell[]>): string[] {
  return [...cells].flatMap(([chart, some]) =>
    some.filter((cell) => cell.unexplained > 0).map(({ at, parts }) => JSON.stringify([chart, at, parts])),
  )
}

test('every difference between a vendor, a dataset and PostHog has its causes, which add up to it', async () => {
  const { cells, zone } = await compare({
    vendor: mixpanel(),
    service: { answers: answersOf(events, { zone: 'UTC' }) },
  })
  expect(zone).toEqual({ zone: expect.any(String), known: 'fitted', fit: { days: 28, equal: 28 } })
  expect(unexplained(cells)).toEqual([])
  for (const [chart, some] of cells)
    for (const { at, by, vendor, posthog, parts } of some) {
      const sum = parts.reduce((all, [, amount]) => all + amount, 0)
      expect(vendor! + sum, `${chart} ${at} ${by}`).toBeCloseTo(posthog!, 4)
    }
  const all = amounts(cells.get('count by day: all events')!)
  expect(Object.keys(all).sort()).toEqual(['duplicate', 'filtered', 'generated', 'rejected', 'zone'])
  const dropped = seenByMixpanel(records).filter(({ event }) => event === 'heartbeat')
  expect(all.filtered).toBe(
    -sumOf(
      oracle(
        dropped,
        { ...SERIES, event: null, measure: 'count', interval: 'day' },
        { span: SPAN, zone: NEW_YORK, rule: NEWEST_TRY },
      ),
    ),
  )
  expect(amounts(cells.get('count by day: heartbeat')!)).toEqual({ filtered: all.filtered })
  expect(amounts(cells.get('unique by week: View')!)).toHaveProperty('people')
  expect(amounts(cells.get('funnel')!)).toHaveProperty('rules')
})

function sumOf(cells: ReadonlyArray<{ readonly value: number }>): number {
  return cells.reduce((sum, { value }) => sum + value, 0)
}

test('records that have the wall clock of the project are of its days, whatever is made of their times', async () => {
  const answers = answersOf(seenByMixpanel(records), { zone: 'UTC', rule: FIRST_TRY, tells: null })
  const service = { zone: NEW_YORK, answers: answersOf(eventsOf(records, NEW_YORK), { zone: NEW_YORK }) }
  const { cells } = await compare({ clock: NEW_YORK, vendor: { answers, zone: NEW_YORK }, service })
  expect(unexplained(cells)).toEqual([])
  expect(Object.keys(amounts(cells.get('count by day: View')!)).sort()).toEqual(['duplicate', 'rejected'])
})

test('a day that the export lacks is unexplained at the vendor, on that day', async () => {
  const isOn = (day: string) => (record: RawRecord) =>
    new Intl.DateTimeFormat('en-CA', { timeZone: NEW_YORK }).format(record.properties.time * 1000) === day
  const extra = rawRecords(40, seeded(3), Date.UTC(2024, 2, 1)).filter(isOn('2024-03-12'))
  const lacking = extra.map(({ event, properties }) => ({
    event,
    properties: { ...properties, $insert_id: `lost ${event}` },
  }))
  const more: RawRecord[] = [
    ...lacking,
    {
      event: 'View',
      properties: { time: Date.UTC(2024, 2, 12, 15) / 1000, distinct_id: 'lost', $insert_id: 'lost' },
    },
  ]
  const answers = answersOf(seenByMixpanel([...records, ...more]), { zone: NEW_YORK, rule: FIRST_TRY })
  const { cells } = await compare({ vendor: { answers } })
  const found = cells.get('count by day: View')!.filter((cell) => cell.unexplained > 0)
  expect(found.map(({ at }) => at)).toEqual(['2024-03-12'])
  expect(found[0]!.parts).toContainEqual(['vendor', -found[0]!.unexplained])
})

test('what others sent, what counts twice, what is not sent yet and what is gone are told apart', async () => {
  const until = Date.UTC(2024, 2, 20)
  const sent = events.filter(({ timestamp }) => Date.parse(timestamp) < until)
  const gone = sent.find(({ event, timestamp }) => event === 'View' && timestamp.startsWith('2024-03-05'))!
  const twice = sent.find(({ event, timestamp }) => event === 'View' && timestamp.startsWith('2024-03-06'))!
  const own = {
    ...twice,
    timestamp: '2024-03-07T12:00:00.000000Z',
    distinct_id: 'stranger',
    uuid: twice.uuid.replace(/^./, 'f'),
  }
  const there = [...sent.filter((event) => event !== gone), twice, own]
  const parts = new Map([
    [
      'count by day: View',
      [
        { at: '2024-03-06', by: null, others: 0, doubled: 1 },
        { at: '2024-03-07', by: null, others: 1, doubled: 0 },
      ],
    ],
  ])
  const { cells, zone } = await compare({
    hasRecords: false,
    service: { answers: answersOf(there, { zone: 'UTC' }), parts, sentUntil: until * 1000 },
  })
  expect(zone).toBeUndefined()
  const found = cells.get('count by day: View')!
  const at = (day: string) => found.find((cell) => cell.at === day)
  expect(at('2024-03-05')).toMatchObject({ vendor: null, parts: [['service', -1]], unexplained: 1 })
  expect(at('2024-03-06')).toMatchObject({ parts: [['doubled', 1]], unexplained: 0 })
  expect(at('2024-03-07')).toMatchObject({ parts: [['others', 1]], unexplained: 0 })
  expect(at('2024-03-21')).toMatchObject({
    posthog: 0,
    parts: [['pending', -at('2024-03-21')!.dataset!]],
    unexplained: 0,
  })
})

test('without raw records what the vendor has and the dataset lacks is unexplained', async () => {
  const { cells } = await compare({ hasRecords: false, vendor: { ...mixpanel(), zone: NEW_YORK } })
  const found = cells.get('count by day: heartbeat')!
  expect(found.length).toBeGreaterThan(5)
  for (const cell of found)
    expect(cell).toMatchObject({
      dataset: 0,
      posthog: null,
      parts: [['vendor', -cell.vendor!]],
      unexplained: cell.vendor,
    })
})

test('a side that tells its most frequent values only is compared in those', async () => {
  const plan = (n: number) => `plan ${n}`
  const cells = Array.from({ length: 20 }, (_, n) => ({ at: '2024-03-05', by: plan(n), value: 1 }))
  const answers = answersOf(events, { zone: 'UTC' })
  answers.set('plans', { cells, zone: 'UTC', estimated: false, notes: [] })
  const explained = await compare({ hasRecords: false, service: { answers } })
  expect(explained.cells.get('plans')).toEqual([])
})
