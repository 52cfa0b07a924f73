import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { ServiceError } from './errors.ts'
import {
  askRow,
  askRows,
  assertOnward,
  countCell,
  inShares,
  MAX_ROWS,
  sqlText,
  sqlUtc,
  timeCell,
} from './query.ts'

/** Persons that one query names: their properties are tens of kilobytes each at most. */
const MOST_PERSONS = 500

const countRow = z.tuple([countCell])
const pairRow = z.tuple([z.string(), z.string()])
const firstRow = z.tuple([timeCell.nullable()])
const spanRow = z.tuple([z.string(), timeCell, timeCell])

/** How many distinct ids the project's persons have. */
export async function countDistinctIds(project: AskedProject): Promise<number> {
  const what = 'the number of distinct ids'
  const query = 'SELECT count() FROM person_distinct_ids LIMIT 1'
  return (await askRow(project, { query, what, row: countRow }))[0]
}

/** All distinct ids of the project with their persons, in pages that begin after the last id of the one before. */
export async function* allDistinctIds(
  project: AskedProject,
  pageRows = MAX_ROWS,
): AsyncGenerator<readonly (readonly [distinctId: string, person: string])[]> {
  const what = 'the distinct ids of persons'
  let after: string | undefined
  for (;;) {
    const from = after === undefined ? '' : `WHERE distinct_id > ${sqlText(after)} `
    const query =
      `SELECT distinct_id, toString(person_id) FROM person_distinct_ids ${from}` +
      `ORDER BY distinct_id LIMIT ${pageRows}`
    const rows = await askRows(project, { query, what, row: pairRow })
    // A server may give fewer rows than were asked for: only a page without any is the end.
    if (rows.length === 0) return
    assertOnward(project, what, after, rows.at(-1)![0])
    yield rows
    after = rows.at(-1)![0]
  }
}

/** The properties of these persons, as JSON text; those that are not there are left out. */
export function storedPersons(
  project: AskedProject,
  ids: readonly string[],
): Promise<readonly (readonly [id: string, properties: string])[]> {
  const what = 'the properties of persons'
  return inShares(ids, MOST_PERSONS, (some, canShrink) => {
    const query =
      `SELECT toString(id), properties FROM persons WHERE id IN (${some.map(sqlText).join(', ')}) ` +
      `LIMIT ${MAX_ROWS}`
    return askRows(project, { query, what, row: pairRow, canShrink })
  })
}

/** When the project's first event happened; undefined if that takes the service too long. */
export async function firstEvent(project: AskedProject): Promise<string | undefined> {
  const what = 'the time of the first event'
  try {
    const query = `SELECT ${sqlUtc('min(timestamp)')} FROM events LIMIT 1`
    const asked = { query, what, row: firstRow, canShrink: true }
    return (await askRow(project, asked))[0] ?? undefined
  } catch (error) {
    if (error instanceof ServiceError && error.heavy) return undefined
    throw error
  }
}

/**
 * When the first and the last event of these persons happened: `2024-03-01 12:34:56.789`, in UTC. Persons without events are
 * left out.
 */
export function personSpans(
  project: AskedProject,
  ids: readonly string[],
): Promise<readonly (readonly [id: string, first: string, last: string])[]> {
  const what = 'the times of persons'
  return inShares(ids, MOST_PERSONS, (some, canShrink) => {
    const query =
      `SELECT toString(person_id) AS person, ${sqlUtc('min(timestamp)')}, ${sqlUtc('max(timestamp)')} FROM events ` +
      `WHERE person_id IN (${some.map(sqlText).join(', ')}) GROUP BY person LIMIT ${MAX_ROWS}`
    return askRows(project, { query, what, row: spanRow, canShrink })
  })
}
