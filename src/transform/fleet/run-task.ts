import { rm } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import { rulesOf } from '../../mapping/rules-version.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { openStore } from '../../store/open.ts'
import { scratchFolder } from '../../store/scratch-folder.ts'
import type { Store } from '../../store/store.ts'
import type { Stage } from '../../text/fleet-stages.ts'
import { VERSION } from '../../version.ts'
import { type HashKeySecret, hashKeyFrom } from '../hash-key.ts'
import type { Job } from '../job.ts'
import { cutUnits } from '../plan.ts'
import { interruptedError } from '../pool.ts'
import { readDone, writeDone } from './done-file.ts'
import { doneName, FINISHED, fleetStore, taskFiles } from './fleet-files.ts'
import { type GenerateDone, runGenerate } from './generate-task.ts'
import { type MapDone, runMap } from './map-task.ts'
import type { TaskOrder } from './piece-order.ts'
import { type KnownPlan, knownPlan } from './plan-file.ts'
import { runSeal, type SealDone } from './seal-task.ts'
import { Try } from './tries.ts'
import { filesOf, missingParts } from './whole-files.ts'

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

const WORK = { map: runMap, generate: runGenerate, seal: runSeal } as const

/**
 * Runs one task of a stage to its end. `known`: it was done already. Code `mismatch` where version, rules, key or inputs are
 * not those of the plan, `paused` where the stage before is not done.
 */
export async function runTask(request: RunRequest): Promise<'done' | 'known'> {
  const { out, stage, index, interrupted } = request
  const store = await fleetStore(out)
  const known = await knownPlan(store, out)
  if (index >= known.plan.tasks) {
    throw new PosthaulError(`the plan has ${known.plan.tasks} tasks a stage, and no index ${index}`, {
      code: 'usage',
      hint: `give --index 0 to ${known.plan.tasks - 1}`,
    })
  }
  // What is finished has no task left: a try that comes late must not write its files again.
  if ((await isFinished(store)) || (await isDone(store, known, request))) return 'known'
  const job = await jobOf(known, request)
  const of = stage === 'map' ? bytesOf(known, job, index) : 0
  request.begun(of)
  const one = await Try.begin(store, known.id, stage, index, of)
  const progress = (bytes: number) => {
    one.progress(bytes)
    request.progress(bytes)
  }
  const folder = await scratchFolder(`posthaul-${stage}-`, request.work)
  try {
    const order: TaskOrder = { known, index, tryId: one.id, job, store, folder, stop: interrupted, progress }
    const result = await WORK[stage](order)
    if (interrupted.aborted) throw interruptedError()
    await writeDone(store, doneName(stage, index), { plan: known.id, try: one.id }, result)
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
  if (stage === 'seal') {
    const sealed = await readDone<SealDone>(store, doneName(stage, index), id)
    return (
      sealed !== undefined && (await missingParts(await openStore(out), store, id, sealed.days)).length === 0
    )
  }
  const result = await readDone<MapDone | GenerateDone>(store, doneName(stage, index), id)
  if (!result) return false
  const there = await taskFiles(out, stage, index)
  return filesOf(result).every(({ file, bytes }) => there.get(file) === bytes)
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
  return units
    .slice(plan.firstUnits[index], plan.firstUnits[index + 1])
    .reduce((sum, { bytes }) => sum + bytes, 0)
}
