import type { DuckDBConnection } from '@duckdb/node-api'
import { sum } from '../../../text/index.ts'
import { all, eventsOf, LOCAL, propertyNumber, propertyText, since } from './conditions.ts'
import type { EventsNode, TrendsQuery } from './form.ts'
import { bucketOf, bucketSql, buckets, type Calendar } from './project-days.ts'

const OTHER = '$$_posthog_breakdown_other_$$'
const NONE = '$$_posthog_breakdown_null_$$'

/** The numbers of one value of the property that a series is divided by, bucket by bucket; `by` is undefined without one. */
interface Row {
  readonly by: string | undefined
  readonly data: readonly number[]
}

/** Answers a TrendsQuery. */
export async function answerTrends(connection: DuckDBConnection, query: TrendsQuery, calendar: Calendar) {
  const { interval, breakdownFilter } = query
  const { date_from, date_to } = query.dateRange
  const days = isTotal(query) ? undefined : buckets(date_from, date_to, interval, calendar)
  const results: object[] = []
  let hasMore = false
  for (const [order, node] of query.series.entries()) {
    let rows = await rowsOf(connection, await seriesSql(node, query, calendar), days ?? [TOTAL])
    if (breakdownFilter) {
      hasMore ||= rows.length > breakdownFilter.breakdown_limit
      rows = ranked(rows, breakdownFilter.breakdown_limit)
    } else if (rows.length === 0) {
      // Without a breakdown there is a row also where there is no event.
      rows = [{ by: undefined, data: (days ?? [TOTAL]).map(() => 0) }]
    }
    for (const row of rows) results.push(shown(row, node, order, days))
  }
  return { results, hasMore }
}

const AGGREGATES = {
  total: 'count(*)',
  dau: 'count(DISTINCT person_id)',
  sum: 'coalesce(sum(value), 0)',
  avg: 'coalesce(avg(value), 0)',
}

/** The only bucket of one number over the whole range. */
const TOTAL = ''

function isTotal({ trendsFilter }: TrendsQuery): boolean {
  return trendsFilter?.display === 'BoldNumber'
}

/** A query for the number of each bucket and value of the breakdown. */
async function seriesSql(node: EventsNode, query: TrendsQuery, calendar: Calendar): Promise<string> {
  const { interval, dateRange, breakdownFilter } = query
  const { date_from, date_to } = dateRange
  const where = all([
    // By months the first one counts whole, by weeks only from the first day on.
    since(interval === 'month' && !isTotal(query) ? bucketOf(date_from, interval, calendar) : date_from),
    // The end is a text in whole seconds: what happens in the fraction after it doesn't count.
    `${LOCAL} <= TIMESTAMP '${date_to} 23:59:59'`,
    await eventsOf(node),
    await eventsOf({ event: null, properties: query.properties }),
  ])
  const value = node.math_property ? propertyNumber(node.math_property) : 'NULL'
  const by = breakdownFilter
    ? `coalesce(nullif(${propertyText(breakdownFilter.breakdown)}, ''), '${NONE}')`
    : 'NULL'
  const at = isTotal(query) ? `'${TOTAL}'` : bucketSql(LOCAL, interval, calendar)
  return `SELECT bucket, split, CAST(${AGGREGATES[node.math]} AS DOUBLE) FROM (
    SELECT ${at} AS bucket, ${by} AS split, person_id, ${value} AS value FROM events WHERE ${where}
  ) GROUP BY bucket, split`
}

async function rowsOf(connection: DuckDBConnection, sql: string, days: readonly string[]): Promise<Row[]> {
  const places = new Map(days.map((day, place) => [day, place]))
  const rows = new Map<string | undefined, number[]>()
  for (const [day, key, number] of (await connection.runAndReadAll(sql)).getRows()) {
    const by = key === null ? undefined : String(key)
    const data = rows.get(by) ?? days.map(() => 0)
    data[places.get(String(day))!] = Number(number)
    rows.set(by, data)
  }
  return [...rows].map(([by, data]) => ({ by, data }))
}

/** The largest come first, those without a value after all others; what is beyond the limit is added up. */
function ranked(rows: readonly Row[], limit: number): Row[] {
  const order = [...rows].sort(
    (a, b) =>
      Number(a.by === NONE) - Number(b.by === NONE) ||
      sum(b.data) - sum(a.data) ||
      (String(a.by) < String(b.by) ? -1 : 1),
  )
  const rest = order.slice(limit)
  if (rest.length === 0) return order
  const data = rest[0]!.data.map((_, at) => sum(rest.map((row) => row.data[at]!)))
  return [...order.slice(0, limit), { by: OTHER, data }]
}

/** A row as the service writes it; `days` is undefined for a total. */
function shown(
  { by, data }: Row,
  node: EventsNode,
  order: number,
  days: readonly string[] | undefined,
): object {
  const { event = null, math, math_property = null, custom_name = null, properties } = node
  const name = event ?? 'All events'
  const action = { id: event, type: 'events', order, name, custom_name, math, math_property, properties }
  const row = { action, label: by ?? name, order, ...(by !== undefined && { breakdown_value: by }) }
  if (!days) return { ...row, aggregated_value: data[0], data: [], days: [], labels: [], count: 0 }
  return { ...row, data, days, labels: days.map(labelOf), count: sum(data) }
}

/** `1-Oct-2026`. */
function labelOf(day: string): string {
  const date = new Date(day)
  const month = date.toLocaleString('en', { month: 'short', timeZone: 'UTC' })
  return `${date.getUTCDate()}-${month}-${date.getUTCFullYear()}`
}
