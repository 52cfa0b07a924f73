import { PosthaulError } from '../../errors.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { tableNotGiven } from '../../pipeline/side/build.ts'
import type { BuiltTable } from '../../pipeline/side/built.ts'
import { sumOfRows } from '../gather-rows.ts'
import type { LinksDone } from './people-task.ts'
import { type FleetPlan, gatheredTables } from './plan-file.ts'
import type { RowsDone, TablesDone } from './rows-task.ts'

/** What the stages before map came to, and the tables of records as each map task had them. */
export interface Gathered {
  readonly rows: readonly RowsDone[]
  readonly tables: readonly TablesDone[]
  readonly links: readonly LinksDone[]
  /** Of each map task that has work, the sha256 of each table. */
  readonly sums: readonly (readonly string[])[]
}

/** Every record that was mapped was gathered from before, and all map tasks had the same tables. Code `mismatch`. */
export function assertGathered(plan: FleetPlan, { rows, links, sums }: Gathered, records: number): void {
  const names = gatheredTables(plan)
  const read = names.map((_, at) => {
    const sum = sumOfRows(rows.map(({ tables }) => tables[at]!))
    return sum.rows + sum.unreadable
  })
  if (plan.forget) read.push(links.reduce((sum, task) => sum + task.read, 0))
  const isSame = sums.every((own) => own.join() === sums[0]!.join() && own.length === names.length)
  if (isSame && read.every((count) => count === records)) return
  throw new PosthaulError(
    isSame
      ? `the tasks that gather read ${read.join(', ')} records, and those that map ${records}`
      : 'tasks of map had different tables of records',
    { code: 'mismatch', hint: 'make a new plan with posthaul fleet plan --restart; nothing was finished' },
  )
}

/** The plan's side tables with what was counted of them. */
export async function sidesOf(plan: FleetPlan, { rows, tables, sums }: Gathered): Promise<BuiltTable[]> {
  const names = gatheredTables(plan)
  const known = names.length > 0 ? ((await presetOf(plan.job)).sideTables ?? []) : []
  return plan.sides.map(({ name, built }): BuiltTable => {
    if (built !== null) return { ...built, file: undefined }
    const at = names.indexOf(name)
    const parts = tables.flatMap((task) => task.parts[at] ?? [])
    return {
      ...tableNotGiven(known.find((one) => one.name === name)!),
      files: plan.inputs.length,
      ...sumOfRows(rows.map((task) => task.tables[at]!)),
      keys: parts.reduce((sum, part) => sum + part.keys, 0),
      repeated: parts.reduce((sum, part) => sum + part.repeated, 0),
      sha256: sums[0]?.[at] ?? null,
    }
  })
}
