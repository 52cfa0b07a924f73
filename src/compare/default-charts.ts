import { type Chart, type ChartSpan, periodsOf, type SeriesChart } from '../charts/index.ts'
import { mostFirst } from '../text/index.ts'

/** Names that are asked for one by one. */
const MOST_CHARTED = 20

const SERIES: ReadonlyArray<readonly [words: string, Pick<SeriesChart, 'measure' | 'interval'>]> = [
  ['count by day', { measure: 'count', interval: 'day' }],
  ['unique by day', { measure: 'unique', interval: 'day' }],
  ['unique by week', { measure: 'unique', interval: 'week' }],
  ['unique by month', { measure: 'unique', interval: 'month' }],
]

/**
 * The charts that are asked where nobody names any: of the largest events and of all, and how many people there are. Of
 * weeks and months only where a whole one lies in the span.
 */
export function defaultCharts(names: readonly string[], span: ChartSpan): Chart[] {
  const asked = SERIES.filter(([, { interval }]) => periodsOf(span, interval).length > 0)
  const series = [null, ...names].flatMap((event) =>
    asked.map(([words, asked]): Chart => {
      const query = { kind: 'series', ...asked, event, where: [], property: null, by: null } as const
      return { name: `${words}: ${event ?? 'all events'}`, query, report: null }
    }),
  )
  return [...series, { name: 'people', query: { kind: 'people' }, report: null }]
}

/** The most frequent names of a dataset, those of events that transform made itself left out. */
export function largestNames(names: Readonly<Record<string, number>>): string[] {
  const order = mostFirst(Object.entries(names))
  return order.slice(0, MOST_CHARTED).map(([name]) => name)
}
