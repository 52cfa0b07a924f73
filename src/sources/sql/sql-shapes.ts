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
}

/** What a shape is looked for in. */
export interface ShapeCall {
  readonly database: Database
  readonly schema: string | undefined
  /** What the user restricts it to, such as a site. The shape says what it cannot do without. */
  readonly only: readonly Only[]
  readonly signal: AbortSignal
}

/** A vendor's tables in a database, as its own software or its loader makes them. */
export interface Shape {
  /** The word of `--like`. */
  readonly name: string
  /** Commands that can have it: `postgres`, `bigquery`. */
  readonly engines: readonly string[]
  /** The preset that reads its rows. */
  readonly preset: string | undefined
  /** Whether the tables of a schema are of this shape: by their names alone. */
  fits(tables: readonly TableInfo[]): boolean
  /** What is read. Code `config` where a table is missing, or a restriction. */
  readings(call: ShapeCall): Promise<readonly SqlReading[]>
}

export const SHAPES: readonly Shape[] = []

export const SHAPE_NAMES = SHAPES.map(({ name }) => name)

export function shapeNamed(name: string): Shape {
  const shape = SHAPES.find((one) => one.name === name)
  if (shape === undefined) throw new RangeError(`no shape is called ${name}`)
  return shape
}
