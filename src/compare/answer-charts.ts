import { type Chart, type ChartCell, type ChartSpan, MOST_VALUES, type SeriesChart } from '../charts/index.ts'
import type { ChartTables } from './chart-tables.ts'
import { type ChartView, literal, PropertyColumns, texts } from './chart-view.ts'
import { funnelSql } from './funnel-sql.ts'
import { retentionSql } from './retention-sql.ts'
import { PERIODS, wholePeriods, ZoneDays } from './zone-days.ts'

/** Cells by the chart's name. A chart whose span has no whole period has none. */
export type CellsByChart = ReadonlyMap<string, readonly ChartCell[]>

/** What is asked of a view. */
export interface ChartsAsked {
  readonly charts: readonly Chart[]
  readonly span: ChartSpan
  /** The columns of the view hold these, in this order. */
  readonly properties: readonly string[]
  /** By chart: the values that its rows are made for. Those of other charts are the most frequent ones. */
  readonly values?: ReadonlyMap<string, readonly string[]>
}

type SeriesOf = Chart & { readonly query: SeriesChart }

/** Answers charts from a view. Those that ask the same of different events are one query. */
export async function answerCharts(
  tables: ChartTables,
  view: ChartView,
  asked: ChartsAsked,
): Promise<CellsByChart> {
  const columns = new PropertyColumns(asked.properties)
  const cells = new Map<string, ChartCell[]>(asked.charts.map(({ name }) => [name, []]))
  const values = await topValues(tables, view, asked)
  const alike = new Map<string, SeriesOf[]>()
  for (const chart of asked.charts) {
    const { query } = chart
    if (query.kind !== 'series') {
      cells.set(chart.name, await otherCells(tables, view, { query, columns, span: asked.span }))
      continue
    }
    const { event, ...rest } = query
    const key = query.by !== null ? chart.name : JSON.stringify([event === null, rest])
    alike.set(key, [...(alike.get(key) ?? []), { ...chart, query }])
  }
  for (const charts of alike.values()) {
    const parts = { span: asked.span, columns, values: values.get(charts[0]!.name) ?? [] }
    const sql = seriesSql(charts, view, parts)
    if (sql === undefined) continue
    for (const [chart, at, by, value] of await tables.rows(sql)) {
      const cell = { at: String(at), by: by === null ? null : String(by), value: Number(value) }
      // Those of all events are one and the same chart.
      const those = chart === null ? charts : [charts[Number(chart)]!]
      for (const { name } of those) cells.get(name)!.push(cell)
    }
  }
  return cells
}

/**
 * By chart that is divided by a property: its most frequent values in the span; `` stands for events without it. Charts whose
 * values are known are not looked at.
 */
export async function topValues(
  tables: ChartTables,
  view: ChartView,
  { charts, span, properties, values = new Map() }: ChartsAsked,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const columns = new PropertyColumns(properties)
  const found = new Map(values)
  for (const { name, query } of charts) {
    if (query.kind !== 'series' || query.by === null || found.has(name)) continue
    const whole = wholePeriods(span, query.interval)
    const value = `coalesce(${columns.of(query.by)}, '')`
    const days = whole && new ZoneDays(whole, view.zone)
    const rows = await tables.rows(`
      SELECT ${value} AS value FROM (${view.rows})
      WHERE ${days ? days.within('instant') : 'false'} AND ${columns.condition(query, view)}
      GROUP BY value ORDER BY count(*) DESC, value LIMIT ${MOST_VALUES}`)
    const texts = rows.map(([text]) => String(text))
    found.set(name, texts)
  }
  return found
}

interface SeriesParts {
  readonly span: ChartSpan
  readonly columns: PropertyColumns
  readonly values: readonly string[]
}

/** SQL of rows (number of the chart, at, by, value), for charts that differ in their event only. */
function seriesSql(
  charts: readonly SeriesOf[],
  view: ChartView,
  { span, columns, values }: SeriesParts,
): string | undefined {
  const { event, where, measure, property, interval, by } = charts[0]!.query
  const whole = wholePeriods(span, interval)
  if (whole === undefined) return undefined
  const days = new ZoneDays(whole, view.zone)
  const at = interval === 'whole' ? `'whole'` : PERIODS[interval].first('day')
  const value = by === null ? 'NULL' : `coalesce(${columns.of(by)}, '')`
  const conditions = [days.within('instant'), ...where.map((filter) => columns.filter(filter))]
  if (by !== null) conditions.push(`${value} IN (${texts(values)})`)
  const named = charts.flatMap(({ query }, chart) =>
    query.event === null ? [] : view.names(query.event).map((name) => `(${chart}, ${literal(name)})`),
  )
  if (event !== null && named.length === 0) return undefined
  const asked =
    event === null ? '' : `JOIN (VALUES ${named.join(', ')}) asked(chart, asked_name) ON asked_name = name`
  return `
    SELECT chart, at_day, by_value, ${aggregate(measure, property, columns)} FROM (
      SELECT ${event === null ? 'NULL AS chart' : 'chart'}, ${at} AS at_day, ${value} AS by_value, v.* FROM (
        SELECT *, ${days.dayOf('instant')} AS day FROM (${view.rows}) WHERE ${conditions.join(' AND ')}
      ) v ${asked}
    ) GROUP BY ALL HAVING ${aggregate(measure, property, columns)} <> 0`
}

/** Sums are rounded, so that the order of addition shows in none. */
function aggregate(
  measure: SeriesChart['measure'],
  property: string | null,
  columns: PropertyColumns,
): string {
  if (measure === 'count') return 'count(*)'
  if (measure === 'unique') return 'count(DISTINCT person)'
  const number = `TRY_CAST(${columns.of(property!)} AS DOUBLE)`
  const sum = `fsum(${number}) FILTER (isfinite(${number}))`
  return measure === 'sum'
    ? `round(coalesce(${sum}, 0), 6)`
    : `round(coalesce(${sum} / nullif(count(${number}) FILTER (isfinite(${number})), 0), 0), 6)`
}

interface OtherParts {
  readonly query: Exclude<Chart['query'], SeriesChart>
  readonly columns: PropertyColumns
  readonly span: ChartSpan
}

async function otherCells(
  tables: ChartTables,
  view: ChartView,
  { query, columns, span }: OtherParts,
): Promise<ChartCell[]> {
  const sql =
    query.kind === 'people'
      ? `SELECT 'whole', count(DISTINCT person) FROM (${view.rows}) WHERE NOT personless`
      : query.kind === 'funnel'
        ? funnelSql(query, view, { columns, span })
        : retentionSql(query, view, { columns, span })
  const rows = sql === undefined ? [] : await tables.rows(sql)
  const cells = rows.map(([at, value]) => ({ at: String(at), by: null, value: Number(value) }))
  return cells.filter(({ value }) => value !== 0)
}
