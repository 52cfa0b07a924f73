import { join } from 'node:path'
import { linesText, SortedLines } from '../../store/index.ts'
import { type FoldedTable, type RowCounts, sumOfRows, type UnitRows } from '../gather-rows.ts'
import { type FleetPiece, resultsOf } from './done-file.ts'
import { bucketsOf } from './pack.ts'
import { readUnits, type TaskOrder, withHost } from './piece-order.ts'
import { type BucketObject, bytesIn, fetchBucket, writeBuckets } from './pieces.ts'
import { gatheredTables } from './plan-file.ts'

/** Digits of a hashed key that say its bucket, and how many numbers these can be. */
const BUCKET_DIGITS = 8
const BUCKET_HASHES = 2 ** 32

/** The rows of a table in a task's records. */
export interface TaskRows extends RowCounts {
  /** Sorted by hashed key; null where there are none. */
  readonly object: BucketObject | null
}

/** The result of a rows task: of each table of records, in the plan's order. */
export interface RowsDone {
  readonly tables: readonly TaskRows[]
}

/** A bucket of a table. */
export interface TablePart {
  readonly keys: number
  readonly repeated: number
  /** Its rows, one a key, as SortedLines has them. */
  readonly lines: FleetPiece
}

/** The result of a tables task: of each table of records; none for a task without a bucket. */
export interface TablesDone {
  readonly parts: readonly TablePart[]
}

/** Reads a task's records for the rows of all tables of records. */
export async function runRows(order: TaskOrder): Promise<RowsDone> {
  const { known, folder, files } = order
  const tables = gatheredTables(known.plan)
  const units = await readUnits<UnitRows[]>(order, order.job, (unit) => {
    return { type: 'rows', folder, tables, ...unit }
  })
  const buckets = bucketsOf(known.plan.tasks)
  const made: TaskRows[] = []
  for (const [at, table] of tables.entries()) {
    const own = units.map((unit) => unit[at]!)
    const lines = new SortedLines(folder, `task-${table}`)
    for (const { run } of own) lines.adopt(run)
    const object = await writeBuckets(files, table, inBuckets(lines, buckets), buckets)
    lines.remove()
    made.push({ ...sumOfRows(own), object: object ?? null })
  }
  return { tables: made }
}

/** The text of lines, each piece of it of one bucket. Hashes of hexadecimal digits are in the order of their numbers. */
function* inBuckets(lines: SortedLines, buckets: number): Generator<readonly [number, Buffer]> {
  const all = lines.read()
  let next = all.next()
  while (!next.done) {
    const bucket = bucketAt(next.value[0], buckets)
    function* own() {
      for (; !next.done && bucketAt(next.value[0], buckets) === bucket; next = all.next()) yield next.value
    }
    for (const text of linesText(own())) yield [bucket, text]
  }
}

function bucketAt(hashedKey: string, buckets: number): number {
  return Math.floor((Number.parseInt(hashedKey.slice(0, BUCKET_DIGITS), 16) * buckets) / BUCKET_HASHES)
}

/** Folds a bucket of the rows of all rows tasks, in their order. */
export async function runTables(order: TaskOrder): Promise<TablesDone> {
  const { known, index, store, folder, job, files } = order
  const results = await resultsOf<RowsDone>(store, known, 'rows')
  if (index >= bucketsOf(known.plan.tasks)) return { parts: [] }
  const parts: TablePart[] = []
  for (const [at, table] of gatheredTables(known.plan).entries()) {
    const objects = results.flatMap(({ tables }) => tables[at]!.object ?? [])
    const { file, runs } = await fetchBucket(order, objects, index, `${table}.bucket`)
    const path = join(folder, file)
    const [folded] = await withHost(order, job, (host) =>
      host.all<FoldedTable>([{ type: 'fold', table, folder, runs: runs.map((run) => ({ path, ...run })) }]),
    )
    const { keys, repeated, run } = folded!
    const lines = await files.piece(table, bytesIn([run]))
    parts.push({ keys, repeated, lines })
  }
  return { parts }
}
