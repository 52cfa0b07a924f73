import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { DuckDBListValue } from '@duckdb/node-api'
import { stringLiteral } from '../query/translate.ts'
import { LOG_TABLE } from '../store/schema.ts'
import type { EventStore } from '../store/store.ts'
import type { Compression, Format, Order } from './order.ts'

const DAY = 86_400_000_000n
/** Intervals that begin longer ago than this are also bound by the time of the event. */
const RECENT = 8n * DAY
const BEFORE = 7n * DAY
const AFTER = DAY

/** A statement that finds the rows of an order. `now`: microseconds since the epoch. */
function rowsOf(order: Order, projectId: number, now: bigint): string {
  return order.model === 'events' ? eventRows(order, now) : personRows(order, projectId)
}

function eventRows({ start, end, include, exclude, format }: Order, now: bigint): string {
  const conditions = [within('created_at', start, end)]
  if (start < now - RECENT) conditions.push(within('timestamp', start - BEFORE, end + AFTER))
  if (include.length > 0) conditions.push(`event IN (${include.map(stringLiteral).join(', ')})`)
  if (exclude.length > 0) conditions.push(`event NOT IN (${exclude.map(stringLiteral).join(', ')})`)
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

/** One file of a finished run. */
export interface WrittenFile {
  readonly path: string
  /** What the file's name ends in, such as `-0.jsonl.gz`. */
  readonly ending: string
  readonly bytes: number
}

export interface Written {
  readonly files: readonly WrittenFile[]
  readonly rows: number
}

export interface Task {
  readonly order: Order
  readonly projectId: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** A folder that does not exist yet, below the store's own for downloads. */
  readonly folder: string
  /** Called when the work begins: the store does one read at a time. */
  readonly onBegin: () => void
}

const EXTENSIONS: Readonly<Record<Format, string>> = { Parquet: '.parquet', JSONLines: '.jsonl' }
const SUFFIXES: Readonly<Record<Compression, string>> = {
  zstd: '.zst',
  gzip: '.gz',
  brotli: '.br',
  lz4: '.lz4',
  snappy: '.sz',
}
/** What lines of JSON can be compressed with. */
const COMPRESSORS: ReadonlyMap<Compression, () => Transform> = new Map([
  ['gzip', () => createGzip({ level: 2 })],
  ['brotli', () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
])
const ONE_FILE = 2 ** 50
/** A Parquet file can end only where a group of rows does. */
const ROW_GROUP = 10_240

/** Writes the files of an order, row by row. Throws where the format does not go with the compression. */
export async function writeFiles(store: EventStore, task: Task): Promise<Written> {
  const { order, folder } = task
  const { format, compression } = order
  if (format === 'JSONLines' && compression !== null && !COMPRESSORS.has(compression)) {
    throw new Error(`Unsupported compression: '${compression}'`)
  }
  await mkdir(folder, { recursive: true })
  const { rows, paths } = await store.read(
    async (connection) => {
      task.onBegin()
      const select = rowsOf(order, task.projectId, BigInt(task.now()) * 1000n)
      const target = stringLiteral(folder)
      const copy = `COPY (${select}) TO ${target} (${options(order)}, RETURN_FILES)`
      const [count, files] = (await connection.runAndReadAll(copy)).getRows()[0] ?? []
      return { rows: Number(count), paths: files instanceof DuckDBListValue ? files.items.map(String) : [] }
    },
    { needs: ['persons'], copies: true },
  )
  if (rows === 0) return { files: [], rows }
  const extension = `${EXTENSIONS[format]}${compression === null ? '' : SUFFIXES[compression]}`
  const files: WrittenFile[] = []
  for (const [at, path] of paths.entries()) {
    // After a file that became full with the last row DuckDB begins one more.
    if ((await stat(path)).size === 0) continue
    const compressor = format === 'JSONLines' && compression !== null && COMPRESSORS.get(compression)
    if (compressor) await compress(path, compressor())
    files.push({ path, ending: `-${at}${extension}`, bytes: (await stat(path)).size })
  }
  // Parts are numbered in the order of their names as texts: 10 comes before 2.
  return { files: files.sort((a, b) => (a.ending < b.ending ? -1 : 1)), rows }
}

/** Lines of JSON are compressed afterwards: DuckDB has no brotli for them, and can't tell which of its files is empty. */
function options({ format, compression, fileBytes = ONE_FILE }: Order): string {
  const size = `FILE_SIZE_BYTES ${fileBytes}`
  if (format === 'JSONLines') return `FORMAT json, ${size}`
  return `FORMAT parquet, COMPRESSION ${compression ?? 'uncompressed'}, ROW_GROUP_SIZE ${ROW_GROUP}, ${size}`
}

async function compress(path: string, compressor: Transform): Promise<void> {
  const compressed = `${path}.compressed`
  await pipeline(createReadStream(path), compressor, createWriteStream(compressed))
  await rename(compressed, path)
}
