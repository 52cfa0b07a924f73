import { DAYS } from './history.ts'

/** Which seal task has each day. */
export type DayRule = (day: number) => number

/** The most work of a task against the mean of all that have any. */
export interface Skew {
  readonly most: number
  readonly mean: number
  readonly busy: number
}

export function skewOf(loads: ArrayLike<number>): Skew {
  const some = Array.from(loads).filter((load) => load > 0)
  const sum = some.reduce((total, load) => total + load, 0)
  return {
    most: some.reduce((most, load) => Math.max(most, load), 0),
    mean: sum / some.length,
    busy: some.length,
  }
}

/** The work of each seal task under a rule. */
export function sealLoads(dayWork: Float64Array, tasks: number, rule: DayRule): Float64Array {
  const loads = new Float64Array(tasks)
  for (let day = 0; day < DAYS; day++) loads[rule(day)]! += dayWork[day]!
  return loads
}

/** The largest day first, each to the task that has the least so far. */
export function bySize(dayWork: Float64Array, tasks: number): DayRule {
  const order = Array.from(dayWork.keys()).sort((a, b) => dayWork[b]! - dayWork[a]! || a - b)
  const loads = new Float64Array(Math.min(tasks, DAYS))
  const taskOf = new Uint32Array(DAYS)
  for (const day of order) {
    let least = 0
    for (let task = 1; task < loads.length; task++) if (loads[task]! < loads[least]!) least = task
    taskOf[day] = least
    loads[least]! += dayWork[day]!
  }
  return (day) => taskOf[day]!
}
