import { z } from 'zod'
import { MS_PER_DAY } from '../units.ts'
import type { Api } from './api.ts'
import { ServiceError } from './errors.ts'
import { MAX_ROWS, readRows, runQuery, sqlText } from './query.ts'

/** How many events of a UTC day and a name the service holds. Copies of one event count once. */
export interface EventCount {
  readonly day: string
  readonly event: string
  readonly count: number
}

const row = z.tuple([z.string(), z.string(), z.int()])
const WHAT = 'the counts of events'

/**
 * Counts the events of the days from `first` to `last` (UTC, both included), day by day in order. A span with too many
 * rows or too much work for one query is halved. A single day is read in pages, each after the last event name.
 */
export async function* countEvents(
  api: Api,
  projectId: string,
  first: string,
  last: string,
  maxRows = MAX_ROWS,
): AsyncGenerator<EventCount> {
  let counts: EventCount[] | undefined
  try {
    counts = await ask(api, projectId, first, last, undefined, maxRows)
  } catch (error) {
    if (!(error instanceof ServiceError && error.heavy) || first === last) throw error
  }
  if (counts && counts.length < maxRows) {
    yield* counts
    return
  }
  if (first < last) {
    const middle = plusDays(first, Math.floor(daysBetween(first, last) / 2))
    yield* countEvents(api, projectId, first, middle, maxRows)
    yield* countEvents(api, projectId, plusDays(middle, 1), last, maxRows)
    return
  }
  while (counts && counts.length > 0) {
    yield* counts
    if (counts.length < maxRows) return
    counts = await ask(api, projectId, first, last, counts.at(-1)!.event, maxRows)
  }
}

async function ask(
  api: Api,
  projectId: string,
  first: string,
  last: string,
  after: string | undefined,
  limit: number,
): Promise<EventCount[]> {
  // DISTINCT: copies that are not merged yet are rows of their own. Vendors reuse their ids, so only uuid and
  // distinct_id together identify an event. Without toTimeZone the day would be in the project's time zone.
  const query =
    "SELECT toString(toDate(toTimeZone(timestamp, 'UTC'))) AS day, event, " +
    'count(DISTINCT concat(toString(uuid), distinct_id)) FROM events ' +
    `WHERE timestamp >= ${midnight(first)} AND timestamp < ${midnight(plusDays(last, 1))}` +
    `${after === undefined ? '' : ` AND event > ${sqlText(after)}`} ` +
    `GROUP BY day, event ORDER BY day, event LIMIT ${limit}`
  const rows = readRows(api, await runQuery(api, projectId, query, WHAT, first < last), row, WHAT)
  return rows.map(([day, event, count]) => ({ day, event, count }))
}

function midnight(day: string): string {
  return `toDateTime64(${sqlText(`${day} 00:00:00.000000`)}, 6, 'UTC')`
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10)
}

function daysBetween(first: string, last: string): number {
  return (Date.parse(last) - Date.parse(first)) / MS_PER_DAY
}
