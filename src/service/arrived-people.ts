import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { type EventFilter, sqlWhere } from './event-filter.ts'
import { askRow, askRows, countCell, inShares, MAX_ROWS, sqlText } from './query.ts'

/** Ids that one query names. */
const MOST_IDS = 1000

const countsRow = z.tuple([countCell, countCell])
const idRow = z.tuple([z.string(), z.string()])
const typeRow = z.tuple([z.int(), countCell])
const keyRow = z.tuple([z.int(), z.string()])

/** The distinct ids and persons of events, by the service's `uniq`: right to about one in a hundred. */
export async function countPeople(project: AskedProject, filter: EventFilter) {
  const what = 'the number of persons'
  const query = `SELECT uniq(distinct_id), uniq(person_id) FROM events WHERE ${sqlWhere(filter)} LIMIT 1`
  const asked = { query, what, row: countsRow, canShrink: true }
  const [distinctIds, persons] = await askRow(project, asked)
  return { distinctIds, persons }
}

/**
 * How many events name a group of each type, and how many of them queries show with it; in the order of `types`. `index` is undefined for a
 * type that the project does not have. Copies that are not merged yet count, in both numbers alike.
 */
export async function countGrouped(
  project: AskedProject,
  filter: EventFilter,
  types: readonly { readonly name: string; readonly index: number | undefined }[],
) {
  const what = 'the events of groups'
  const counts = types.flatMap(({ name, index }) => {
    const key = `JSONExtractRaw(ifNull(properties.$groups, '{}'), ${sqlText(name)})`
    const isNamed = `${key} NOT IN ('', 'null', '""') AND ifNull(properties.$process_person_profile, '') != 'false'`
    const isShown = index === undefined ? '0' : `countIf(${isNamed} AND notEmpty($group_${index}))`
    return [`countIf(${isNamed})`, isShown]
  })
  const query = `SELECT ${counts.join(', ')} FROM events WHERE ${sqlWhere(filter)} LIMIT 1`
  const row = z.array(countCell).length(counts.length)
  const found = await askRow(project, { query, what, row, canShrink: true })
  return types.map((_, n) => ({ named: found[2 * n]!, shown: found[2 * n + 1]! }))
}

/** The person that each of these distinct ids leads to; ids without one are left out. */
export async function personsOf(
  project: AskedProject,
  distinctIds: readonly string[],
): Promise<Map<string, string>> {
  const what = 'the persons of distinct ids'
  const pairs = await inShares(distinctIds, MOST_IDS, (some, canShrink) => {
    const query =
      'SELECT distinct_id, toString(person_id) FROM person_distinct_ids ' +
      `WHERE distinct_id IN (${some.map(sqlText).join(', ')}) LIMIT ${MAX_ROWS}`
    return askRows(project, { query, what, row: idRow, canShrink })
  })
  return new Map(pairs)
}

/** How many groups each type has, by the type's index. */
export async function countGroups(project: AskedProject): Promise<Map<number, number>> {
  const what = 'the number of groups'
  const query = `SELECT index, count() FROM groups GROUP BY index ORDER BY index LIMIT 100`
  return new Map(await askRows(project, { query, what, row: typeRow }))
}

/** Which of these keys are groups of the type. */
export async function knownGroups(
  project: AskedProject,
  index: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const what = 'the keys of groups'
  const rows = await inShares(keys, MOST_IDS, (some, canShrink) => {
    const query = `SELECT index, key FROM groups WHERE index = ${index} AND key IN (${some.map(sqlText).join(', ')}) LIMIT ${MAX_ROWS}`
    return askRows(project, { query, what, row: keyRow, canShrink })
  })
  return new Set(rows.filter(([of]) => of === index).map(([, key]) => key))
}
