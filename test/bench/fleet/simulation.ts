import { simulate } from './simulate.ts'
import { tablesOf } from './tables.ts'

const SEED = 18
const SIZES = [10e9, 100e9]
const TASKS = [50, 500, 2000, 10_000]
/** The number of tasks whose stages are shown, for each size. */
const SHOWN = [500, 2000]

/** The tables of a made-up history of 10 and of 100 billion events. */
export function simulation(seed = SEED): string {
  const tables = simulate(SIZES, TASKS, seed).map(({ history, plans }, at) =>
    tablesOf(history, plans, SHOWN[at]!),
  )
  return [`Seed ${seed}.`, '', ...tables].join('\n')
}
