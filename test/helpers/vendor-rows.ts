import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** A row as texts and JSON values, by its columns; null where there is nothing. */
export type VendorRow = Readonly<Record<string, unknown>>

/** The rows of a fixture: CSV by DuckDB, every cell text and an empty one null; else JSON lines, whatever it is called. */
export async function fixtureRows(path: string): Promise<readonly VendorRow[]> {
  const file = new URL(`../../fixtures/${path}`, import.meta.url).pathname
  if (extname(file) !== '.csv') {
    const lines = readFileSync(file, 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line) as VendorRow)
  }
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(`SELECT * FROM read_csv('${file}', all_varchar = true)`)
  const rows = read.getRowObjectsJson() as VendorRow[]
  instance.closeSync()
  return rows
}

/** How a server writes names and types. */
export interface TableForm {
  readonly quote: '"' | '`'
  /** What comes after the columns: `ENGINE = MergeTree ORDER BY tuple()`. */
  readonly tail?: string
}

/** Statements that make a table and fill it. Columns that `types` lacks are not stored; a value that is no text is JSON. */
export function tableSql(
  table: string,
  types: Readonly<Record<string, string>>,
  rows: readonly VendorRow[],
  { quote, tail = '' }: TableForm,
): readonly string[] {
  const names = Object.keys(types)
  const quoted = names.map((name) => `${quote}${name}${quote}`)
  const values = rows.map((row) => `(${names.map((name) => literal(row[name])).join(', ')})`)
  const columns = names.map((name, at) => `${quoted[at]} ${types[name]}`)
  const make = `CREATE TABLE ${table} (${columns.join(', ')}) ${tail}`
  if (rows.length === 0) return [make]
  return [make, `INSERT INTO ${table} (${quoted.join(', ')}) VALUES ${values.join(', ')}`]
}

/** The types of columns of which all but a few are alike. */
export function typesOf(
  rows: readonly VendorRow[],
  usual: string,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const names = new Set(rows.flatMap((row) => Object.keys(row)))
  return Object.fromEntries([...names].map((name) => [name, others[name] ?? usual]))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `'${text.replaceAll("'", "''")}'`
}
