import { DAYS, EVENT_BYTES, type History } from './history.ts'
import { FRAME_BYTES, type MapLayout } from './map-layout.ts'
import { noRequests, putsOf, type Requests } from './requests.ts'
import { type Skew, sealLoads, skewOf } from './seal-layout.ts'

/** Events that give an observation (an anonymous id with its user, a group's state), and the bytes of one. */
const OBSERVED = 0.02
const OBSERVATION_BYTES = 90
/** Bytes of a part, before it is packed. */
const PART_BYTES = 256 * 2 ** 20
/** Of a plan, an input; of a map task's result, what there is beside the days, and a day. */
const PLAN_ROW_BYTES = 220
const DONE_BYTES = 3000
const DONE_DAY_BYTES = 110
/** A task writes the record of its try when it begins, at each beat and when it ends. */
const TRY_PUTS = 4
/** Keys of one page of a listing. */
const PAGE = 1000

/** What a stage does to the bucket. */
export interface StageCount {
  readonly stage: string
  /** Objects that it leaves. */
  readonly objects: number
  readonly requests: Requests
  readonly read: number
  readonly written: number
  /** Events of a task. */
  readonly skew: Skew
}

/** Counts what a plan of that many tasks does, stage by stage. `buckets` are the shares of the observations. */
export function countStages(
  { inputs, events }: History,
  { tasks: mapped, dayEvents, dayPieces }: MapLayout,
  buckets: number,
  sealTaskOf: (day: number) => number,
): StageCount[] {
  const tasks = mapped.length
  const plan = inputs.length * PLAN_ROW_BYTES
  const opening = (requests: Requests) => {
    // Every task reads the plan, looks whether it is done, and writes its tries and its result.
    requests.gets += 2 * tasks
    requests.puts += tasks * (TRY_PUTS + 1)
    return requests
  }
  const dones = mapped.reduce((sum, task) => sum + DONE_BYTES + task.days * DONE_DAY_BYTES, 0)
  const observed = events * OBSERVED * OBSERVATION_BYTES

  const map = opening(noRequests())
  let [runObjects, runBytes] = [0, 0]
  for (const task of mapped) {
    map.heads += task.inputs
    map.gets += task.units
    for (const bytes of task.objects) map.puts += putsOf(bytes)
    map.puts += putsOf(observed / tasks)
    runObjects += task.objects.length
    runBytes += task.objects.reduce((sum, bytes) => sum + bytes, 0)
  }
  const stored = inputs.reduce((sum, { size }) => sum + size, 0)

  const generate = opening(noRequests())
  const generated = events * OBSERVED * FRAME_BYTES
  const generatedObjects = buckets * Math.min(64, tasks, DAYS)
  generate.gets += buckets * tasks * 2
  generate.puts += generatedObjects * putsOf(generated / generatedObjects) + buckets

  const seal = opening(noRequests())
  const parts = dayEvents.map((count) => Math.max(1, Math.ceil((count * EVENT_BYTES) / PART_BYTES)))
  seal.gets += tasks * (tasks + buckets) + sum(dayPieces) + DAYS * buckets
  for (const [day, count] of dayEvents.entries()) {
    seal.puts += parts[day]! * putsOf((count * EVENT_BYTES) / parts[day]!) + 1
  }

  const finish = noRequests()
  finish.gets += 2 * tasks + buckets + DAYS
  const left = runObjects + generatedObjects + sum(parts) + 7 * tasks
  finish.lists += Math.ceil(left / PAGE)
  finish.puts += 5
  const seals = sealLoads(dayEvents, tasks, sealTaskOf)
  return [
    {
      stage: 'map',
      objects: runObjects + 3 * tasks,
      requests: map,
      read: stored + tasks * plan,
      written: runBytes + observed + dones,
      skew: skewOf(mapped.map((task) => task.events)),
    },
    {
      stage: 'generate',
      objects: generatedObjects + 2 * tasks,
      requests: generate,
      read: observed + buckets * dones + tasks * plan,
      written: generated,
      skew: skewOf(new Float64Array(buckets).fill((events * OBSERVED) / buckets)),
    },
    {
      stage: 'seal',
      objects: sum(parts) + DAYS + 2 * tasks,
      requests: seal,
      read: runBytes + generated + tasks * (dones + plan),
      written: events * (1 + OBSERVED) * EVENT_BYTES,
      skew: skewOf(seals),
    },
    {
      stage: 'finish',
      objects: 5,
      requests: finish,
      read: dones + plan,
      written: 0,
      skew: { most: 0, mean: 0, busy: 1 },
    },
  ]
}

function sum(values: ArrayLike<number>): number {
  return Array.from(values).reduce((total, one) => total + one, 0)
}
