import { cutUnits } from '../../../src/transform/plan.ts'
import { sealSeconds } from './costs.ts'
import { drawHistory, type History } from './history.ts'
import { type MapLayout, mapOnPaper, packedBy } from './map-layout.ts'
import { bySize, type Skew, sealLoads, skewOf } from './seal-layout.ts'
import { countStages, type StageCount } from './stages.ts'

/** Shares of the observations at most: more would be tiny, and every share reads from every map task. */
const MOST_BUCKETS = 256
const GROUPS = 64

/** What one plan does to a history. */
export interface Simulated {
  readonly tasks: number
  readonly units: number
  readonly layout: MapLayout
  readonly stages: readonly StageCount[]
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
  const firstUnits = packedBy(units, tasks, (unit) => unit.bytes)
  const sealTaskOf = (day: number) => day % tasks
  const layout = mapOnPaper(history, units, firstUnits, (day) => sealTaskOf(day) % GROUPS)
  const work = layout.dayEvents.map(sealSeconds)
  return {
    tasks,
    units: units.length,
    layout,
    stages: countStages(history, layout, Math.min(tasks, MOST_BUCKETS), sealTaskOf),
    sealed: skewOf(sealLoads(work, tasks, sealTaskOf)),
    sealedBySize: skewOf(sealLoads(work, tasks, bySize(work, tasks))),
  }
}
