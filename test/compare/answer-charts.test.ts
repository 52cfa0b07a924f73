import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChartFilter, ChartQuery, ChartSpan } from '../../src/charts/chart.ts'
import { answerCharts } from '../../src/compare/answer-charts.ts'
import { ChartTables } from '../../src/compare/chart-tables.ts'
import { type FunnelRule, NEWEST_TRY } from '../../src/compare/chart-view.ts'
import { readDatasets } from '../../src/compare/read-datasets.ts'
import { eventsView } from '../../src/compare/views.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { oracle, sorted } from '../helpers/chart-oracle.ts'
import { partsByDay, writeDataset } from '../helpers/dataset.ts'
import type { TestEvent } from '../helpers/events.ts'
import { makeFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const PROPERTIES = ['plan', 'price', 'note']
const DAY = 86_400_000
// Clocks in New York go forward on 10 March 2024, and back on 3 November 2024.
const STARTS = [Date.UTC(2024, 1, 20), Date.UTC(2024, 9, 20)]
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']
const PLANS = ['free', 'pro', 'Pro plus', '', "o'clock", 'grüße "ß"', null, undefined, true, ['a', 1]]
const PRICES = [1, 2.5, '3', 'none', null, undefined, 1e3, -4, 0, '']
const NAMES = ['a', 'b', "c's"]

const random = seeded(seedOf('answers of charts'))
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const many = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

function history(count: number, start: number): TestEvent[] {
  const ids = many(12, (at) => `${at % 3 === 0 ? 'anon' : 'user'}-${at}`)
  const times = many(count, () => start + Math.floor(random() * 45 * DAY)).sort((a, b) => a - b)
  return times.map((at, n): TestEvent => {
    const join = random()
    const event =
      join < 0.02
        ? '$identify'
        : join < 0.025
          ? '$create_alias'
          : join < 0.03
            ? '$merge_dangerously'
            : pick(NAMES)
    const other = random() < 0.1 ? pick(['anonymous', '', 'null']) : pick(ids)
    return {
      uuid: `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`,
      event,
      distinct_id: pick(ids),
      timestamp: `${new Date(at).toISOString().slice(0, 23)}000Z`,
      properties: {
        plan: pick(PLANS),
        price: pick(PRICES),
        ...(event === '$identify' && { $anon_distinct_id: other }),
        ...((event === '$create_alias' || event === '$merge_dangerously') && { alias: other }),
        ...(random() < 0.05 && { $process_person_profile: false }),
      },
    }
  })
}

function filters(): ChartFilter[] {
  if (random() < 0.5) return []
  const property = pick(['plan', 'price'])
  const operator = pick(['is', 'is_not', 'contains', 'set', 'not_set', 'over', 'under'] as const)
  if (operator === 'set' || operator === 'not_set') return [{ property, operator, values: [] }]
  const isNumber = operator === 'over' || operator === 'under'
  const values = isNumber ? [pick(['0', '1', '2.5'])] : [pick(['free', 'pro', "o'clock", 'true']), 'ß']
  return [{ property: isNumber ? 'price' : property, operator, values }]
}

const events = () => ({ event: pick([...NAMES, null, 'never']), where: filters() })

function question(): ChartQuery {
  const kind = random()
  if (kind < 0.1) return { kind: 'people' }
  if (kind < 0.25)
    return {
      kind: 'funnel',
      steps: many(1 + Math.floor(random() * 3), events),
      windowDays: pick([0.5, 3, 20]),
    }
  if (kind < 0.4)
    return {
      kind: 'retention',
      start: events(),
      back: events(),
      period: pick(['day', 'week', 'month'] as const),
      periods: 4,
    }
  const measure = pick(['count', 'unique', 'sum', 'average'] as const)
  return {
    kind: 'series',
    ...events(),
    measure,
    property: measure === 'sum' || measure === 'average' ? 'price' : null,
    interval: pick(['day', 'week', 'month', 'whole'] as const),
    by: random() < 0.3 ? 'plan' : null,
  }
}

describe.each(STARTS)('histories from %d on', (start) => {
  const seen = history(400, start)
  let tables: ChartTables
  const [folder, work] = [makeFolder(), makeFolder()]
  beforeAll(async () => {
    await writeDataset(folder, partsByDay(seen))
    const store = new LocalStore(folder)
    tables = await ChartTables.open(work)
    const reading = { properties: PROPERTIES, signal: new AbortController().signal }
    await readDatasets(tables, [{ store, manifest: await readEventsManifest(store) }], reading)
  })
  afterAll(() => tables.close())

  const spans: ChartSpan[] = [
    { first: dayOf(start), last: dayOf(start + 44 * DAY) },
    { first: dayOf(start + 9 * DAY), last: dayOf(start + 30 * DAY) },
  ]
  const rules: FunnelRule[] = [
    NEWEST_TRY,
    { tries: 'first', ends: 'clip' },
    { tries: 'newest', ends: 'extend' },
    { tries: 'first', ends: 'extend' },
  ]
  test.each(spans)('charts of $first to $last are what a plain count says', async (span) => {
    for (const zone of ZONES) {
      const charts = many(16, (at) => ({ name: `chart ${at}`, query: question(), report: null }))
      const rule = pick(rules)
      const view = { ...eventsView(PROPERTIES, zone), rule }
      const found = await answerCharts(tables, view, { charts, span, properties: PROPERTIES })
      for (const { name, query } of charts)
        expect(sorted(found.get(name)!), JSON.stringify({ zone, rule, query })).toEqual(
          sorted(oracle(seen, query, { span, zone, rule })),
        )
    }
  })
})

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10)
}
