import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { assertAsListed } from '../../pipeline/inputs-unchanged.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { buildTables, tableNotGiven, writeTable } from '../../pipeline/side/build.ts'
import type { BuiltTable } from '../../pipeline/side/built.ts'
import { SortedLines } from '../../store/index.ts'
import { sum } from '../../text/index.ts'
import type { Job } from '../job.ts'
import { type FleetPiece, resultsOf } from './done-file.ts'
import { type TaskOrder, unitsOf } from './piece-order.ts'
import { fetchPieces } from './pieces.ts'
import type { TablesDone } from './rows-task.ts'

/** The plan's job with its side tables: made here where files hold them, fetched where they are made of records. */
export async function joinedJob(order: TaskOrder): Promise<Job> {
  const { known, job } = order
  const { sides } = known.plan
  // Also where there is nothing to do, this task ends after all of the stage before.
  const gathered = sides.some(({ built }) => built === null)
    ? await resultsOf<TablesDone>(order.store, known, 'tables')
    : []
  if (sides.length === 0 || unitsOf(order).length === 0) return job
  const given = await givenTables(order)
  const tables = (await presetOf(job)).sideTables ?? []
  const made: BuiltTable[] = []
  let at = 0
  for (const { name, built } of sides) {
    if (built !== null) made.push(given.find((one) => one.name === name)!)
    else {
      const parts = gathered.flatMap(({ parts }) => parts[at]?.lines ?? [])
      const table = tableNotGiven(tables.find((one) => one.name === name)!)
      made.push({ ...table, ...(await fetchTable(order, name, parts)) })
      at++
    }
  }
  return { ...job, sideTables: made }
}

/** Builds tables on this machine. Code `mismatch` if they are not those of the plan. */
async function givenTables({ known, job, folder, stop }: TaskOrder): Promise<readonly BuiltTable[]> {
  const sides = known.plan.sides.filter(({ built }) => built !== null)
  const tables = (await presetOf(job)).sideTables ?? []
  await assertAsListed(sides.flatMap(({ inputs }) => inputs))
  const given = sides.map(({ inputs, name }) => ({ table: tables.find((one) => one.name === name)!, inputs }))
  const made = await buildTables(given, { folder, columns: job.columns, stop })
  const other = made.find(({ sha256 }, at) => sha256 !== sides[at]!.built!.sha256)
  if (!other) return made
  throw new PosthaulError(`the side table ${other.name} is not what it was when the plan was made`, {
    code: 'mismatch',
    hint: 'make a new plan with posthaul fleet plan --restart',
  })
}

/** Buckets of a table are ranges of its hashes: one after the other they are the table. */
async function fetchTable(order: TaskOrder, name: string, parts: readonly FleetPiece[]) {
  const { folder } = order
  const path = join(folder, `${name}.rows`)
  const pieces = parts.filter(({ bytes }) => bytes > 0)
  await fetchPieces(order, pieces, `${name}.rows`)
  const lines = new SortedLines(folder, `table-${name}`)
  lines.adopt({ path, start: 0, end: sum(pieces, ({ bytes }) => bytes) })
  const file = join(folder, `${name}.table`)
  const sha256 = writeTable(lines.read(), file)
  await rm(path)
  return { file, sha256 }
}
