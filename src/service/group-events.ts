import { z } from 'zod'
import type { Groups, GroupType } from './groups.ts'
import { countCell, readRows, runQuery, sqlText, sqlUtc } from './query.ts'

/** How many events name a group, and the times of the first and the last of them. */
export interface GroupEvents {
  readonly count: number
  readonly first: string | null
  readonly last: string | null
}

const row = z.tuple([countCell, z.string().nullable(), z.string().nullable()])

/** Counts the events whose `properties.$groups` names the group, each uuid once. */
export async function groupEvents(groups: Groups, type: GroupType, key: string): Promise<GroupEvents> {
  const what = `the events of the ${type.name} ${JSON.stringify(key)}`
  const query =
    `SELECT count(DISTINCT uuid), ${sqlUtc('min(timestamp)')}, ${sqlUtc('max(timestamp)')} FROM events ` +
    `WHERE JSONExtractString(properties.$groups, ${sqlText(type.name)}) = ${sqlText(key)}`
  const page = await runQuery(groups.api, groups.projectId, query, what)
  const [first] = readRows(groups.api, page, row, what)
  // If there are no events, min and max are null or the epoch.
  if (!first || first[0] === 0) return { count: 0, first: null, last: null }
  return { count: first[0], first: first[1], last: first[2] }
}
