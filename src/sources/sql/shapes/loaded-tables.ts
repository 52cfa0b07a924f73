import { PosthaulError } from '../../../errors.ts'
import type { TableInfo } from '../database.ts'
import { columnNames, type ShapeCall, type SqlReading, type SqlShape, tableReading } from '../sql-shape.ts'

/** Warehouses whose tables a loader fills. */
const WAREHOUSES = ['postgres', 'mysql', 'clickhouse', 'bigquery']

/** Which of a schema's tables are read, and by which column. */
interface Loaded {
  /** The column of arrival; a table without it is read whole. */
  readonly time: string
  /** A table without this column is none of them. */
  readonly has?: string
  /** Tables that are read whole, whatever columns they have. */
  readonly whole?: RegExp
  readonly skips: (table: TableInfo) => boolean
}

/** A schema for each source, a table for each event: Segment, RudderStack, Hightouch. */
export function segmentLike(name: string): SqlShape {
  return {
    name,
    engines: WAREHOUSES,
    preset: 'segment-warehouse',
    fits: (tables) => hasAll(tables, 'tracks', 'identifies'),
    readings: (call) =>
      tablesBy(call, {
        time: 'received_at',
        // A view shows rows of tables again; rudder_discards has what did not fit a column.
        skips: ({ name: table, isView }) => isView || /^rudder_discards$/i.test(table),
      }),
  }
}

/** Heap, of Contentsquare: a table for each label, and what joins to them. */
export const HEAP: SqlShape = {
  name: 'heap',
  engines: WAREHOUSES,
  preset: 'heap',
  fits: (tables) => hasAll(tables, 'sessions', 'pageviews', 'users'),
  readings: (call) =>
    tablesBy(call, {
      time: 'time',
      // A user who was moved later was the same one before: rows of any window are joined to all of it.
      whole: /^user_migrations$/i,
      // all_events repeats the others; tables that end with _raw hold duplicates, which the views of their names don't.
      skips: ({ name }) => /^all_events$|^_event_metadata$|_raw$/i.test(name),
    }),
}

/** Snowplow: `atomic.events`, by the collector's time, which no row lacks. */
export const SNOWPLOW: SqlShape = {
  name: 'snowplow',
  engines: WAREHOUSES,
  preset: 'snowplow',
  fits: (tables) => hasAll(tables, 'events') && tables.some(({ schema }) => schema === 'atomic'),
  readings: (call) =>
    tablesBy(
      { ...call, schema: call.schema ?? 'atomic' },
      { time: 'collector_tstamp', has: 'collector_tstamp', skips: ({ name }) => !/^events$/i.test(name) },
    ),
}

/** Statsig's Warehouse Exports: tables that their owner names. */
export const STATSIG: SqlShape = {
  name: 'statsig',
  engines: WAREHOUSES,
  preset: 'statsig',
  fits: (tables) => tables.some(({ name }) => /statsig/i.test(name)),
  readings: (call) => tablesBy(call, { time: 'timestamp', has: 'event_name', skips: () => false }),
}

function hasAll(tables: readonly TableInfo[], ...names: readonly string[]): boolean {
  return names.every((name) => tables.some((table) => table.name.toLowerCase() === name))
}

async function tablesBy(
  call: ShapeCall,
  { time, has, whole, skips }: Loaded,
): Promise<readonly SqlReading[]> {
  const { database, schema, signal } = call
  const readings: SqlReading[] = []
  for (const table of await database.tables(schema, signal)) {
    if (skips(table)) continue
    const columns = await columnNames(call, table)
    const named = (wanted: string) => columns.find((name) => name.toLowerCase() === wanted)
    if (has !== undefined && named(has) === undefined) continue
    readings.push(tableReading(table, whole?.test(table.name) ? undefined : named(time)))
  }
  if (readings.length > 0) return readings
  throw new PosthaulError(`${schema ?? 'the database'} has no such tables`, {
    code: 'config',
    hint: 'name their schema: --schema; --list shows what is there',
  })
}
