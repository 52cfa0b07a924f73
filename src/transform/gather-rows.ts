import { join } from 'node:path'
import type { SideTable } from '../mapping/side-table.ts'
import { assertUnchanged } from '../pipeline/inputs-unchanged.ts'
import { presetOf } from '../pipeline/preset-of.ts'
import { readTableRows, tableNotGiven, writeTable } from '../pipeline/side/build.ts'
import type { BuiltTable } from '../pipeline/side/built.ts'
import { SortedLines, type SortedRun, writeLines } from '../store/sorted-lines.ts'
import { sum } from '../text/lists.ts'
import { type Job, unitOrder, type WorkerJob } from './job.ts'
import { type DoPieces, type Task, unitName } from './task.ts'

/** The rows of a table of records that are in some units, by hashed key. */
type UnitRows = Pick<BuiltTable, 'rows' | 'without_key' | 'unreadable'> & { readonly run: SortedRun }

/** Reads a unit for the rows of tables of records; of each table a file in `folder`. Throws when stopped. */
export async function rowsOfUnit(
  job: WorkerJob,
  { unit, inputs, range, folder, tables }: Task & { type: 'rows' },
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
export async function foldRows(job: WorkerJob, { table, folder, runs }: Task & { type: 'fold' }) {
  const lines = new SortedLines(folder, `fold-${table}`)
  for (const run of runs) lines.adopt(run)
  return writeTable(await tableOf(job, table), lines, folder)
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
  const folded = await doPieces<Awaited<ReturnType<typeof foldRows>>>(
    names.map((table, at) => ({ type: 'fold', table, folder, runs: units.map((unit) => unit[at]!.run) })),
  )
  return tables.map((table, at): BuiltTable => {
    const read = units.map((unit) => unit[at]!)
    return {
      ...tableNotGiven(table),
      files: job.inputs.length,
      rows: sum(read, ({ rows }) => rows),
      without_key: sum(read, ({ without_key }) => without_key),
      unreadable: sum(read, ({ unreadable }) => unreadable),
      ...folded[at]!,
    }
  })
}

async function tableOf(job: WorkerJob, name: string): Promise<SideTable> {
  return ((await presetOf(job)).sideTables ?? []).find((table) => table.name === name)!
}
