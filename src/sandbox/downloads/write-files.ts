import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type DuckDBConnection, DuckDBListValue } from '@duckdb/node-api'
import { stringLiteral } from '../query/translate.ts'
import type { Order } from './order.ts'

const DAY = 86_400_000_000n
/** Intervals that begin longer ago than this are also bound by the time of the event. */
const RECENT = 8n * DAY
const BEFORE = 7n * DAY
const AFTER = DAY

/** A statement that finds the events of an order. `now`: microseconds since the epoch. */
function rowsOf({ start, end }: Order, now: bigint): string {
  const conditions = [within('created_at', start, end)]
  if (start < now - RECENT) conditions.push(within('timestamp', start - BEFORE, end + AFTER))
  return `SELECT CAST(uuid AS VARCHAR) AS uuid, event, distinct_id,
      CAST(person_id AS VARCHAR) AS person_id,
      ${json('properties')} AS properties, ${json('person_properties')} AS person_properties, elements_chain,
      ${time('timestamp')} AS timestamp, ${time('created_at')} AS created_at, ${time('created_at')} AS _inserted_at
    FROM events WHERE ${conditions.join(' AND ')}`
}

function time(column: string): string {
  return `replace(strftime(timezone('UTC', ${column}), '%Y-%m-%dT%H:%M:%S.%f+00:00'), '.000000+', '+')`
}

function json(column: string): string {
  return `CAST(coalesce(${column}, '{}') AS JSON)`
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

interface Task {
  readonly order: Order
  /** Milliseconds since the epoch. */
  readonly now: number
  /** A folder that does not exist yet, below the store's own for downloads. */
  readonly folder: string
}

/** Writes the files of an order, and counts its rows. */
export async function writeFiles(connection: DuckDBConnection, { order, now, folder }: Task) {
  await mkdir(folder, { recursive: true })
  const select = rowsOf(order, BigInt(now) * 1000n)
  const size = `FILE_SIZE_BYTES ${order.fileBytes}`
  // Compressed afterwards: DuckDB can't tell which of the files that it compresses is empty.
  const copy = `COPY (${select}) TO ${stringLiteral(folder)} (FORMAT json, ${size}, RETURN_FILES)`
  const [count, found] = (await connection.runAndReadAll(copy)).getRows()[0] ?? []
  const rows = Number(count)
  const files: WrittenFile[] = []
  const paths = rows > 0 && found instanceof DuckDBListValue ? found.items.map(String) : []
  for (const [at, path] of paths.entries()) {
    // After a file that became full with the last row DuckDB begins one more.
    if ((await stat(path)).size === 0) continue
    await compress(path)
    files.push({ path, ending: `-${at}.jsonl.gz`, bytes: (await stat(path)).size })
  }
  // Parts are numbered in the order of their names as texts: 10 comes before 2.
  return { files: files.sort((a, b) => (a.ending < b.ending ? -1 : 1)), rows }
}

async function compress(path: string): Promise<void> {
  const compressed = `${path}.compressed`
  await pipeline(createReadStream(path), createGzip({ level: 2 }), createWriteStream(compressed))
  await rename(compressed, path)
}
