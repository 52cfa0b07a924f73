import { z } from 'zod'
import type { Chart, ChartSpan, SeriesChart } from '../charts/index.ts'
import type { Api } from './api.ts'
import { seriesParts } from './chart-queries.ts'
import { ofImports } from './event-filter.ts'
import { askRows, countCell, MAX_ROWS } from './query.ts'

/**
 * What a cell of a chart is made of in the service: its number is `ours` + `others` + `doubled`. `ours`: of events that carry one of
 * the ids, each once. `others`: what other events add. `doubled`: what counts more than once, because copies are not
 * merged yet or are there under several times; people are never doubled.
 */
export interface ArrivedChartCell {
  readonly at: string
  readonly by: string | null
  readonly ours: number
  readonly others: number
  readonly doubled: number
}

interface AskedCharts {
  /** Those that are no count or unique series are left out. */
  readonly charts: readonly Chart[]
  readonly span: ChartSpan
  /** The values of `$import_job_id` that are ours. */
  readonly importIds: readonly string[]
  /** The project's time zone. */
  readonly zone: string
}

// Vendors reuse their ids: only all three tell an event.
const EVENT = "concat(toString(uuid), '|', event, '|', distinct_id)"
const row = z.tuple([z.string(), z.string().nullable(), countCell, countCell, countCell])

/** Splits the cells of counts and of unique people into who sent their events, by the chart's name. */
export async function arrivedCharts(
  api: Api,
  projectId: string,
  { charts, span, importIds, zone }: AskedCharts,
): Promise<Map<string, ArrivedChartCell[]>> {
  const ours = importIds.length === 0 ? 'false' : `ifNull(${ofImports(importIds, false)}, false)`
  const cells = new Map<string, ArrivedChartCell[]>()
  for (const { name, query } of charts) {
    if (query.kind !== 'series' || (query.measure !== 'count' && query.measure !== 'unique')) continue
    const sql = arrivedQuery(query, span, zone, ours)
    const asked = { query: sql ?? '', what: `the senders of the chart "${name}"`, row }
    const rows = sql === undefined ? [] : await askRows(api, projectId, asked)
    cells.set(
      name,
      rows.map(([at, by, all, once, own]) => ({
        at,
        by,
        ours: own,
        others: once - own,
        doubled: all - once,
      })),
    )
  }
  return cells
}

function arrivedQuery(chart: SeriesChart, span: ChartSpan, zone: string, ours: string): string | undefined {
  const parts = seriesParts(chart, span, zone)
  if (!parts) return undefined
  const what = chart.measure === 'count' ? EVENT : 'person_id'
  const all = chart.measure === 'count' ? 'count()' : `uniqExact(${what})`
  return (
    `SELECT ${parts.place} AS place, ${parts.value} AS value, ${all}, uniqExact(${what}), uniqExactIf(${what}, ${ours}) ` +
    `FROM events WHERE ${parts.where} GROUP BY place, value LIMIT ${MAX_ROWS}`
  )
}
