import { HISTORIES, type HistoryName } from './generate/history.ts'

/** How much is measured. */
export interface Plan {
  readonly name: 'smoke' | 'quick' | 'full'
  /** Counted runs of each contender. */
  readonly rounds: number
  /** What is transformed. */
  readonly histories: readonly HistoryName[]
  /** Events of the histories. */
  readonly transform: number
  readonly scan: number
  readonly import: number
  readonly client: number
  readonly together: number
  readonly direct: number
  readonly stages: number
  readonly export: number
  /** Sizes for memory and for the cost of one event, smallest first. */
  readonly sizes: readonly number[]
  /** The share of the records that `--memory` measures with. */
  readonly memory: number
}

export const PLANS: Readonly<Record<Plan['name'], Plan>> = {
  smoke: {
    name: 'smoke',
    rounds: 1,
    histories: ['mixpanel wild', 'amplitude', 'csv'],
    transform: 600,
    scan: 300,
    import: 600,
    client: 300,
    together: 300,
    direct: 300,
    stages: 300,
    export: 600,
    sizes: [300, 600],
    memory: 1 / 5000,
  },
  quick: {
    name: 'quick',
    rounds: 3,
    histories: HISTORIES,
    transform: 200_000,
    scan: 40_000,
    import: 100_000,
    client: 40_000,
    together: 20_000,
    direct: 100_000,
    stages: 200_000,
    export: 50_000,
    sizes: [100_000, 400_000],
    memory: 1 / 10,
  },
  full: {
    name: 'full',
    rounds: 3,
    histories: HISTORIES,
    transform: 500_000,
    scan: 100_000,
    import: 500_000,
    client: 500_000,
    together: 300_000,
    direct: 200_000,
    stages: 200_000,
    export: 300_000,
    sizes: [100_000, 1_000_000, 10_000_000],
    memory: 1,
  },
}
