import pLimit from 'p-limit'
import { z } from 'zod'
import { openStore, type Store, type StoredFile, withEndpoint } from '../../store/index.ts'
import { groupedBy, posthaulLine, STAGES, type Stage } from '../../text/index.ts'
import {
  FINISHED,
  FLEET,
  fleetStore,
  knownPlan,
  stagesOf,
  type TryRecord,
  taskName,
} from '../../transform/index.ts'
import type { FleetStatusResult } from './result.ts'
import { isAlive, NAMED, type OpenTask, type StageStanding, standingOf } from './stage-standing.ts'

const AT_ONCE = 16

/** Where a fleet is, and what to do now in words. */
export interface FleetLook {
  readonly result: FleetStatusResult
  readonly words: string
}

/** Looks at a fleet: a listing, the plan, and a request for each try of a task that is not done. */
export async function lookAtFleet({ out, endpoint }: FleetPlace, now: number): Promise<FleetLook> {
  const place = withEndpoint(out, endpoint)
  const store = await fleetStore(place)
  const known = await knownPlan(store, place)
  const { tasks } = known.plan
  const files = await store.list()
  const done = doneIn(files)
  const tries = triesIn(files)
  const finished = files.some(({ name }) => name === FINISHED)
  const atWork = new Set<string>()
  const stages: [Stage, StageStanding][] = []
  for (const stage of stagesOf(known.plan)) {
    const own = tries.filter((one) => one.stage === stage && one.index < tasks)
    const isDone = (index: number) => done.has(taskName(stage, index))
    const left = own.filter(({ index }) => !isDone(index))
    const open = await openTasks(store, known.id, left)
    for (const { index, running } of open)
      if (running.some((one) => isAlive(one, now))) atWork.add(taskName(stage, index))
    const seen = {
      tasks,
      done: finished ? tasks : countDone(done, stage, tasks),
      took: own.flatMap(({ index, state, seconds }) =>
        state === 'done' && seconds !== undefined ? [{ index, seconds }] : [],
      ),
      open: finished ? [] : open,
    }
    stages.push([stage, standingOf(seen, now)])
  }
  const isDead = (task: string | undefined) => task !== undefined && !done.has(task) && !atWork.has(task)
  const left = files.filter(({ name }) => isDead(taskOf(name)))
  const halves = (await store.unfinished()).filter(({ name }) => isDead(taskOf(name)))
  // Parts of the dataset are written by seal tasks; whose one is, its name does not say.
  const isSealing = [...atWork].some((task) => task.startsWith('seal/'))
  const parts = isSealing ? [] : await (await openStore(place)).unfinished()
  const own = parts.filter(({ name }) => !name.startsWith(FLEET))
  const leftovers = {
    files: left.length,
    bytes: left.reduce((sum, { bytes }) => sum + bytes, 0),
    unfinished: halves.length + own.length,
  }
  const { words, commands } = nextOf({ out, endpoint }, finished, stages, tasks)
  const result: FleetStatusResult = {
    version: 1,
    command: 'fleet status',
    out,
    plan: known.id,
    tool: known.plan.tool,
    created_at: known.plan.created_at,
    tasks,
    finished,
    stages: Object.fromEntries(stages),
    leftovers,
    next: commands,
  }
  return { result, words }
}

/** Where a fleet's plan is, as it was typed. */
interface FleetPlace {
  readonly out: string
  readonly endpoint: string | undefined
}

/** What to do now. */
function nextOf(
  { out, endpoint }: FleetPlace,
  finished: boolean,
  stages: readonly (readonly [Stage, StageStanding])[],
  tasks: number,
): { readonly words: string; readonly commands: string[] } {
  const place = ['--out', out, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])]
  if (finished) return { words: 'Next:', commands: [posthaulLine(['check', out, ...place.slice(2)])] }
  const [stage, open] = stages.find(([, { done }]) => done < tasks) ?? []
  if (stage === undefined || open === undefined)
    return { words: 'Next:', commands: [posthaulLine(['fleet', 'finish', ...place])] }
  const runs = (of: readonly { readonly index: number }[]) =>
    of.map(({ index }) => posthaulLine(['fleet', 'run', stage, ...place, '--index', `${index}`]))
  const bad = open.errors.filter((one) => one.for_good)
  if (bad.length > 0) {
    const words = 'Next: mend what the errors say, then run the failed tasks again:'
    return { words, commands: runs(bad) }
  }
  const again = [...open.errors, ...open.lost_tasks]
  if (again.length > 0 && open.running === 0) {
    const words = 'Next: if the scheduler does not start them again, run them:'
    return { words, commands: runs(again.slice(0, NAMED)) }
  }
  if (open.running > 0) return { words: 'Next: wait, and look again.', commands: [] }
  const left = open.done > 0 ? 'what is left of ' : ''
  return {
    words: `Next: none runs. Start ${left}${stage}, by your scheduler, a makefile or by hand:`,
    commands: [posthaulLine(['fleet', 'job', ...place])],
  }
}

const TASK_FILE = new RegExp(String.raw`^((?:${STAGES.join('|')})/\d{6})/.`)
/** What the task of a file is, as `map/000012`. */
const taskOf = (name: string): string | undefined => TASK_FILE.exec(name)?.[1]
const DONE = new RegExp(String.raw`^((?:${STAGES.join('|')})/\d{6})\.done$`)

/** The tasks that have a result, as `map/000012`. */
function doneIn(files: readonly StoredFile[]): ReadonlySet<string> {
  return new Set(files.flatMap(({ name }) => DONE.exec(name)?.[1] ?? []))
}

function countDone(done: ReadonlySet<string>, stage: Stage, tasks: number): number {
  let count = 0
  for (let index = 0; index < tasks; index++) if (done.has(taskName(stage, index))) count++
  return count
}

/** What the tries tell of the tasks that have some. */
async function openTasks(store: Store, plan: string, tries: readonly ListedTry[]): Promise<OpenTask[]> {
  const byTask = groupedBy(tries, ({ index }) => index)
  const limit = pLimit(AT_ONCE)
  const read = ({ name }: ListedTry) => limit(() => readTry(store, name, plan))
  return Promise.all(
    [...byTask].map(async ([index, own]) => {
      const lastFailed = own.findLast(({ state }) => state === 'failed')
      const running = await Promise.all(own.filter(({ state }) => state === 'running').map(read))
      return {
        index,
        tries: own.length,
        running: running.filter((one): one is TryRecord => one !== undefined),
        failed: lastFailed && (await read(lastFailed)),
      }
    }),
  )
}

/** A try, as the name of its record tells of it. */
interface ListedTry {
  readonly name: string
  readonly stage: Stage
  readonly index: number
  /** By it the tries of a task are in the order of their starts. */
  readonly id: string
  readonly state: TryRecord['state']
  /** How long it took; undefined while it runs. */
  readonly seconds: number | undefined
}

const NAME = new RegExp(
  String.raw`^tries/(${STAGES.join('|')})/(\d{6})-(\d{8}T\d{6}-[0-9a-f]{8})(?:\.(done|failed)\.(\d+))?\.json$`,
)

/** The tries in a listing of a fleet's store, in the order of their starts. */
export function triesIn(files: readonly StoredFile[]): ListedTry[] {
  const tries = new Map<string, ListedTry>()
  for (const { name } of files) {
    const [, stage, index, id, state, seconds] = NAME.exec(name) ?? []
    if (stage === undefined || id === undefined) continue
    // A try that was killed between its last two requests has two records: the end holds.
    if (state === undefined && tries.has(id)) continue
    tries.set(id, {
      name,
      stage: stage as Stage,
      index: Number(index),
      id,
      state: (state as 'done' | 'failed' | undefined) ?? 'running',
      seconds: seconds === undefined ? undefined : Number(seconds),
    })
  }
  return [...tries.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const text = z.string()
const count = z.number().nonnegative()
const recordSchema: z.ZodType<TryRecord> = z.object({
  plan: text,
  stage: z.enum(STAGES),
  index: z.number().int().nonnegative(),
  of: count,
  state: z.enum(['running', 'done', 'failed']),
  host: text,
  pid: z.number().int(),
  started_at: z.iso.datetime(),
  at: z.iso.datetime(),
  bytes: count,
  seconds: count,
  peak_memory: count,
  error: z
    .object({
      code: text,
      exit: z.number().int(),
      fate: z.enum(['retry', 'reject', 'stop']),
      message: text,
      hint: text.nullable(),
    })
    .nullable(),
})

/** The record of a try under `plan`; undefined if it is gone, is of another plan, or cannot be read. */
export async function readTry(store: Store, name: string, plan: string): Promise<TryRecord | undefined> {
  const there = await store.load(name)
  if (!there) return undefined
  try {
    const record = recordSchema.parse(JSON.parse(Buffer.from(there.bytes).toString('utf8')))
    return record.plan === plan ? record : undefined
  } catch {
    return undefined
  }
}
