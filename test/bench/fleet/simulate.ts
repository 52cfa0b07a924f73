import {
  bucketsOf,
  groupOf,
  packUnits,
  sealTaskOf,
  unpackedBytes,
} from '../../../src/transform/fleet/pack.ts'
import { cutUnits } from '../../../src/transform/plan.ts'
import { sealSeconds } from './costs.ts'
import { drawHistory, type History } from './history.ts'
import { type MapLayout, mapOnPaper } from './map-layout.ts'
import { bySize, type Skew, sealLoads, skewOf } from './seal-layout.ts'
import { countStages, generateTaskSeconds, type StageCount } from './stages.ts'

/** What one plan does to a history. */
export interface Simulated {
  readonly tasks: number
  readonly units: number
  readonly layout: MapLayout
  readonly stages: readonly StageCount[]
  /** Events of map tasks: by the rule of the fleet, and packed by the bytes of files as they are stored. */
  readonly mapped: Skew
  readonly mappedByStored: Skew
  /** Core-seconds of a generate task that has work. */
  readonly generated: number
  /** Core-seconds of seal tasks: by the rule of the fleet, and packed by size as well as can be. */
  readonly sealed: Skew
  readonly sealedBySize: Skew
}

/** Draws histories of these sizes, and plans each for these numbers of tasks. */
export function simulate(sizes: readonly number[], taskCounts: readonly number[], seed: number) {
  return sizes.map((events) => {
    const history = drawHistory(events, seed)
    return { history, plans: taskCounts.map((tasks) => simulateOne(history, tasks)) }
  })
}

function simulateOne(history: History, tasks: number): Simulated {
  const units = cutUnits(history.inputs)
  const unpacked = units.map(({ input, bytes }) => ({ bytes: unpackedBytes(history.inputs[input]!, bytes) }))
  const taskOf = (day: number) => sealTaskOf(day, tasks)
  const on = (firstUnits: readonly number[]) =>
    mapOnPaper(history, units, firstUnits, (day) => groupOf(taskOf(day)))
  const layout = on(packUnits(unpacked, tasks))
  const stored = on(packUnits(units, tasks))
  const work = layout.dayEvents.map(sealSeconds)
  return {
    tasks,
    units: units.length,
    layout,
    stages: countStages({ history, layout, buckets: bucketsOf(tasks) }),
    mapped: skewOf(layout.tasks.map(({ events }) => events)),
    mappedByStored: skewOf(stored.tasks.map(({ events }) => events)),
    generated: generateTaskSeconds(history.events, bucketsOf(tasks)),
    sealed: skewOf(sealLoads(work, tasks, taskOf)),
    sealedBySize: skewOf(sealLoads(work, tasks, bySize(work, tasks))),
  }
}
