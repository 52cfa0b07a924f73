import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { ServiceError } from './errors.ts'
import {
  type EventFilter,
  halves,
  type OwnImport,
  ofIds,
  ofOtherImports,
  sqlWhere,
  UNREADABLE,
  UTC_DAY,
} from './event-filter.ts'
import { askRow, askRows, countCell, dayCell, MAX_ROWS, sqlText } from './query.ts'

/** So many questions are asked at most: who only wants to know what there is must not use up the hour's queries. */
const MOST_QUESTIONS = 16

/** A UTC day of the project, and how many events it has there. Copies that are not merged yet count. */
export interface EventsOfDay {
  readonly day: string
  readonly events: number
  /** Of those, the events that carry the id of this import: they were sent before. */
  readonly own: number
  /** Those of other imports. Neither: live events, and what posthaul sent by the same preset under another id. */
  readonly others: number
}

const row = z.tuple([dayCell, countCell, countCell, countCell])
const anyRow = z.array(z.unknown())
const WHAT = 'the number of events a day'

/**
 * Counts all events of the project from one day to another, and tells those of this import apart. Copies that
 * are not merged yet count. What is too much for one query is asked in halves, in at most 16 questions. Throws
 * ServiceError.
 */
export async function eventsByDay(
  project: AskedProject,
  { first, last }: Pick<EventFilter, 'first' | 'last'>,
  own: OwnImport,
): Promise<EventsOfDay[]> {
  const counted: EventsOfDay[] = []
  const left: EventFilter[] = [{ first, last, importIds: null }]
  for (let asked = 0; left.length > 0; asked++) {
    const filter = left.shift()!
    const smaller = halves(filter)
    const canShrink = smaller !== undefined && asked + left.length + 2 < MOST_QUESTIONS
    try {
      const query = dayQuery(filter, own)
      const rows = await askRows(project, { query, what: WHAT, row, canShrink })
      counted.push(...rows.map(([day, events, own, others]) => ({ day, events, own, others })))
    } catch (error) {
      if (!(error instanceof ServiceError && error.heavy) || !canShrink) throw error
      left.unshift(...smaller)
    }
  }
  return counted
}

/** Counts all events of the project, and those that carry one of each list's `$import_job_id`. Throws ServiceError. */
export async function countMarked(
  project: AskedProject,
  lists: readonly (readonly string[])[],
): Promise<number[]> {
  const counts = lists.map((importIds) => `countIf(${ofIds({ importIds })})`)
  const query = `SELECT ${['count()', ...counts].join(', ')} FROM events`
  return askRow(project, { query, what: 'the number of events', row: z.array(countCell) })
}

/** True if the project has no event at all, or none of this name. */
export async function hasNoEvent(project: AskedProject, name?: string): Promise<boolean> {
  const what = 'whether the project has events'
  const where = name === undefined ? '' : `WHERE event = ${sqlText(name)} `
  const query = `SELECT event FROM events ${where}LIMIT 1`
  return (await askRows(project, { query, what, row: anyRow })).length === 0
}

/** True if some of these days' events are kept as one text, as far as the service says: it may have no time to look. */
export async function hasUnreadable(project: AskedProject, first: string, last: string): Promise<boolean> {
  const what = 'whether events are kept as one text'
  const where = `${sqlWhere({ first, last, importIds: null })} AND ${UNREADABLE}`
  try {
    const query = `SELECT event FROM events WHERE ${where} LIMIT 1`
    return (await askRows(project, { query, what, row: anyRow, canShrink: true })).length > 0
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

/** The query of `eventsByDay`. */
export function dayQuery(filter: EventFilter, own: OwnImport): string {
  const ids = ofIds(own)
  return (
    `SELECT ${UTC_DAY} AS day, count(), ${ids === undefined ? '0' : `countIf(${ids})`}, countIf(${ofOtherImports(own)}) ` +
    `FROM events WHERE ${sqlWhere(filter)} GROUP BY day ORDER BY day LIMIT ${MAX_ROWS}`
  )
}
