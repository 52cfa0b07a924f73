import { z } from 'zod'
import type { Chart, ChartSpan, SeriesChart } from '../charts/index.ts'
import type { Api } from './api.ts'
import { seriesParts, wholeAnswer } from './chart-queries.ts'
import { ofImports } from './event-filter.ts'
import { askRows, countCell, MAX_ROWS, sqlText } from './query.ts'

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

interface AskedSeries {
  readonly name: string
  readonly query: SeriesChart
}

// Vendors reuse their ids: only all three tell an event.
const EVENT = "concat(toString(uuid), '|', event, '|', distinct_id)"
const WHAT = 'the senders of charts'
const row = z.tuple([z.string(), z.string(), z.string().nullable(), countCell, countCell, countCell])

/** Splits the cells of counts and of unique people into who sent their events, by the chart's name. */
export async function arrivedCharts(
  api: Api,
  projectId: string,
  { charts, ...asked }: AskedCharts,
): Promise<Map<string, ArrivedChartCell[]>> {
  const cells = new Map<string, ArrivedChartCell[]>()
  const groups = alike(charts)
  for (let group = groups.shift(); group; group = groups.shift()) {
    const query = arrivedQuery(group, asked)
    const rows = query === undefined ? [] : await askRows(api, projectId, { query, what: WHAT, row })
    if (rows.length >= MAX_ROWS && group.length > 1) {
      const half = Math.ceil(group.length / 2)
      groups.push(group.slice(0, half), group.slice(half))
      continue
    }
    for (const { name, query } of group) {
      const own = wholeAnswer(rows, WHAT).filter(([event]) => event === (query.event ?? ''))
      cells.set(
        name,
        own.map(([, at, by, all, once, ours]) => {
          return { at, by, ours, others: once - ours, doubled: all - once }
        }),
      )
    }
  }
  return cells
}

/** Charts that ask the same of different names are one question: the service takes few queries an hour. */
function alike(charts: readonly Chart[]): (readonly AskedSeries[])[] {
  const groups = new Map<string, AskedSeries[]>()
  for (const { name, query } of charts) {
    if (query.kind !== 'series' || (query.measure !== 'count' && query.measure !== 'unique')) continue
    const { event, ...rest } = query
    // The most frequent values of a property are those of one name.
    const key = JSON.stringify(event === null || query.by !== null ? query : rest)
    groups.set(key, [...(groups.get(key) ?? []), { name, query }])
  }
  return [...groups.values()]
}

/** Undefined where no whole bucket lies in the span. */
function arrivedQuery(
  group: readonly AskedSeries[],
  { span, importIds, zone }: Omit<AskedCharts, 'charts'>,
): string | undefined {
  const { query } = group[0]!
  const names = [...new Set(group.flatMap(({ query }) => query.event ?? []))]
  const parts = seriesParts(names.length > 1 ? { ...query, event: null } : query, span, zone)
  if (!parts) return undefined
  const what = query.measure === 'count' ? EVENT : 'person_id'
  const all = query.measure === 'count' ? 'count()' : `uniqExact(${what})`
  const ours = importIds.length === 0 ? 'false' : `ifNull(${ofImports(importIds, false)}, false)`
  const among = names.length > 1 ? ` AND event IN (${names.map(sqlText).join(', ')})` : ''
  return (
    `SELECT ${query.event === null ? "''" : 'event'} AS name, ${parts.place} AS place, ${parts.value} AS value, ` +
    `${all}, uniqExact(${what}), uniqExactIf(${what}, ${ours}) ` +
    `FROM events WHERE ${parts.where}${among} GROUP BY name, place, value LIMIT ${MAX_ROWS}`
  )
}
