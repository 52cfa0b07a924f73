import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import type { Stage } from '../../text/fleet-stages.ts'
import { shellWord } from '../../text/shell-word.ts'
import { readDone } from './done-file.ts'
import { doneName } from './fleet-files.ts'
import type { KnownPlan } from './plan-file.ts'

/** How many requests for results are under way at once. */
const AT_ONCE = 16

/** The results of all tasks of a stage, in their order. Code `paused` while a task has none: it is worth another try. */
export async function resultsOf<T>(store: Store, { id, plan }: KnownPlan, stage: Stage): Promise<T[]> {
  const limit = pLimit(AT_ONCE)
  const read = (_: unknown, index: number) => limit(() => readDone<T>(store, doneName(stage, index), id))
  const results = await Promise.all(Array.from({ length: plan.tasks }, read))
  const open = results.flatMap((result, index) => (result === undefined ? [index] : []))
  if (open.length === 0) return results as T[]
  const which = open.slice(0, 5).join(', ')
  throw new PosthaulError(
    `${open.length} of ${plan.tasks} tasks of ${stage} are not done: index ${which}${open.length > 5 ? ', …' : ''}`,
    {
      code: 'paused',
      hint: `run those tasks, then this again; posthaul fleet status --out ${shellWord(store.location)} tells how far each is`,
    },
  )
}
