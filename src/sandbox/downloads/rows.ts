import { LOG_TABLE } from '../store/schema.ts'
import type { Format, Order } from './order.ts'

const DAY = 86_400_000_000n
/** Intervals that begin longer ago than this are also bound by the time of the event. */
const RECENT = 8n * DAY
const BEFORE = 7n * DAY
const AFTER = DAY

/** A statement that finds the rows of an order. `now`: microseconds since the epoch. */
export function rowsOf(order: Order, projectId: number, now: bigint): string {
  return order.model === 'events' ? eventRows(order, now) : personRows(order, projectId)
}

function eventRows({ start, end, include, exclude, format }: Order, now: bigint): string {
  const conditions = [within('created_at', start, end)]
  if (start < now - RECENT) conditions.push(within('timestamp', start - BEFORE, end + AFTER))
  if (include.length > 0) conditions.push(`event IN (${include.map(literal).join(', ')})`)
  if (exclude.length > 0) conditions.push(`event NOT IN (${exclude.map(literal).join(', ')})`)
  const { time, json } = COLUMNS[format]
  return `SELECT CAST(uuid AS VARCHAR) AS uuid, event, distinct_id,
      CAST(person_id AS VARCHAR) AS person_id,
      ${json('properties')} AS properties, ${json('person_properties')} AS person_properties, elements_chain,
      ${time('timestamp')} AS timestamp, ${time('created_at')} AS created_at, ${time('created_at')} AS _inserted_at
    FROM events WHERE ${conditions.join(' AND ')}`
}

/** A row a distinct id, of every person that changed in the interval. */
function personRows({ start, end, format }: Order, projectId: number): string {
  const { time, json } = COLUMNS[format]
  return `WITH changes AS (
      SELECT d.person_id, count(*) AS version, timezone('UTC', coalesce(max(received_at) FILTER (
        copies OR set_fields IS NOT NULL OR set_once_fields IS NOT NULL OR joins IS NOT NULL
      ), min(received_at))) AS changed_at
      FROM ${LOG_TABLE} JOIN person_distinct_ids d USING (distinct_id) WHERE profile GROUP BY d.person_id
    )
    SELECT ${projectId} AS team_id, d.distinct_id, CAST(d.person_id AS VARCHAR) AS person_id,
      ${json('p.properties')} AS properties, 0 AS person_distinct_id_version, c.version AS person_version,
      ${time('p.created_at')} AS created_at, ${time('c.changed_at')} AS _inserted_at, false AS is_deleted
    FROM person_distinct_ids d JOIN persons p ON p.id = d.person_id JOIN changes c ON c.person_id = d.person_id
    WHERE ${within('c.changed_at', start, end)}`
}

interface Columns {
  readonly time: (column: string) => string
  readonly json: (column: string) => string
}

/** Parquet has times, and JSON as text. A line of JSON has times as text, and JSON as it is. */
const COLUMNS: Readonly<Record<Format, Columns>> = {
  Parquet: {
    time: (column) => column,
    json: (column) => `CAST(coalesce(${column}, '{}') AS VARCHAR)`,
  },
  JSONLines: {
    time: (column) =>
      `replace(strftime(timezone('UTC', ${column}), '%Y-%m-%dT%H:%M:%S.%f+00:00'), '.000000+', '+')`,
    json: (column) => `CAST(coalesce(${column}, '{}') AS JSON)`,
  },
}

function within(column: string, start: bigint, end: bigint): string {
  return `epoch_us(${column}) >= ${start} AND epoch_us(${column}) < ${end}`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
