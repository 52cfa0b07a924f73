import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDuckDB } from '../duckdb.ts'
import { PosthaulError } from '../errors.ts'
import { MAX_LINE_BYTES } from '../record/index.ts'
import { fileError, isS3 } from '../store/index.ts'
import type { InputFile } from './input-file.ts'
import { type ByteProgress, openBytes } from './open-bytes.ts'
import { parquetQuery, sqlLiteral } from './parquet-columns.ts'
import type { RecordSink } from './record-sink.ts'

export interface ParquetOptions {
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
 * values as JSON, times as text in UTC. Columns that hold JSON text stay strings: presets say which of them to unpack.
 * Line numbers are row numbers.
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

/** The rows of a Parquet file as NDJSON, in the form of `readParquet`. */
export async function* parquetLines(input: InputFile): AsyncGenerator<Buffer> {
  const local = await localFile(input)
  try {
    for await (const { lines } of parquetRows(local.path, input.path))
      yield Buffer.concat(lines.flatMap((line) => [line, LINE_END]))
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
      const lines = chunk.getColumnValues(0).map((value) => Buffer.from(finite(String(value))))
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

/** JSON has no NaN or infinities: they become strings. A decimal of 38 digits below one lacks the zero that JSON wants. */
function finite(json: string): string {
  if (!/NaN|Infinity|[^\d]\.\d{38}/.test(json)) return json
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN|(?<!\d)\.\d{38}/g, (token) => {
    if (token[0] === '"') return token
    return token[0] === '.' ? `0${token}` : `"${token}"`
  })
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
    const file = await open(path, 'wx')
    try {
      for await (const chunk of openBytes(input)) await file.writeFile(chunk)
    } finally {
      await file.close()
    }
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
