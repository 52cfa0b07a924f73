import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import { crcOf, PieceKind } from '../../state/cell-kind.ts'
import type { Store } from '../../store/index.ts'
import { firstFew, type Stage, shellWord } from '../../text/index.ts'
import type { WrittenBytes } from '../work-file.ts'
import { doneName, type KnownPlan } from './plan-file.ts'

/** Bytes in a file of the fleet's store, with their CRC-32. */
export type FleetPiece = WrittenBytes

/** A file of the fleet's store as a whole. */
export interface WholeFile {
  readonly file: string
  readonly bytes: number
}

/** Who writes a result: the plan's id and the id of the try, or `finish`. */
export interface Author {
  readonly plan: string
  readonly try: string
}

/** What a task's result says: the files that it wrote into the fleet's store, and what it made. */
export interface TaskDone<T = unknown> {
  readonly files: readonly WholeFile[]
  readonly made: T
}

interface Written {
  readonly plan: string
  readonly file: string
  readonly try: string
  readonly result: unknown
}

/**
 * The result of a task. The file says its own name, which has the stage and the index of the task: a file that was copied
 * or moved to the place of another one is told from it. Two tries of one task write the same result.
 *
 *     {"plan":"6f1e…","file":"map/000012.done","try":"20240301T100000-1a2b3c4d","crc":"0a1b2c3d","result":{…}}
 */
export const TASK_RESULT = new PieceKind<Written>({
  name: 'result of a task',
  seal: ({ plan, file, try: one, result }) => {
    const crc = crcOf(JSON.stringify({ file, try: one, result }))
    return `${JSON.stringify({ plan, file, try: one, crc, result })}\n`
  },
  open: (text) => JSON.parse(text) as Written,
})

export async function writeDone(store: Store, file: string, author: Author, result: unknown): Promise<void> {
  await store.put(file, TASK_RESULT.seal({ ...author, file, result }))
}

/**
 * The result that is in a file; undefined if it has none under this plan. Code `mismatch` for one that was changed since, or
 * that was written for another place.
 */
export async function readDone<T>(store: Store, file: string, plan: string): Promise<T | undefined> {
  const there = await store.load(file)
  if (!there) return undefined
  const { said, isWhole } = TASK_RESULT.read(there.bytes)
  if (said && said.plan !== plan) return undefined
  if (said && isWhole && said.file === file) return said.result as T
  const what =
    said && isWhole
      ? `was written by the try ${said.try} as ${said.file}, not here`
      : 'is not as it was written: something changed it'
  throw new PosthaulError(`${store.address(file)} ${what}`, {
    code: 'mismatch',
    hint: 'remove it, and run that task again',
  })
}

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
