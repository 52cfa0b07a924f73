import type { DuckDBConnection } from '@duckdb/node-api'
import { PosthaulError } from '../errors.ts'

/** One node of a Parquet schema, as the file lists them: each before its children. */
interface Node {
  readonly name: string
  readonly children: readonly Node[]
}

/** A name and how many children it has. */
type Row = readonly [name: string, children: number]

/**
 * A query whose rows are the file's records as text of JSON, under the names that the file gives its columns.
 *
 * DuckDB finds columns by names without regard to case. It makes `id_1` of a second `id`, and of `ID` and `id`; and a
 * column takes a name away from the table, so that `to_json(t)` would be the column `t`. Here columns are named by their
 * places, and the file's names are nothing but text.
 *
 * It writes a decimal of up to 18 digits as a double, 10.50 as 10.5, or without the zero that JSON wants, .5; one of 38
 * digits as it is in the file. So all are made that wide.
 *
 * `source` is SQL for the rows, `schema` for their schema; `name` is the file's in messages. Code `input` where two values
 * would have one name.
 */
export async function parquetQuery(
  connection: DuckDBConnection,
  { source, schema, name }: { readonly source: string; readonly schema: string; readonly name: string },
): Promise<string> {
  const found = await connection.runAndReadAll(
    `SELECT name, coalesce(num_children, 0)::INTEGER FROM ${schema} ORDER BY column_id`,
  )
  const rows = found.getRows().map(([column, children]): Row => [String(column), Number(children)])
  const { children: columns } = treeOf(rows.values())
  refuseDoubled(columns, name)
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`)
  const types = described.getRows().map(([, type]) => String(type))
  if (types.length !== columns.length) {
    throw new PosthaulError(`${name} names ${columns.length} columns, and ${types.length} could be read`, {
      code: 'input',
    })
  }
  const members = columns.map(
    (column, place) => `${sqlLiteral(column.name)}, ${wideValue(`c${place}`, types[place]!)}`,
  )
  const places = columns.map((_, place) => `c${place}`)
  return `SELECT json_object(${members.join(', ')})::VARCHAR FROM ${source} AS file_rows(${places.join(', ')})`
}

/** SQL for a column's value with its decimals as wide as can be. Names in a type's text are in quotes. */
function wideValue(column: string, type: string): string {
  const wide = type.replaceAll(/"(?:[^"]|"")*"|DECIMAL\(\d+,(\d+)\)/g, (piece, scale: string | undefined) =>
    scale === undefined ? piece : `DECIMAL(38,${scale})`,
  )
  return wide === type ? column : `CAST(${column} AS ${wide})`
}

function treeOf(rows: Iterator<Row>): Node {
  const [name, count]: Row = rows.next().value ?? ['', 0]
  return { name, children: Array.from({ length: count }, () => treeOf(rows)) }
}

/** Within a struct DuckDB has no other name for a second member than `id_1`, which would be a property that nobody sent. */
function refuseDoubled(columns: readonly Node[], file: string): void {
  const same = doubled(columns, (name) => name)
  if (same) throw twice(file, 'columns', same)
  const look = (nodes: readonly Node[], path: string): void => {
    for (const { name, children } of nodes) {
      const inside = `${path}${name}`
      const clash = doubled(children, asDuckDB)
      if (clash) throw twice(file, `members in ${inside}`, clash)
      look(children, `${inside}.`)
    }
  }
  look(columns, '')
}

/** The first two names that are one by `fold`. */
function doubled(
  nodes: readonly Node[],
  fold: (name: string) => string,
): readonly [string, string] | undefined {
  const known = new Map<string, string>()
  for (const { name } of nodes) {
    const before = known.get(fold(name))
    if (before !== undefined) return [before, name]
    known.set(fold(name), name)
  }
  return undefined
}

/** DuckDB folds the letters of ASCII and no others. */
function asDuckDB(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function twice(file: string, what: string, [one, other]: readonly [string, string]): PosthaulError {
  const names =
    one === other
      ? `named ${JSON.stringify(one)}`
      : `that differ only in case, ${JSON.stringify(one)} and ${JSON.stringify(other)}`
  return new PosthaulError(`${file} has two ${what} ${names}`, {
    code: 'input',
    hint: 'rename one of them in the file: one of the two values would get a name that nobody gave it',
  })
}

/** A literal of SQL. */
export function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
