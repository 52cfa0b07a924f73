import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { DuckDBListValue } from '@duckdb/node-api'
import type { EventStore } from '../store/store.ts'
import type { Compression, Format, Order } from './order.ts'
import { rowsOf } from './rows.ts'

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
      const target = `'${folder.replaceAll("'", "''")}'`
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
