import type { Window } from '../window.ts'
import type { Database, Only, Relation, TableInfo, TablePath } from './database.ts'

/** What is read of a database under one name. */
export interface SqlReading {
  readonly relation: Relation
  /** The table in the names of parts, by which presets know it. */
  readonly table: string
  /** The column that windows go by; undefined for what is read whole. */
  readonly time?: string | undefined
  /** The unique key in whose order a whole table is read. */
  readonly key?: string | undefined
  /** The one window that a whole table holds, as each day's of GA4 does. */
  readonly holds?: Window
}

/** What a shape is looked for in, and how it is cut. */
export interface ShapeCall {
  readonly database: Database
  readonly schema: string | undefined
  /** Undefined without `--from`. */
  readonly windows: readonly Window[] | undefined
  readonly only: readonly Only[]
  /** Values of a key in a part; VALUES_IN_RANGE where it is not said. */
  readonly rowsPerPart: number | undefined
  readonly signal: AbortSignal
}

/** A vendor's tables in a database, as its own software or its loader makes them. */
export interface SqlShape {
  /** The word of `--like`. */
  readonly name: string
  /** Commands that can have it: `postgres`, `bigquery`. */
  readonly engines: readonly string[]
  /** The preset that reads its rows. */
  readonly preset: string | undefined
  /** Whether the tables of a schema are of this shape: by their names alone. */
  fits(tables: readonly TableInfo[]): boolean
  /** What is read. Code `config` where nothing of the shape is there. */
  readings(call: ShapeCall): Promise<readonly SqlReading[]>
}

/** A table that is read by windows of a column, or whole. */
export function tableReading({ schema, name }: TablePath, time?: string): SqlReading {
  return { relation: { kind: 'table', schema, name }, table: name, time }
}

/** A SELECT, under the name of the table that its rows stand for. */
export function queryReading(table: string, text: string): SqlReading {
  return { relation: { kind: 'query', name: table, text }, table }
}

export async function columnNames(
  { database, signal }: Pick<ShapeCall, 'database' | 'signal'>,
  path: TablePath,
): Promise<string[]> {
  return (await database.columns(tableReading(path).relation, signal)).map(({ name }) => name)
}
