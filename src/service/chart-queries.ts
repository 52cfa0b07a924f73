import { z } from 'zod'
import {
  type ChartCell,
  type ChartInterval,
  type ChartSpan,
  type Measure,
  MOST_VALUES,
  periodsOf,
  type RetentionChart,
  type SeriesChart,
} from '../charts/index.ts'
import { PosthaulError } from '../errors.ts'
import { number } from '../text/index.ts'
import { eventsCondition, propertyField } from './chart-conditions.ts'
import { shapeError } from './errors.ts'
import { plusDays } from './event-filter.ts'
import type { InsightCall } from './insight-query.ts'
import { askRow, askRows, countCell, dayCell, MAX_ROWS, sqlText } from './query.ts'

/*
 * Charts in PostHog's query language, where its own charts can't be asked: weeks from Monday in a project whose weeks begin on
 * Sunday, properties of many values, people.
 */

/**
 * The condition for whole days of a zone. Events are of a day by its name, since a day on which clocks are put forward may have
 * no midnight; the times around it are what the table is sorted by.
 */
export function timeRange({ first, last }: ChartSpan, zone: string): string {
  const midnight = (day: string) => `toDateTime64(${sqlText(`${day} 00:00:00.000000`)}, 6, 'UTC')`
  const day = bucket('day', zone)
  return (
    `timestamp >= ${midnight(plusDays(first, -1))} AND timestamp < ${midnight(plusDays(last, 2))} ` +
    `AND ${day} >= ${sqlText(first)} AND ${day} <= ${sqlText(last)}`
  )
}

/** The first day of the bucket that an event is of, as text. */
function bucket(interval: ChartInterval, zone: string): string {
  const local = `toTimeZone(timestamp, ${sqlText(zone)})`
  if (interval === 'whole') return "'whole'"
  const start = { day: 'toDate', week: 'toMonday', month: 'toStartOfMonth' }[interval]
  return `toString(${start}(${local}))`
}

const countRow = z.tuple([z.string(), z.string().nullable(), countCell])
const numberRow = z.tuple([z.string(), z.string().nullable(), z.number().nullable()])

/** The parts of a query of a series: expressions of a bucket's first day and of the value that it is divided by, and which events count. */
export interface SeriesParts {
  readonly place: string
  readonly value: string
  readonly where: string
}

/** Undefined where no whole bucket lies in the span. */
export function seriesParts(chart: SeriesChart, span: ChartSpan, zone: string): SeriesParts | undefined {
  const periods = periodsOf(span, chart.interval)
  if (periods.length === 0) return undefined
  const where = `${timeRange({ first: periods[0]!.first, last: periods.at(-1)!.last }, zone)} AND ${eventsCondition(chart)}`
  const place = bucket(chart.interval, zone)
  if (chart.by === null) return { place, value: 'NULL', where }
  const value = `ifNull(toString(${propertyField(chart.by)}), '')`
  const top =
    `SELECT ${value} AS value FROM events WHERE ${where} ` +
    `GROUP BY value ORDER BY count() DESC, value LIMIT ${MOST_VALUES}`
  return { place, value, where: `${where} AND ${value} IN (${top})` }
}

/** The rows of an answer; code `usage` where PostHog may have left some out. */
export function wholeAnswer<T>(rows: readonly T[], what: string): readonly T[] {
  if (rows.length < MAX_ROWS) return rows
  throw new PosthaulError(
    `${what}: PostHog answers with ${number(MAX_ROWS)} numbers at most, and there are more`,
    {
      code: 'usage',
      hint: 'ask by week or month, or for fewer days',
    },
  )
}

/** The cells of a series. */
export async function queriedSeries(
  { api, projectId, what }: InsightCall,
  chart: SeriesChart,
  span: ChartSpan,
  zone: string,
): Promise<ChartCell[]> {
  const parts = seriesParts(chart, span, zone)
  if (!parts) return []
  const query =
    `SELECT ${parts.place} AS place, ${parts.value} AS value, ${aggregate(chart)} AS number FROM events ` +
    `WHERE ${parts.where} GROUP BY place, value LIMIT ${MAX_ROWS}`
  const isCount = chart.measure === 'count' || chart.measure === 'unique'
  const rows = await askRows<z.infer<typeof numberRow>>(api, projectId, {
    query,
    what,
    row: isCount ? countRow : numberRow,
  })
  const places = periodsOf(span, chart.interval).map(({ first }) =>
    chart.interval === 'whole' ? 'whole' : first,
  )
  const problem = oddRows(wholeAnswer(rows, what), places, 1)
  if (problem !== undefined) throw shapeError(api.origin, what, problem)
  return rows.map(([at, by, value]) => ({ at, by, value: value ?? 0 }))
}

/** What is wrong with rows, as a sentence: their first `days` cells are of `places`, and all but their last tell them apart. */
function oddRows(
  rows: readonly (readonly unknown[])[],
  places: readonly string[],
  days: number,
): string | undefined {
  const known = new Set<unknown>(places)
  const other = rows.flatMap((row) => row.slice(0, days)).find((place) => !known.has(place))
  if (other !== undefined) return `it has a number of ${other}`
  const keys = new Set(rows.map((row) => JSON.stringify(row.slice(0, -1))))
  return keys.size < rows.length ? 'a row came twice' : undefined
}

function aggregate({ measure, property }: Pick<SeriesChart, 'measure' | 'property'>): string {
  const value = `toFloat(${propertyField(property ?? '')})`
  const aggregates: Readonly<Record<Measure, string>> = {
    count: 'count()',
    unique: 'count(DISTINCT person_id)',
    sum: `sum(${value})`,
    average: `avg(${value})`,
  }
  return aggregates[measure]
}

const startRow = z.tuple([dayCell, countCell])
const backRow = z.tuple([dayCell, dayCell, countCell])

/** The cells of a retention by weeks from Monday: each person starts once, with the first start in the span's whole weeks. */
export async function queriedWeeks(
  { api, projectId, what }: InsightCall,
  { start, back, periods }: RetentionChart,
  span: ChartSpan,
  zone: string,
): Promise<ChartCell[]> {
  const weeks = periodsOf(span, 'week')
  if (weeks.length === 0) return []
  const range = timeRange({ first: weeks[0]!.first, last: weeks.at(-1)!.last }, zone)
  const week = bucket('week', zone)
  const starts =
    `SELECT person_id, min(${week}) AS started FROM events ` +
    `WHERE ${range} AND ${eventsCondition(start)} GROUP BY person_id`
  const backs = `SELECT DISTINCT person_id, ${week} AS returned FROM events WHERE ${range} AND ${eventsCondition(back)}`
  const first = `SELECT started, count() FROM (${starts}) GROUP BY started LIMIT ${MAX_ROWS}`
  const later =
    `SELECT s.started, b.returned, count() FROM (${starts}) AS s JOIN (${backs}) AS b ON s.person_id = b.person_id ` +
    `WHERE b.returned > s.started AND b.returned <= toString(toDate(s.started) + toIntervalWeek(${periods - 1})) ` +
    `GROUP BY s.started, b.returned LIMIT ${MAX_ROWS}`
  const starters = await askRows(api, projectId, { query: first, what, row: startRow })
  const returners = await askRows(api, projectId, { query: later, what, row: backRow })
  const mondays = weeks.map((period) => period.first)
  const problem =
    oddRows(wholeAnswer(starters, what), mondays, 1) ?? oddRows(wholeAnswer(returners, what), mondays, 2)
  if (problem !== undefined) throw shapeError(api.origin, what, problem)
  const cells = starters.map(([day, value]) => ({ at: `${day}+0`, by: null, value }))
  for (const [day, returned, value] of returners) {
    const after = mondays.indexOf(returned) - mondays.indexOf(day)
    if (after < 1 || after >= periods)
      throw shapeError(api.origin, what, `${returned} is no week after ${day}`)
    cells.push({ at: `${day}+${after}`, by: null, value })
  }
  return cells
}

// An event without a person has an id made of its distinct_id, and nobody is made of it.
const HAS_PERSON = "ifNull(toString(properties.$process_person_profile), '') != 'false'"

/** How many persons have events. */
export async function queriedPeople({ api, projectId, what }: InsightCall): Promise<ChartCell[]> {
  const query = `SELECT count(DISTINCT person_id) FROM events WHERE ${HAS_PERSON} LIMIT 1`
  const [value] = await askRow(api, projectId, { query, what, row: z.tuple([countCell]) })
  return [{ at: 'whole', by: null, value }]
}
