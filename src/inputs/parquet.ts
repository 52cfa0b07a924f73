import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { DuckDBConnection } from '@duckdb/node-api'
import { loadDuckDB } from '../duckdb.ts'
import { PosthaulError } from '../errors.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { MAX_LINE_BYTES } from '../record/lines.ts'
import { fileError } from '../store/file-error.ts'
import { isS3 } from '../store/s3-location.ts'
import type { InputFile } from './input-file.ts'
import { type ByteProgress, openBytes } from './open-bytes.ts'
import { type RecordSink, withNulls } from './record-sink.ts'

interface ParquetOptions {
  readonly maxLineBytes?: number
  readonly progress?: ByteProgress
  readonly stop?: AbortSignal
}

const SETTINGS = {
  // One thread keeps the rows in the file's order; transform reads several files at once by itself.
  threads: '1',
  memory_limit: '2GB',
  // The built-in extensions are enough. One from the user's disk would apply the machine's time zone.
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
}

const LINE_END = Buffer.of(0x0a)

/**
 * Reads the rows of a Parquet file, each as one line of JSON: integers and decimals with all their digits, nested
 * values as JSON, times as text in UTC, bytes as text. Columns that hold JSON text stay strings: presets say which of them to unpack.
 * NaN and infinities are as Python's JSON has them: `PythonJsonSink` makes them null. Line numbers are row numbers.
 */
export async function readParquet(
  input: InputFile,
  sink: RecordSink,
  { maxLineBytes = MAX_LINE_BYTES, progress, stop }: ParquetOptions,
): Promise<void> {
  const local = await localFile(input)
  let row = 0
  let told = 0
  try {
    for await (const { lines, total } of parquetRows(local.path, input.path)) {
      for (const line of lines) {
        if (line.length > maxLineBytes) sink.tooLong(row, line.length, row + 1)
        else sink.line(line, 0, line.length, row, row + 1)
        row++
      }
      const done = Math.floor((input.size * row) / Math.max(1, total))
      progress?.(done - told)
      told = done
      if (stop?.aborted) break
    }
  } finally {
    await local.release()
  }
}

/** The rows of a Parquet file as NDJSON, in the form of `readParquet`, with null for NaN and infinities. */
export async function* parquetLines(input: InputFile): AsyncGenerator<Buffer> {
  const local = await localFile(input)
  const out = new ByteWriter()
  const finite = (line: Buffer) =>
    withNulls(line, out) > 0 ? Buffer.from(out.bytes.subarray(0, out.length)) : line
  try {
    for await (const { lines } of parquetRows(local.path, input.path))
      yield Buffer.concat(lines.flatMap((line) => [finite(line), LINE_END]))
  } finally {
    await local.release()
  }
}

/** The rows of a file, some thousand at a time, and how many there are in all. `name` is the file's in messages. */
async function* parquetRows(
  path: string,
  name: string,
): AsyncGenerator<{ readonly lines: readonly Buffer[]; readonly total: number }> {
  const { DuckDBInstance } = await loadDuckDB(`${name} is Parquet, which needs`)
  const instance = await DuckDBInstance.create(':memory:', SETTINGS)
  try {
    const connection = await instance.connect()
    // Else it writes instants in the zone of the machine.
    await connection.run("SET TimeZone = 'UTC'")
    const file = `read_parquet(${sqlLiteral(path)}, hive_partitioning = false)`
    const schema = `parquet_schema(${sqlLiteral(path)})`
    const query = await reading(name, parquetQuery(connection, { source: file, schema, name }))
    const counted = await reading(name, connection.runAndReadAll(`SELECT count(*)::DOUBLE FROM ${file}`))
    const total = Number(counted.getRows()[0]?.[0] ?? 0)
    const result = await reading(name, connection.stream(query))
    let rows = 0
    for (;;) {
      const chunk = await reading(name, result.fetchChunk())
      if (!chunk || chunk.rowCount === 0) break
      const lines = chunk.getColumnValues(0).map((value) => Buffer.from(withZeros(String(value))))
      rows += lines.length
      yield { lines, total }
    }
    if (rows < total) {
      throw new PosthaulError(`${name} says it has ${total} rows, and ${rows} could be read`, {
        code: 'input',
      })
    }
  } finally {
    instance.closeSync()
  }
}

/** A decimal of 38 digits below one lacks the zero that JSON wants. */
function withZeros(json: string): string {
  if (!/[^\d]\.\d{38}/.test(json)) return json
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|(?<!\d)\.\d{38}/g, (token) =>
    token[0] === '.' ? `0${token}` : token,
  )
}

/** The reader needs a plain file on this machine, with a name that is no pattern. */
async function localFile(input: InputFile): Promise<{ readonly path: string; release(): Promise<void> }> {
  const plain = !isS3(input.path) && input.member === undefined && input.compression === 'none'
  if (plain && !/[*?[\]]/.test(input.path)) return { path: input.path, release: async () => {} }
  const folder = await mkdtemp(join(tmpdir(), 'posthaul-parquet-')).catch((error: unknown) => {
    throw fileError(error, 'make a folder in', tmpdir())
  })
  const path = join(folder, 'rows.parquet')
  try {
    await pipeline(openBytes(input), createWriteStream(path, { flags: 'wx' }))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw fileError(error, 'write', path)
  }
  return { path, release: () => rm(folder, { recursive: true, force: true }) }
}

/** An error of the database is a fault of the file; an error of a sink passes through. */
async function reading<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof PosthaulError) throw cause
    throw new PosthaulError(`${path} cannot be read as Parquet: ${(cause as Error).message.split('\n')[0]}`, {
      code: 'input',
      hint: 'fetch or copy the file again; nothing was made from it',
      cause,
    })
  }
}

/** One node of a Parquet schema, as the file lists them: each before its children. */
interface Node {
  readonly name: string
  readonly children: readonly Node[]
  /** True where a time in it is of the old form, which means UTC. DuckDB takes it for one without a zone. */
  readonly isUtc: boolean
}

type Row = readonly [name: string, children: number, isUtc: boolean]

/**
 * A query whose rows are the file's records as text of JSON, under the names that the file gives its columns.
 *
 * DuckDB finds columns by names without regard to case. It makes `id_1` of a second `id`, and of `ID` and `id`; and a
 * column takes a name away from the table, so that `to_json(t)` would be the column `t`. Here columns are named by their
 * places, and the file's names are nothing but text.
 *
 * It writes a decimal of up to 18 digits as a double, 10.50 as 10.5, or without the zero that JSON wants, .5; one of 38
 * digits as it is in the file. So all are made that wide. A 32-bit float it writes as a double, 0.1 as 0.10000000149011612.
 *
 * `source` is SQL for the rows, `schema` for their schema; `name` is the file's in messages. Code `input` where two values
 * would have one name.
 */
async function parquetQuery(
  connection: DuckDBConnection,
  { source, schema, name }: { readonly source: string; readonly schema: string; readonly name: string },
): Promise<string> {
  const found = await connection.runAndReadAll(
    `SELECT name, coalesce(num_children, 0)::INTEGER, starts_with(converted_type, 'TIMESTAMP') AND logical_type IS NULL
     FROM ${schema} ORDER BY column_id`,
  )
  const rows = found
    .getRows()
    .map(([column, children, isUtc]): Row => [String(column), Number(children), isUtc === true])
  const { children: columns } = treeOf(rows.values())
  refuseDoubled(columns, name)
  const described = await connection.runAndReadAll(`DESCRIBE SELECT * FROM ${source}`)
  const types = described.getRows().map(([, type]) => String(type))
  if (types.length !== columns.length) {
    throw new PosthaulError(`${name} names ${columns.length} columns, and ${types.length} could be read`, {
      code: 'input',
    })
  }
  const places = columns.map((_, place) => `c${place}`)
  const members = columns.map(({ name, isUtc }, place) => ({
    name,
    value: exactValue(places[place]!, types[place]!, isUtc),
    isJson: types[place] === 'JSON',
  }))
  const from = `FROM ${source} AS file_rows(${places.join(', ')})`
  if (!types.includes('JSON')) {
    const all = members.map(({ name, value }) => `${sqlLiteral(name)}, ${value}`)
    return `SELECT json_object(${all.join(', ')})::VARCHAR ${from}`
  }
  // Within an object DuckDB would write JSON anew: 1e5 as 100000.0.
  const all = members.map(({ name, value, isJson }) => {
    const text = `coalesce(to_json(${value})::VARCHAR, 'null')`
    const own = `CASE WHEN json_valid(${value}) THEN translate(${value}, chr(10) || chr(13), '  ') ELSE ${text} END`
    return `${sqlLiteral(`${JSON.stringify(name)}:`)} || ${isJson ? own : text}`
  })
  return `SELECT '{' || ${all.join(` || ',' || `)} || '}' ${from}`
}

/**
 * SQL for a column's value with its decimals as wide as can be, its 32-bit floats as the doubles that their shortest text
 * reads as, JSON as text, and `isUtc` times with their zone. Names in a type's text are in quotes.
 */
function exactValue(column: string, type: string, isUtc: boolean): string {
  // Impala, Hive and others don't mark text, so what DuckDB takes for bytes is text where it is UTF-8. Of other bytes it writes escapes.
  if (type === 'BLOB') return `coalesce(TRY(decode(${column})), ${column}::VARCHAR)`
  const typeWith = (float: string) =>
    type.replaceAll(EXACT, (piece, scale: string | undefined) => {
      if (piece === 'FLOAT') return float
      if (piece === 'JSON') return 'VARCHAR'
      if (piece === 'TIMESTAMP') return isUtc ? 'TIMESTAMP WITH TIME ZONE' : piece
      return scale === undefined ? piece : `DECIMAL(38,${scale})`
    })
  const [asText, exact] = [typeWith('VARCHAR'), typeWith('DOUBLE')]
  if (exact === type) return column
  return asText === exact ? `CAST(${column} AS ${exact})` : `CAST(CAST(${column} AS ${asText}) AS ${exact})`
}

const EXACT = /"(?:[^"]|"")*"|\b(?:FLOAT|JSON|TIMESTAMP(?! WITH))\b|DECIMAL\(\d+,(\d+)\)/g

function treeOf(rows: Iterator<Row>): Node {
  const [name, count, isUtc]: Row = rows.next().value ?? ['', 0, false]
  const children = Array.from({ length: count }, () => treeOf(rows))
  return { name, children, isUtc: isUtc || children.some((child) => child.isUtc) }
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

function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
