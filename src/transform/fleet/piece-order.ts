import { assertAsListed } from '../../pipeline/inputs-unchanged.ts'
import type { Store } from '../../store/index.ts'
import { type Job, type UnitOrder, unitOrder } from '../job.ts'
import type { PieceHost, PieceOptions, Task } from '../task.ts'
import { TaskRunner } from '../task-runner.ts'
import type { TaskFiles } from './pieces.ts'
import type { KnownPlan } from './plan-file.ts'

/** What a task needs for its work. */
export interface TaskOrder {
  readonly known: KnownPlan
  readonly index: number
  /** The id of this try. */
  readonly tryId: string
  /** The plan's job on this machine, with its key; its work folder is `folder`. */
  readonly job: Job
  /** Where the fleet's files are. */
  readonly store: Store
  /** Those that this task writes. */
  readonly files: TaskFiles
  /** A folder of this machine for this try alone. */
  readonly folder: string
  /** Ends the reading of an input in the middle. */
  readonly stop: AbortSignal
  /** Told of bytes that were read. */
  progress(bytes: number): void
}

/** Does pieces in this process while `work` goes on, one after the other: what is half done ends with the task. */
export async function withHost<T>(
  { stop, progress }: Pick<TaskOrder, 'stop' | 'progress'>,
  job: Job,
  work: (host: PieceHost) => Promise<T>,
): Promise<T> {
  const runner = new TaskRunner(job, stop)
  try {
    return await work({
      async all<T>(tasks: Iterable<Task>, { each = (one) => one }: PieceOptions<T> = {}) {
        const results: T[] = []
        for (const task of tasks) {
          stop.throwIfAborted()
          results.push(each((await runner.run(task, progress)) as T, results.length))
        }
        return results
      },
    })
  } finally {
    runner.close()
  }
}

/** The units of a reading task: their numbers in the plan. */
export function unitsOf({ known: { plan }, index }: Pick<TaskOrder, 'known' | 'index'>): number[] {
  const [from, to] = [plan.firstUnits[index]!, plan.firstUnits[index + 1]!]
  return Array.from({ length: to - from }, (_, at) => from + at)
}

/**
 * Does a piece for each unit of a task. Code `mismatch` if an input is not as it was listed, before or after: what was read
 * of a file that changed meanwhile can be a mix of two states.
 */
export async function readUnits<T>(
  order: TaskOrder,
  job: Job,
  piece: (unit: UnitOrder) => Task,
  each: (result: T) => T = (one) => one,
): Promise<T[]> {
  const units = unitsOf(order).map((unit) => unitOrder(job, unit))
  const inputs = [...new Set(units.flatMap((unit) => unit.inputs))]
  await assertAsListed(inputs)
  const results = await withHost(order, job, (host) => host.all<T>(units.map(piece), { each }))
  await assertAsListed(inputs)
  return results
}
