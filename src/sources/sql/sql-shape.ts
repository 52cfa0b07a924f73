import type { Window } from '../window.ts'
import type { Database, Only, Relation, TableInfo } from './database.ts'

/** What is read of a database under one name. */
export interface SqlReading {
  readonly relation: Relation
  /** The table in the names of parts, by which presets know it. */
  readonly table: string
  /** The column that windows go by; undefined for what is read whole. */
  readonly time: string | undefined
  /** The unique key in whose order a whole table is read. */
  readonly key: string | undefined
  /** The one window that a whole table holds, as each day's of GA4 does. */
  readonly holds?: Window
}

/** What a shape is looked for in. */
export interface ShapeCall {
  readonly database: Database
  readonly schema: string | undefined
  /** Undefined without `--from`. */
  readonly windows: readonly Window[] | undefined
  readonly only: readonly Only[]
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
