// Not in plan-file.ts: a transform on one machine looks there, too, and p-limit would take a part of its start.
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'
import { firstFew, type Stage, shellWord } from '../../text/index.ts'
import { readDone, type TaskDone } from './done-file.ts'
import { doneName, type KnownPlan } from './plan-file.ts'

/** How many requests for results are under way at once. */
const AT_ONCE = 16

/** What all tasks of a stage made, in their order. Code `paused` while a task has no result: it is worth another try. */
export async function resultsOf<T>(store: Store, known: KnownPlan, stage: Stage): Promise<T[]> {
  return (await stageDone<T>(store, known, stage)).map(({ made }) => made)
}

/** The same, with the files that they wrote. */
export async function stageDone<T>(
  store: Store,
  { id, plan }: KnownPlan,
  stage: Stage,
): Promise<TaskDone<T>[]> {
  const limit = pLimit(AT_ONCE)
  const read = (_: unknown, index: number) =>
    limit(() => readDone<TaskDone<T>>(store, doneName(stage, index), id))
  const results = await Promise.all(Array.from({ length: plan.tasks }, read))
  const open = results.flatMap((result, index) => (result === undefined ? [index] : []))
  if (open.length === 0) return results as TaskDone<T>[]
  throw new PosthaulError(
    `${open.length} of ${plan.tasks} tasks of ${stage} are not done: index ${firstFew(open.map(String), 5)}`,
    {
      code: 'paused',
      hint: `run those tasks, then this again; posthaul fleet status --out ${shellWord(store.location)} tells how far each is`,
    },
  )
}
