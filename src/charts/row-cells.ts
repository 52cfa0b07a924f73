import { compareTexts } from '../text/index.ts'
import { MOST_VALUES } from './chart.ts'
import type { ChartCell } from './chart-answer.ts'

/** Numbers by the value of the property that a chart is divided by, null without one, and by `at`. */
export type ChartRows = ReadonlyMap<string | null, ReadonlyMap<string, number>>

/**
 * The cells of a chart's rows: of the 20 values with the largest sums, the first by the alphabet where they are equal. Numbers
 * have six decimals: days that are added up bring noise behind them.
 */
export function rowCells(rows: ChartRows): ChartCell[] {
  return [...rows]
    .map(([by, numbers]) => ({ by, numbers, sum: [...numbers.values()].reduce((sum, one) => sum + one, 0) }))
    .sort((a, b) => b.sum - a.sum || compareTexts(a.by ?? '', b.by ?? ''))
    .slice(0, MOST_VALUES)
    .flatMap(({ by, numbers }) => [...numbers].map(([at, value]) => ({ at, by, value: sixDigits(value) })))
    .filter(({ value }) => value !== 0)
}

/** A number without what is beyond its sixth decimal. */
export function sixDigits(value: number): number {
  return Math.round(value * 1e6) / 1e6
}
