import { simulate } from './simulate.ts'
import { dayTable, row, tablesOf } from './tables.ts'

const SEED = 18
const SIZES = [10e9, 100e9]
const TASKS = [50, 500, 2000, 10_000]
/** The number of tasks whose stages are shown, for each size. */
const SHOWN = [500, 2000]

/** Events a second: the cap without approval, and rates that PostHog may approve. */
const RATES = [10_000 / 60, 1000, 5000]

const LARGE_DAYS = [7_000_000, 50_000_000, 100_000_000, 500_000_000, 1e9, 2e9]

/** The tables of a made-up history of 10 and of 100 billion events. */
export function simulation(seed = SEED): string {
  const tables = simulate(SIZES, TASKS, seed).map(({ history, plans }, at) =>
    tablesOf(history, plans, SHOWN[at]!),
  )
  return [`Seed ${seed}.`, '', ...importTable(), ...dayTable(LARGE_DAYS), ...tables].join('\n')
}

/** What an import takes, however fast the events were made. */
function importTable(): string[] {
  const rows = [1e9, ...SIZES, 30e9]
    .sort((a, b) => a - b)
    .map((events) => {
      const days = RATES.map((rate) => `${Math.round(events / rate / 86_400).toLocaleString('en')} days`)
      return row([events.toLocaleString('en'), ...days])
    })
  const heads = [
    'events to import',
    ...RATES.map((rate) => `${Math.round(rate * 60).toLocaleString('en')} a minute`),
  ]
  return [row(heads), row(heads.map(() => '---:')), ...rows, '']
}
