import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { SideTable } from '../mapping/side-table.ts'
import { assertUnchanged } from '../pipeline/inputs-unchanged.ts'
import { presetOf } from '../pipeline/preset-of.ts'
import { FoldedRows, readTableRows, tableNotGiven, writeTable } from '../pipeline/side/build.ts'
import type { BuiltTable } from '../pipeline/side/built.ts'
import { SortedLines, type SortedRun, writeLines } from '../store/sorted-lines.ts'
import { type Job, type UnitOrder, unitOrder, type WorkerJob } from './job.ts'
import { type DoPieces, unitName } from './task.ts'

interface RowCounts {
  readonly rows: number
  readonly without_key: number
  readonly unreadable: number
}

/** The rows of a table of records that are in some units, by hashed key. */
interface UnitRows extends RowCounts {
  readonly run: SortedRun
}

type FoldedTable = Readonly<Awaited<ReturnType<typeof foldRows>>>

interface RowsOrder extends UnitOrder {
  readonly folder: string
  readonly tables: readonly string[]
}

/** Reads a unit for the rows of tables of records; of each table a file in `folder`. Throws when stopped. */
export async function rowsOfUnit(
  job: WorkerJob,
  { unit, inputs, range, folder, tables }: RowsOrder,
  stop: AbortSignal,
  progress: (bytes: number) => void,
): Promise<UnitRows[]> {
  const { columns } = job
  const wanted = await Promise.all(tables.map((name) => tableOf(job, name)))
  const options = { folder, columns, range, stop, progress }
  const read = await readTableRows(wanted, inputs, options)
  return read.map(({ lines, rows, withoutKey: without_key, unreadable }, at): UnitRows => {
    const run = writeLines(join(folder, `${unitName(unit)}.${tables[at]}.rows`), lines.read())
    lines.remove()
    return { rows, without_key, unreadable, run }
  })
}

/** Folds rows, of runs in the order of their units, into one row a key. */
export async function foldRows(
  job: WorkerJob,
  {
    table,
    folder,
    runs,
  }: { readonly table: string; readonly folder: string; readonly runs: readonly SortedRun[] },
) {
  const lines = new SortedLines(folder, `fold-${table}`)
  for (const run of runs) lines.adopt(run)
  const folded = new FoldedRows(await tableOf(job, table), lines)
  const path = join(folder, `${table}.table`)
  const sha256 = writeTable(folded.read(), path)
  lines.remove()
  const { keys, repeated } = folded
  // A table begins with a line break: see pipeline/side/table-file.ts.
  return { keys, repeated, sha256, run: { path, start: 1, end: statSync(path).size } }
}

/** Makes tables of records in `folder`: reads all units once for all of them. */
export async function gatherTables(
  doPieces: DoPieces,
  job: Job,
  tables: readonly SideTable[],
  folder: string,
): Promise<BuiltTable[]> {
  const names = tables.map(({ name }) => name)
  const units = await doPieces<UnitRows[]>(
    job.units.map((_, unit) => ({ type: 'rows', folder, tables: names, ...unitOrder(job, unit) })),
  )
  await assertUnchanged(job.inputs)
  const folded = await doPieces<FoldedTable>(
    names.map((table, at) => ({ type: 'fold', table, folder, runs: units.map((unit) => unit[at]!.run) })),
  )
  return tables.map((table, at): BuiltTable => {
    const { keys, repeated, sha256, run } = folded[at]!
    const counts = sumOfRows(units.map((unit) => unit[at]!))
    const files = job.inputs.length
    return { ...tableNotGiven(table), files, ...counts, keys, repeated, sha256, file: run.path }
  })
}

function sumOfRows(some: readonly RowCounts[]): RowCounts {
  const sum = { rows: 0, without_key: 0, unreadable: 0 }
  for (const { rows, without_key, unreadable } of some) {
    sum.rows += rows
    sum.without_key += without_key
    sum.unreadable += unreadable
  }
  return sum
}

async function tableOf(job: WorkerJob, name: string): Promise<SideTable> {
  return ((await presetOf(job)).sideTables ?? []).find((table) => table.name === name)!
}
