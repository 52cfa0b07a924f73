import { z } from 'zod'
import {
  type ChartCell,
  type ChartSpan,
  periodsOf,
  type RetentionChart,
  spanDays,
} from '../../charts/index.ts'
import { askReport } from '../answer-bytes.ts'
import { Unanswerable } from '../unanswerable.ts'
import { amplitudeEvent } from './amplitude-events.ts'
import { askingFor, type Dashboard, otherShape } from './asked-dashboard.ts'
import { ANY_EVENT } from './event-segmentation.ts'

/** Any event of those that make a user active: the API starts with no other set of all events. */
const ACTIVE_EVENT = '_active'
const COST_PER_DAY = 8
const INTERVALS = { day: '1', week: '7', month: '30' } as const

const point = z.object({ count: z.int().min(0), outof: z.int().min(0) })
const retentionSchema = z.object({
  data: z.object({
    series: z.array(z.object({ dates: z.array(z.string()), values: z.record(z.string(), z.array(point)) })),
  }),
})

/**
 * Asks `GET /api/2/retention`: `{data: {series: [{dates: ["Aug 15", …], values: {"Aug 15": [{count, outof, incomplete}, …]}}]}}`,
 * a row a day, week or month. A row's own number is `outof`. Periods that end after the span are left out. Rows are named by
 * day and month without a year, so a span in which a name comes twice can't be told.
 */
export async function retentionCells(
  dashboard: Dashboard,
  { start, back, period, periods: most }: RetentionChart,
  span: ChartSpan,
): Promise<ChartCell[]> {
  const periods = periodsOf(span, period)
  if (periods.length === 0) return []
  const whole = { first: periods[0]!.first, last: periods.at(-1)!.last }
  const se = amplitudeEvent(start, dashboard.names)
  const query = new URLSearchParams({
    se: JSON.stringify(se.event_type === ANY_EVENT ? { ...se, event_type: ACTIVE_EVENT } : se),
    re: JSON.stringify(amplitudeEvent(back, dashboard.names)),
    start: whole.first.replaceAll('-', ''),
    end: whole.last.replaceAll('-', ''),
    i: INTERVALS[period],
  })
  const names = periods.map(({ first }) => rowName(first))
  if (new Set(names).size < names.length)
    throw new Unanswerable("the rows of Amplitude's retention have no year: ask for fewer days")
  const asking = askingFor(dashboard, spanDays(whole) * COST_PER_DAY)
  const { data } = await askReport(dashboard.client, `/api/2/retention?${query}`, retentionSchema, asking)
  const told = data.series[0]?.values ?? {}
  const cells: ChartCell[] = []
  for (const [at, { first }] of periods.entries()) {
    const row = told[names[at]!]
    if (row === undefined) {
      if (period === 'day') throw otherShape(`has no row of ${first}`)
      throw new Unanswerable(`Amplitude's ${period}s don't begin on ${first}`)
    }
    for (const [after, { count, outof }] of row.slice(0, Math.min(most, periods.length - at)).entries())
      cells.push({ at: `${first}+${after}`, by: null, value: after === 0 ? outof : count })
  }
  return cells.filter(({ value }) => value !== 0)
}

/** `Aug 5`, as the documented answer names `2024-08-05`. */
function rowName(day: string): string {
  const month = new Date(day).toLocaleDateString('en-US', { timeZone: 'UTC', month: 'short' })
  return `${month} ${Number(day.slice(8))}`
}
