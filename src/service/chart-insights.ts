import { z } from 'zod'
import {
  type ChartCell,
  type ChartSpan,
  type FunnelChart,
  type Measure,
  MOST_VALUES,
  periodsOf,
  type RetentionChart,
  type SeriesChart,
} from '../charts/index.ts'
import { compareTexts, SECONDS_PER_DAY, sum } from '../text/index.ts'
import { propertyFilters } from './chart-conditions.ts'
import { timeRange } from './chart-queries.ts'
import { shapeError } from './errors.ts'
import { plusDays } from './event-filter.ts'
import { askInsight, type InsightCall } from './insight-query.ts'
import type { ProjectCalendar } from './project-calendar.ts'

/** Rows that are asked for: the most frequent values are chosen from them. */
const MOST_ROWS = 500

// PostHog's marks of rows (posthog/hogql_queries/insights/trends/breakdown.py).
const OTHER = '$$_posthog_breakdown_other_$$'
const NONE = '$$_posthog_breakdown_null_$$'

const MATHS: Readonly<Record<Measure, string>> = { count: 'total', unique: 'dau', sum: 'sum', average: 'avg' }

const trendRow = z.object({
  action: z.object({ order: z.int().min(0), id: z.unknown().optional() }),
  breakdown_value: z.union([z.string(), z.number(), z.boolean()]).nullish(),
  days: z.array(z.string()),
  data: z.array(z.number().nullable()),
  aggregated_value: z.number().nullish(),
})
const countSchema = z.int().min(0)
type TrendRow = z.infer<typeof trendRow>

/** What is the same in all charts: the number is the one that a chart shows which has no filter of test accounts. */
const SHARED = { filterTestAccounts: false }

/**
 * The cells of a series by a TrendsQuery; undefined where it is divided by a property of too many values. A day more than is
 * asked for is counted, and left out: trends end with the last whole second of their last day.
 */
export async function insightSeries(
  call: InsightCall,
  chart: SeriesChart,
  span: ChartSpan,
): Promise<ChartCell[] | undefined> {
  const { interval, measure, by } = chart
  // One number of all days can't be asked to its last moment. Counts and sums are those of the days, added up.
  const isTotal = interval === 'whole' && (measure === 'unique' || measure === 'average')
  const periods = periodsOf(span, interval === 'whole' && !isTotal ? 'day' : interval)
  if (periods.length === 0) return []
  const { first } = periods[0]!
  const { last } = periods.at(-1)!
  const node = { kind: 'EventsNode', event: chart.event, properties: propertyFilters(chart) }
  const asked = {
    ...node,
    math: MATHS[measure],
    ...(chart.property !== null && { math_property: chart.property }),
  }
  // The most frequent values are told by the number of events, whatever is measured.
  const series = by === null || measure === 'count' ? [asked] : [asked, { ...node, math: 'total' }]
  const found = await askInsight(
    call,
    {
      kind: 'TrendsQuery',
      ...SHARED,
      series,
      interval: interval === 'whole' ? 'day' : interval,
      dateRange: { date_from: first, date_to: isTotal ? last : plusDays(last, 1) },
      ...(isTotal && { trendsFilter: { display: 'BoldNumber' } }),
      ...(by !== null && {
        breakdownFilter: { breakdown: by, breakdown_type: 'event', breakdown_limit: MOST_ROWS },
      }),
    },
    trendRow,
  )
  const problem = oddSeries(found, chart, series.length)
  if (problem !== undefined) throw shapeError(call.api.origin, call.what, problem)
  if (found.some(({ breakdown_value }) => breakdown_value === OTHER)) return undefined
  const places = isTotal ? ['whole'] : periods.map((period) => period.first)
  const numbers = (row: TrendRow) => {
    const told = isTotal ? [total(call, row)] : numbersOf(call, row, places)
    const isCount = row.action.order > 0 || measure === 'count' || measure === 'unique'
    return told.map((number) => (isCount ? counted(call, number) : (number ?? 0)))
  }
  const top = by === null ? found : mostFrequent(call, found, numbers)
  const cells = top.flatMap((row) => {
    const value = by === null ? null : rowValue(row)
    return numbers(row).map((number, at): ChartCell => ({ at: places[at]!, by: value, value: number }))
  })
  return nonZero(interval === 'whole' && !isTotal ? added(cells) : cells)
}

/**
 * What is wrong with the rows of some series, as a sentence: without a property each series has one row, also where no event
 * is, and with one a row for each value.
 */
function oddSeries(
  found: readonly TrendRow[],
  { event, by }: SeriesChart,
  count: number,
): string | undefined {
  const rows = new Set(found.map((row) => `${row.action.order} ${by === null ? '' : rowValue(row)}`))
  if (rows.size < found.length) return 'a row came twice'
  const orders = new Set(found.map(({ action }) => action.order))
  const isWhole = orders.size === count && Math.max(...orders) < count
  if (!isWhole && (by === null || orders.size > 0))
    return `it has not the ${count} series that were asked for`
  const other = found.find(({ action }) => isOtherEvent(action.id, event))
  return other && `it is about ${JSON.stringify(other.action.id)}`
}

/** Whether a series is said to be of another event than it was asked of. All events have a name that is PostHog's own. */
function isOtherEvent(said: unknown, asked: string | null): boolean {
  return typeof said === 'string' && asked !== null && said !== asked
}

function counted({ api, what }: InsightCall, number: number | null): number {
  const { success, data } = countSchema.safeParse(number)
  if (success) return data
  throw shapeError(api.origin, what, `${number} is no number of events or people`)
}

/** `` for events that lack the property. */
function rowValue({ breakdown_value }: TrendRow): string {
  return breakdown_value === NONE ? '' : String(breakdown_value ?? '')
}

/** The rows of what is measured, of the most frequent values. */
function mostFrequent(
  call: InsightCall,
  found: readonly TrendRow[],
  numbers: (row: TrendRow) => readonly number[],
): TrendRow[] {
  const last = Math.max(0, ...found.map(({ action }) => action.order))
  const ranked = found
    .filter(({ action }) => action.order === last)
    .map((row) => ({ value: rowValue(row), count: sum(numbers(row)) }))
    .sort((a, b) => b.count - a.count || compareTexts(a.value, b.value))
  const rows = new Map(found.filter(({ action }) => action.order === 0).map((row) => [rowValue(row), row]))
  return ranked.slice(0, MOST_VALUES).map(({ value }) => {
    const row = rows.get(value)
    if (!row) throw shapeError(call.api.origin, call.what, `there is no row of "${value}"`)
    return row
  })
}

function total({ api, what }: InsightCall, { aggregated_value }: TrendRow): number | null {
  if (aggregated_value === undefined) throw shapeError(api.origin, what, 'aggregated_value is missing')
  return aggregated_value
}

/** The numbers of these days, joined by day: labels are words. */
function numbersOf(
  { api, what }: InsightCall,
  { days, data }: TrendRow,
  wanted: readonly string[],
): (number | null)[] {
  const byDay = new Map(days.map((day, at) => [day.slice(0, 10), data[at]]))
  if (byDay.size !== data.length || days.length !== data.length)
    throw shapeError(api.origin, what, `${data.length} numbers came of ${byDay.size} days`)
  return wanted.map((day) => {
    const number = byDay.get(day)
    if (number === undefined) throw shapeError(api.origin, what, `there is no number of ${day}`)
    return number
  })
}

/** The days of each value as one number. */
function added(cells: readonly ChartCell[]): ChartCell[] {
  const sums = new Map<string | null, number>()
  for (const { by, value } of cells) sums.set(by, (sums.get(by) ?? 0) + value)
  return [...sums].map(([by, value]) => ({ at: 'whole', by, value }))
}

/** Sums of floats are rounded, so that the order of addition shows in none. */
export function nonZero(cells: readonly ChartCell[]): ChartCell[] {
  return cells
    .map((cell) => ({ ...cell, value: Math.round(cell.value * 1e6) / 1e6 }))
    .filter(({ value }) => value !== 0)
}

const stepRow = z.object({ order: z.int().min(0), count: countSchema, action_id: z.unknown().optional() })
type StepRow = z.infer<typeof stepRow>

/** The cells of a funnel: all of its steps lie in the span, which is PostHog's own rule. */
export async function insightFunnel(
  call: InsightCall,
  { steps, windowDays }: FunnelChart,
  { first, last }: ChartSpan,
): Promise<ChartCell[]> {
  const found = await askInsight(
    call,
    {
      kind: 'FunnelsQuery',
      ...SHARED,
      series: steps.map((step) => ({
        kind: 'EventsNode',
        event: step.event,
        properties: propertyFilters(step),
      })),
      dateRange: { date_from: first, date_to: last },
      funnelsFilter: {
        funnelVizType: 'steps',
        funnelOrderType: 'ordered',
        ...windowOf(windowDays),
      },
    },
    stepRow,
  )
  const problem = oddSteps(found, steps)
  if (problem !== undefined) throw shapeError(call.api.origin, call.what, problem)
  return nonZero(found.map(({ order, count }) => ({ at: String(order + 1), by: null, value: count })))
}

/** What is wrong with the rows of steps, as a sentence. */
function oddSteps(found: readonly StepRow[], steps: FunnelChart['steps']): string | undefined {
  const rows = new Map(found.map((row) => [row.order, row]))
  // Where nobody took a step the service may answer without any row.
  if (found.length === 0) return undefined
  const missing = steps.findIndex((_, order) => !rows.has(order))
  if (missing >= 0) return `step ${missing + 1} is missing`
  if (found.length > steps.length) return `it has ${found.length} steps instead of ${steps.length}`
  const other = found.find(({ order, action_id }) => isOtherEvent(action_id, steps[order]!.event))
  if (other) return `its step ${other.order + 1} is about ${JSON.stringify(other.action_id)}`
  const grown = found.find(({ order, count }) => order > 0 && count > rows.get(order - 1)!.count)
  return grown && `more people took step ${grown.order + 1} than the one before`
}

/** PostHog takes whole numbers: parts of a day are said in smaller units. */
function windowOf(days: number) {
  if (Number.isInteger(days)) return { funnelWindowInterval: days, funnelWindowIntervalUnit: 'day' }
  return { funnelWindowInterval: Math.round(days * SECONDS_PER_DAY), funnelWindowIntervalUnit: 'second' }
}

const periodRow = z.object({
  date: z.string().regex(/^\d{4}-\d\d-\d\d/),
  values: z.array(z.object({ count: countSchema })),
})

const PERIODS = { day: 'Day', week: 'Week', month: 'Month' }

/**
 * The cells of a retention. "For the first time" is meant over all time by PostHog, of the events that fit the filters: so
 * what happened before the span is filtered out.
 */
export async function insightRetention(
  call: InsightCall,
  chart: RetentionChart,
  { span, calendar }: { readonly span: ChartSpan; readonly calendar: ProjectCalendar },
): Promise<ChartCell[]> {
  const periods = periodsOf(span, chart.period)
  if (periods.length === 0) return []
  const whole = { first: periods[0]!.first, last: periods.at(-1)!.last }
  const entity = (events: RetentionChart['start']) => {
    return { id: events.event, type: 'events', properties: propertyFilters(events) }
  }
  const found = await askInsight(
    call,
    {
      kind: 'RetentionQuery',
      ...SHARED,
      dateRange: { date_from: whole.first, date_to: whole.last },
      properties: [{ type: 'hogql', key: timeRange(whole, calendar.zone) }],
      retentionFilter: {
        period: PERIODS[chart.period],
        totalIntervals: chart.periods,
        retentionType: 'retention_first_time',
        targetEntity: entity(chart.start),
        returningEntity: entity(chart.back),
      },
    },
    periodRow,
  )
  const rows = new Map(found.map(({ date, values }) => [date.slice(0, 10), values]))
  if (rows.size < found.length) throw shapeError(call.api.origin, call.what, 'a row came twice')
  const cells = periods.flatMap(({ first }, row) => {
    const values = rows.get(first)
    // Without any start the service may answer without any row.
    if (!values && rows.size > 0) throw shapeError(call.api.origin, call.what, `there is no row of ${first}`)
    const over = Math.min(chart.periods, periods.length - row)
    if (values && values.length < over)
      throw shapeError(call.api.origin, call.what, `of ${first} there are ${values.length} periods only`)
    // Beyond the span all is 0, whatever came.
    return (values ?? [])
      .slice(0, over)
      .map(({ count }, after): ChartCell => ({ at: `${first}+${after}`, by: null, value: count }))
  })
  return nonZero(cells)
}
