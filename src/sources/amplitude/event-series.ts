import {
  type ChartCell,
  type ChartSpan,
  type Measure,
  periodOf,
  periodsOf,
  rowCells,
  type SeriesChart,
  spanDays,
} from '../../charts/index.ts'
import { daysFrom, runsOf } from '../counts/day-zone.ts'
import { Unanswerable } from '../unanswerable.ts'
import { amplitudeEvent, amplitudeEvents, amplitudeProperty } from './amplitude-events.ts'
import { askingFor, type Dashboard, otherShape } from './asked-dashboard.ts'
import {
  type AmplitudeEvent,
  COST_PER_5_MINUTES,
  type Metric,
  MOST_DAYS,
  NO_VALUE,
  type Segmentation,
  segmentation,
} from './event-segmentation.ts'

const METRICS: Readonly<Record<Measure, Metric>> = {
  count: 'totals',
  unique: 'uniques',
  sum: 'sums',
  average: 'value_avg',
}
/** The documented intervals, and the days that one of them has at most. */
const INTERVALS = { day: [1, 1], week: [7, 7], month: [30, 31] } as const

/** Numbers by value of the property that a chart is divided by, and by place. */
type Numbers = Map<string | null, Map<string, number>>

interface Question {
  readonly event: AmplitudeEvent
  readonly metric: Metric
  readonly interval: SeriesChart['interval']
  readonly span: ChartSpan
}

/**
 * The cells of a series. Counts and sums are asked by day, and added up to weeks, months and the whole: so it doesn't matter on
 * which day Amplitude's weeks begin, and several events can be one. People and averages can't be added up. They are asked by
 * week and month. Where an answer hasn't a week or month of ours, that one is asked for alone.
 */
export async function seriesCells(
  dashboard: Dashboard,
  chart: SeriesChart,
  span: ChartSpan,
): Promise<ChartCell[]> {
  const additive = chart.measure === 'count' || chart.measure === 'sum'
  const events = additive ? amplitudeEvents(chart, dashboard.names) : [amplitudeEvent(chart, dashboard.names)]
  const group = groupOf(dashboard, chart)
  const numbers: Numbers = new Map()
  for (const event of events) {
    const question: Question = {
      event: group === undefined ? event : { ...event, group_by: [group] },
      metric: METRICS[chart.measure],
      interval: chart.interval,
      span,
    }
    await (additive ? addDays(dashboard, question, numbers) : askPeriods(dashboard, question, numbers))
  }
  return rowCells(numbers)
}

/** The property of a sum or an average must be the one that the event is grouped by. */
function groupOf({ names }: Dashboard, { property, by }: SeriesChart) {
  if (property !== null && by !== null) {
    throw new Unanswerable("Amplitude's API can't divide the sum or average of a property by another one")
  }
  const final = property ?? by
  return final === null ? undefined : amplitudeProperty(final, names)
}

async function addDays(dashboard: Dashboard, question: Question, numbers: Numbers): Promise<void> {
  const { interval, span } = question
  const periods = periodsOf(span, interval)
  if (periods.length === 0) return
  const whole = { first: periods[0]!.first, last: periods.at(-1)!.last }
  for (const run of spansOfRuns(periodsOf(whole, 'day'), mostDays(question.event))) {
    const told = await ask(dashboard, question, run, 1)
    const missing = daysFrom(run.first, run.last).find((day) => !told.starts.includes(day))
    if (missing !== undefined) throw otherShape(`lacks a day that it was asked for: ${missing}`)
    addRows(told, question, numbers, (day) => {
      if (day < run.first || day > run.last) return undefined
      return interval === 'whole' ? 'whole' : periodOf(day, interval)
    })
  }
}

async function askPeriods(dashboard: Dashboard, question: Question, numbers: Numbers): Promise<void> {
  const { interval, span } = question
  if (interval === 'whole') return askAlone(dashboard, question, numbers, [span, 'whole'])
  const [asked, days] = INTERVALS[interval]
  for (const run of spansOfRuns(periodsOf(span, interval), Math.floor(mostDays(question.event) / days))) {
    const told = await ask(dashboard, question, run, asked)
    const ours = periodsOf(run, interval)
    const firsts = new Set(ours.map(({ first }) => first))
    addRows(told, question, numbers, (start) => (firsts.has(start) ? start : undefined))
    for (const period of ours) {
      if (!told.starts.includes(period.first))
        await askAlone(dashboard, question, numbers, [period, period.first])
    }
  }
}

/** One number of a span, however its weeks fall: Amplitude tells it beside the days. */
async function askAlone(
  dashboard: Dashboard,
  question: Question,
  numbers: Numbers,
  [span, at]: readonly [span: ChartSpan, at: string],
): Promise<void> {
  // Days are told for a year.
  const { rows } = await ask(dashboard, question, span, spanDays(span) > 365 ? 30 : 1)
  for (const row of rows) {
    if (row.collapsed === undefined) throw otherShape('has no number of the whole span')
    add(numbers, rowValue(row.label, question), at, row.collapsed)
  }
}

function ask(
  dashboard: Dashboard,
  { event, metric }: Question,
  { first, last }: ChartSpan,
  interval: 1 | 7 | 30,
): Promise<Segmentation> {
  const asking = askingFor(dashboard, spanDays({ first, last }) * costPerDay(event))
  return segmentation(dashboard.client, { event, metric, interval, first, last }, asking)
}

/** An event costs a unit, and four more if it is grouped. Filters cost nothing. */
const costPerDay = (event: AmplitudeEvent) => (event.group_by ? 5 : 1)
const mostDays = (event: AmplitudeEvent) => Math.min(MOST_DAYS, COST_PER_5_MINUTES / costPerDay(event))

/** The spans of each so many periods. */
function spansOfRuns(periods: readonly ChartSpan[], most: number): ChartSpan[] {
  return runsOf(periods, most).map((run) => ({ first: run[0]!.first, last: run.at(-1)!.last }))
}

function addRows(
  { starts, rows }: Segmentation,
  question: Question,
  numbers: Numbers,
  place: (start: string) => string | undefined,
): void {
  for (const { label, values } of rows) {
    for (const [i, value] of values.entries()) {
      const at = place(starts[i]!)
      if (at !== undefined) add(numbers, rowValue(label, question), at, value)
    }
  }
}

/** Sums and averages are grouped by their own property, and are one row. */
function rowValue(label: string | null, { event, metric }: Question): string | null {
  if (event.group_by === undefined || metric === 'sums' || metric === 'value_avg') return null
  if (label === null) throw otherShape('has a row without the value that it is of')
  return label === NO_VALUE ? '' : label
}

function add(numbers: Numbers, by: string | null, at: string, value: number): void {
  const places = numbers.get(by) ?? new Map<string, number>()
  places.set(at, (places.get(at) ?? 0) + value)
  numbers.set(by, places)
}
