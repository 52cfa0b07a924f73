import { type Chart, type ChartSpan, periodsOf, type SeriesChart } from '../charts/index.ts'
import { dayText } from '../record/index.ts'
import { MICROS_PER_DAY, mostFirst } from '../text/index.ts'
import type { ChartTables } from './chart-tables.ts'
import { EVENTS_TABLE } from './read-datasets.ts'

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

/** The UTC days that the events of the tables lie in; undefined if there are none. */
export async function spanOfEvents(tables: ChartTables): Promise<ChartSpan | undefined> {
  const [[first, last] = []] = await tables.rows(`SELECT min(instant), max(instant) FROM ${EVENTS_TABLE}`)
  if (first == null || last == null) return undefined
  const dayOf = (instant: unknown) => dayText(Math.floor(Number(instant) / MICROS_PER_DAY))
  return { first: dayOf(first), last: dayOf(last) }
}
