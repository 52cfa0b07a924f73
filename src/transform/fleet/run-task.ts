import { rm } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import { rulesOf } from '../../mapping/index.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { openStore, type Store, scratchFolder } from '../../store/index.ts'
import { READING, type Stage, sum } from '../../text/index.ts'
import { VERSION } from '../../version.ts'
import { type HashKeySecret, hashKeyFrom } from '../hash-key.ts'
import type { Job } from '../job.ts'
import { cutUnits } from '../plan.ts'
import { interruptedError } from '../pool.ts'
import { readDone, type TaskDone, writeDone } from './done-file.ts'
import { runGenerate } from './generate-task.ts'
import { runMap } from './map-task.ts'
import { runLinks, runPeople } from './people-task.ts'
import type { TaskOrder } from './piece-order.ts'
import { TaskFiles } from './pieces.ts'
import {
  doneName,
  FINISHED,
  fleetStore,
  type KnownPlan,
  knownPlan,
  stagesOf,
  taskFiles,
  taskName,
} from './plan-file.ts'
import { runRows, runTables } from './rows-task.ts'
import { missingParts, runSeal, type SealDone } from './seal-task.ts'
import { Try } from './tries.ts'

/** What `fleet run` was asked for. */
export interface RunRequest {
  readonly out: string
  readonly stage: Stage
  readonly index: number
  /** The folder of this machine in which the try makes one for itself. */
  readonly work: string
  readonly interrupted: AbortSignal
  /** Reads the key of hashes; asked only when the plan has one. */
  readonly hashKey: () => Promise<HashKeySecret | undefined>
  /** Told of the bytes that the task has to read, then of those that were read. */
  readonly begun: (of: number) => void
  readonly progress: (bytes: number) => void
}

const WORK: Readonly<Record<Stage, (order: TaskOrder) => Promise<unknown>>> = {
  rows: runRows,
  tables: runTables,
  links: runLinks,
  people: runPeople,
  map: runMap,
  generate: runGenerate,
  seal: runSeal,
}

/**
 * Runs one task of a stage to its end. `known`: it was done already; `none`: the plan has no such stage. Code `mismatch` where version, rules, key or inputs are
 * not those of the plan, `paused` where the stage before is not done.
 */
export async function runTask(request: RunRequest): Promise<'done' | 'known' | 'none'> {
  const { out, stage, index, interrupted } = request
  const store = await fleetStore(out)
  const known = await knownPlan(store, out)
  if (index >= known.plan.tasks) {
    throw new PosthaulError(`the plan has ${known.plan.tasks} tasks a stage, and no index ${index}`, {
      code: 'usage',
      hint: `give --index 0 to ${known.plan.tasks - 1}`,
    })
  }
  if (!stagesOf(known.plan).includes(stage)) return 'none'
  // What is finished has no task left: a try that comes late must not write its files again.
  if ((await isFinished(store)) || (await isDone(store, known, request))) return 'known'
  const planned = await jobOf(known, request)
  const of = READING.includes(stage) ? bytesOf(known, planned, index) : 0
  request.begun(of)
  const one = await Try.begin(store, { plan: known.id, stage, index, of })
  const progress = (bytes: number) => {
    one.progress(bytes)
    request.progress(bytes)
  }
  const folder = await scratchFolder(`posthaul-${stage}-`, request.work)
  try {
    const files = new TaskFiles(store, taskName(stage, index))
    const job = { ...planned, work: folder }
    const shared = { known, index, tryId: one.id, job, store, files, folder }
    const made = await WORK[stage]({ ...shared, stop: interrupted, progress })
    if (interrupted.aborted) throw interruptedError()
    const done: TaskDone = { files: files.written, made }
    await writeDone(store, doneName(stage, index), { plan: known.id, try: one.id }, done)
    await one.done()
    return 'done'
  } catch (caught) {
    // What finish removed meanwhile was of a task that another try had done.
    if (await isFinished(store)) return 'known'
    const error = interrupted.aborted ? interruptedError() : caught
    await one.failed(error)
    throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function isFinished(store: Store): Promise<boolean> {
  return (await store.stamp(FINISHED)) !== undefined
}

/** True if a task has its result, and the files that it names are there. */
async function isDone(store: Store, { id }: KnownPlan, { out, stage, index }: RunRequest): Promise<boolean> {
  const done = await readDone<TaskDone>(store, doneName(stage, index), id)
  if (!done) return false
  if (stage === 'seal') {
    const { days } = done.made as SealDone
    return (await missingParts(await openStore(out), store, id, days)).length === 0
  }
  const there = await taskFiles(out, stage, index)
  return done.files.every(({ file, bytes }) => there.get(file) === bytes)
}

/** The plan's job, for this machine. Code `mismatch` where this is not the posthaul that made the plan. */
async function jobOf({ plan }: KnownPlan, { out, hashKey }: RunRequest): Promise<Job> {
  const here = `posthaul ${VERSION}`
  if (plan.tool !== here) throw another(`${plan.tool} made the plan, and this is ${here}`)
  const { hashKey: fingerprint, ...frozen } = plan.job
  const preset = await presetOf(frozen)
  if (rulesOf(preset) !== frozen.rules) {
    throw another(`the plan is by the rules ${frozen.rules}, and here are ${rulesOf(preset)}`)
  }
  const key = fingerprint === undefined ? undefined : hashKeyFrom(await hashKey())
  if (key && key.fingerprint !== fingerprint) {
    throw new PosthaulError('the key of hashes is not the one that the plan was made with', {
      code: 'mismatch',
      hint: 'give this task the key of the plan, in POSTHAUL_HASH_KEY',
    })
  }
  return {
    ...frozen,
    hashKey: key,
    forget: undefined,
    out,
    work: undefined,
    inputs: plan.inputs,
    units: cutUnits(plan.inputs),
    sideTables: [],
  }
}

function another(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'mismatch',
    hint: 'run all tasks with the posthaul that made the plan, or make a new plan with posthaul fleet plan --restart',
  })
}

function bytesOf({ plan }: KnownPlan, { units }: Job, index: number): number {
  return sum(units.slice(plan.firstUnits[index], plan.firstUnits[index + 1]), ({ bytes }) => bytes)
}
