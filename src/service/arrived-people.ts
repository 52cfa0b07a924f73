import { z } from 'zod'
import type { Api } from './api.ts'
import { type EventFilter, sqlWhere } from './event-filter.ts'
import { MAX_ROWS, readRows, runQuery, sqlText } from './query.ts'

/** Ids that one query names. */
const MOST_IDS = 1000
/** The group types that a project can have. */
const GROUP_TYPES = 5

/** Counts of the service's `uniq`: right to about one in a hundred. */
export interface PeopleCount {
  readonly distinctIds: number
  readonly persons: number
  /** Events with a group of each type, by the type's index. */
  readonly grouped: readonly number[]
}

const countsRow = z.array(z.int()).length(2 + GROUP_TYPES)
const idRow = z.tuple([z.string(), z.string()])
const typeRow = z.tuple([z.int(), z.int()])
const keyRow = z.tuple([z.int(), z.string()])

/** The distinct ids and persons of events, and how many of these belong to a group of each type. */
export async function countPeople(api: Api, projectId: string, filter: EventFilter): Promise<PeopleCount> {
  const what = 'the number of persons'
  const grouped = Array.from({ length: GROUP_TYPES }, (_, n) => `uniqIf(uuid, notEmpty($group_${n}))`)
  const query =
    `SELECT uniq(distinct_id), uniq(person_id), ${grouped.join(', ')} FROM events ` +
    `WHERE ${sqlWhere(filter)} LIMIT 1`
  const [row] = readRows(api, await runQuery(api, projectId, query, what, true), countsRow, what)
  const [distinctIds = 0, persons = 0, ...rest] = row ?? []
  return { distinctIds, persons, grouped: rest }
}

/** The person that each of these distinct ids leads to; ids without one are left out. */
export async function personsOf(
  api: Api,
  projectId: string,
  distinctIds: readonly string[],
): Promise<Map<string, string>> {
  const what = 'the persons of distinct ids'
  const persons = new Map<string, string>()
  for (let at = 0; at < distinctIds.length; at += MOST_IDS) {
    const ids = distinctIds.slice(at, at + MOST_IDS).map(sqlText)
    const query =
      'SELECT distinct_id, toString(person_id) FROM person_distinct_ids ' +
      `WHERE distinct_id IN (${ids.join(', ')}) LIMIT ${MAX_ROWS}`
    const rows = readRows(api, await runQuery(api, projectId, query, what), idRow, what)
    for (const [id, person] of rows) persons.set(id, person)
  }
  return persons
}

/** How many groups each type has, by the type's index. */
export async function countGroups(api: Api, projectId: string): Promise<Map<number, number>> {
  const what = 'the number of groups'
  const query = `SELECT index, count() FROM groups GROUP BY index ORDER BY index LIMIT 100`
  return new Map(readRows(api, await runQuery(api, projectId, query, what), typeRow, what))
}

/** Which of these keys are groups of the type. */
export async function knownGroups(
  api: Api,
  projectId: string,
  index: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const what = 'the keys of groups'
  const found = new Set<string>()
  for (let at = 0; at < keys.length; at += MOST_IDS) {
    const asked = keys.slice(at, at + MOST_IDS).map(sqlText)
    const query = `SELECT index, key FROM groups WHERE index = ${index} AND key IN (${asked.join(', ')}) LIMIT ${MAX_ROWS}`
    const rows = readRows(api, await runQuery(api, projectId, query, what), keyRow, what)
    for (const [, key] of rows) found.add(key)
  }
  return found
}
