import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChartSpan } from '../../src/charts/chart.ts'
import { answerCharts } from '../../src/compare/answer-charts.ts'
import { ChartTables } from '../../src/compare/chart-tables.ts'
import { type FunnelRule, NEWEST_TRY } from '../../src/compare/chart-view.ts'
import { readDatasets } from '../../src/compare/read-datasets.ts'
import { eventsView } from '../../src/compare/views.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { oracle, sorted } from '../helpers/chart-oracle.ts'
import { partsByDay, writeDataset } from '../helpers/dataset.ts'
import { makeFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { CHART_PROPERTIES, chartMaker } from '../helpers/random-charts.ts'
import { seedOf } from '../helpers/seed.ts'

const DAY = 86_400_000
// Clocks in New York go forward on 10 March 2024, and back on 3 November 2024.
const STARTS = [Date.UTC(2024, 1, 20), Date.UTC(2024, 9, 20)]
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland']
const { history, question, pick, many } = chartMaker(seeded(seedOf('answers of charts')))

describe.each(STARTS)('histories from %d on', (start) => {
  const seen = history(400, start)
  let tables: ChartTables
  const [folder, work] = [makeFolder(), makeFolder()]
  beforeAll(async () => {
    await writeDataset(folder, partsByDay(seen))
    const store = new LocalStore(folder)
    tables = await ChartTables.open(work)
    const reading = { properties: CHART_PROPERTIES, signal: new AbortController().signal }
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
    { tries: 'newest', ends: 'extend', returns: 'rolling' },
  ]
  test.each(spans)('charts of $first to $last are what a plain count says', async (span) => {
    for (const zone of ZONES) {
      const charts = many(16, (at) => ({ name: `chart ${at}`, query: question(), report: null }))
      const rule = pick(rules)
      const view = { ...eventsView(CHART_PROPERTIES, zone), rule }
      const found = await answerCharts(tables, view, { charts, span, properties: CHART_PROPERTIES })
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
