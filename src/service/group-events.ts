import { z } from 'zod'
import type { Groups, GroupType } from './groups.ts'
import { countCell, readRow, runQuery, sqlText, sqlUtc, timeCell } from './query.ts'

/** How many events name a group, and the times of the first and the last of them. */
export interface GroupEvents {
  readonly count: number
  readonly first: string | null
  readonly last: string | null
}

const row = z.tuple([countCell, timeCell.nullable(), timeCell.nullable()])

/** Counts the events whose `properties.$groups` names the group, each uuid once. */
export async function groupEvents(groups: Groups, type: GroupType, key: string): Promise<GroupEvents> {
  const what = `the events of the ${type.name} ${JSON.stringify(key)}`
  const query =
    `SELECT count(DISTINCT uuid), ${sqlUtc('min(timestamp)')}, ${sqlUtc('max(timestamp)')} FROM events ` +
    `WHERE JSONExtractString(properties.$groups, ${sqlText(type.name)}) = ${sqlText(key)}`
  const page = await runQuery(groups.api, groups.projectId, query, what)
  const [count, first, last] = readRow(groups.api, page, row, what)
  // If there are no events, min and max are null or the epoch.
  return count === 0 ? { count: 0, first: null, last: null } : { count, first, last }
}
