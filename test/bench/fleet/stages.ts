import { groupOf, sealTaskOf } from '../../../src/transform/fleet/pack.ts'
import { CPU_MICROS, sealSeconds, taskPuts } from './costs.ts'
import { DAYS, EVENT_BYTES, type History } from './history.ts'
import { type MapLayout, RUN_BYTES } from './map-layout.ts'
import { noRequests, putsOf, type Requests } from './requests.ts'
import { sealLoads } from './seal-layout.ts'

/** Events that give an observation (an anonymous id with its user, a group's state), and the bytes of one. */
const OBSERVED = 0.02
const OBSERVATION_BYTES = 90
/** Bytes of a part, before it is packed. */
const PART_BYTES = 256 * 2 ** 20
/** Of a task's result, a run object; of the index of a run object, a day; the names of members that a map task counts. */
const DONE_ROW_BYTES = 170
const INDEX_ROW_BYTES = 90
const COUNTS_BYTES = 200_000
/** An ETag in a plan. */
const ETAG_BYTES = 45
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
}

/** A history that is shared out to tasks. */
export interface Shared {
  readonly history: History
  readonly layout: MapLayout
  /** Ranges of the hashes of observations: so many generate tasks have work. */
  readonly buckets: number
}

/** Counts what a fleet does to the bucket, stage by stage. Tries that fail and are made again are not among it. */
export function countStages(shared: Shared): StageCount[] {
  const stages = [mapStage(shared), generateStage(shared), sealStage(shared)]
  return [...stages, finishStage(shared, stages)]
}

function mapStage({ history: { inputs, events }, layout }: Shared): StageCount {
  const { tasks } = layout
  const observed = events * OBSERVED * OBSERVATION_BYTES
  const requests = opened(tasks.map((task) => (task.events * CPU_MICROS.map) / 1e6))
  for (const task of tasks) {
    // Each input is asked for before it is read and after.
    requests.heads += 2 * task.inputs
    requests.gets += task.reads
    for (const bytes of task.objects.values()) requests.puts += putsOf(bytes)
    // Observations and counts.
    requests.puts += putsOf(observed / tasks.length) + 1
  }
  const stored = inputs.reduce((sum, { size }) => sum + size, 0)
  return {
    stage: 'map',
    objects: runObjects(layout) + 4 * tasks.length,
    requests,
    read: stored + tasks.length * planBytes(inputs),
    written: runBytes(layout) + observed + doneBytes(layout) + tasks.length * COUNTS_BYTES,
  }
}

function generateStage({ history: { inputs, events }, layout, buckets }: Shared): StageCount {
  const tasks = layout.tasks.length
  const observed = events * OBSERVED
  const requests = opened(Array(tasks).fill(generateTaskSeconds(events, buckets)))
  // Of every map task its result, also where there is nothing to do; the index of its observations, and a piece of them.
  requests.gets += tasks * tasks + buckets * tasks * 2
  const objects = buckets * groupsOf(tasks)
  const written = observed * RUN_BYTES
  requests.puts += objects * putsOf(written / objects) + buckets
  return {
    stage: 'generate',
    objects: objects + buckets + 2 * tasks,
    requests,
    read: observed * OBSERVATION_BYTES + tasks * (doneBytes(layout) + planBytes(inputs)),
    written,
  }
}

function sealStage({ history: { inputs, events }, layout, buckets }: Shared): StageCount {
  const { dayEvents, dayPieces } = layout
  const tasks = layout.tasks.length
  const requests = opened(sealLoads(dayEvents.map(sealSeconds), tasks, (day) => sealTaskOf(day, tasks)))
  // Of every map and generate task: its result, the index of the object of the own group, and a piece for each day.
  const holders = new Map<number, number>()
  for (const { objects } of layout.tasks) {
    for (const group of objects.keys()) holders.set(group, (holders.get(group) ?? 0) + 1)
  }
  let indexes = 0
  for (let task = 0; task < tasks; task++) indexes += (holders.get(groupOf(task)) ?? 0) + buckets
  // And of each day the result of an earlier try.
  requests.gets += tasks * tasks * 2 + indexes + sum(dayPieces) + DAYS * buckets + DAYS
  let parts = 0
  for (const count of dayEvents) {
    const own = Math.max(1, Math.ceil((count * EVENT_BYTES) / PART_BYTES))
    requests.puts += own * putsOf((count * EVENT_BYTES) / own) + 1
    parts += own
  }
  // A task with days lists the dataset, to find what an earlier try of it left.
  requests.lists += Math.min(tasks, DAYS) * Math.ceil(parts / PAGE)
  const indexBytes = (sum(dayPieces) + DAYS * buckets) * INDEX_ROW_BYTES
  const generated = events * OBSERVED * RUN_BYTES
  return {
    stage: 'seal',
    objects: parts + DAYS + 2 * tasks,
    requests,
    read:
      runBytes(layout) +
      generated +
      tasks * (doneBytes(layout) + planBytes(inputs)) +
      (indexBytes * tasks) / groupsOf(tasks),
    written: events * (1 + OBSERVED) * EVENT_BYTES,
  }
}

function finishStage(
  { history: { inputs }, layout, buckets }: Shared,
  before: readonly StageCount[],
): StageCount {
  const tasks = layout.tasks.length
  const requests = noRequests()
  // Results and counts of all tasks, links, and three times the result of each day.
  requests.gets += 4 * tasks + buckets + 3 * DAYS
  requests.puts += 5
  requests.lists += Math.ceil(before.reduce((sum, { objects }) => sum + objects, 0) / PAGE)
  const read = doneBytes(layout) + tasks * COUNTS_BYTES + planBytes(inputs)
  return { stage: 'finish', objects: 5, requests, read, written: 0 }
}

/** Core-seconds of a generate task that has work. */
export function generateTaskSeconds(events: number, buckets: number): number {
  return (((events * OBSERVED) / buckets) * CPU_MICROS.generate) / 1e6
}

/** What each task does, whatever its stage: it reads the plan, looks whether it is done, and writes tries and result. */
function opened(seconds: Iterable<number>): Requests {
  const requests = noRequests()
  for (const each of seconds) {
    requests.gets += 2
    requests.heads += 1
    requests.puts += taskPuts(each)
  }
  return requests
}

function planBytes(inputs: History['inputs']): number {
  return inputs.reduce((sum, input) => sum + JSON.stringify(input).length + ETAG_BYTES, 0)
}

function groupsOf(tasks: number): number {
  return new Set(Array.from({ length: tasks }, (_, task) => groupOf(task))).size
}

function runObjects({ tasks }: MapLayout): number {
  return tasks.reduce((sum, { objects }) => sum + objects.size, 0)
}

function runBytes({ tasks }: MapLayout): number {
  return tasks.reduce((sum, { objects }) => sum + [...objects.values()].reduce((own, one) => own + one, 0), 0)
}

/** Bytes of the results of all map tasks. */
function doneBytes(layout: MapLayout): number {
  return (runObjects(layout) + 3 * layout.tasks.length) * DONE_ROW_BYTES
}

function sum(values: Uint32Array): number {
  return values.reduce((total, one) => total + one, 0)
}
