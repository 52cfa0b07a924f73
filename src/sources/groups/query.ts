import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import { elements } from '../../record/cut.ts'
import { ServiceError } from '../../service/errors.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import type { Page } from '../../service/page.ts'
import { runQuery } from '../../service/query.ts'
import { sqlText, sqlUtc } from '../../service/sql-text.ts'
import type { GroupBatch, GroupRecord, ReadFrom } from './record.ts'

// The service would give 50,000; memory holds a page as bytes, as text and as values.
const MOST_ROWS = 10_000

const row = z.tuple([z.string(), z.unknown(), z.string()])

/**
 * Reads a type's groups over the query endpoint, by key: each page begins behind the last key of the one before, so
 * groups that come or go meanwhile shift nothing. Up to 10,000 a page; fewer where the service finds
 * that too much.
 */
export async function* readByQuery(
  groups: Groups,
  type: GroupType,
  { next, seen }: ReadFrom,
): AsyncGenerator<GroupBatch> {
  const known = new Set(seen)
  let limit = MOST_ROWS
  let after = next
  for (;;) {
    let page: Page
    try {
      page = await askFor(groups, type, after, limit)
    } catch (error) {
      if (!(error instanceof ServiceError && error.heavy) || limit === 1) throw error
      limit = Math.ceil(limit / 4)
      continue
    }
    if (page.rows.length === 0) {
      yield { groups: [], seen: '', next: null }
      return
    }
    if (known.has(page.fingerprint)) {
      throw new PosthaulError(`${groups.api.origin}: the ${type.name} groups came back to an earlier page`, {
        code: 'unavailable',
        hint: 'run the command with --via rest',
      })
    }
    known.add(page.fingerprint)
    const records = page.rows.map((one) => recordOf(groups, type, one))
    after = records.at(-1)!.key
    yield { groups: records, seen: page.fingerprint, next: after }
  }
}

/** The first group of a type, to see whether the key may query at all. */
export async function tryQuery(groups: Groups, type: GroupType): Promise<void> {
  await askFor(groups, type, undefined, 1)
}

async function askFor(
  groups: Groups,
  type: GroupType,
  after: string | undefined,
  limit: number,
): Promise<Page> {
  const query =
    `SELECT key, properties, ${sqlUtc('created_at')} FROM groups WHERE index = ${type.index}` +
    `${after === undefined ? '' : ` AND key > ${sqlText(after)}`} ORDER BY key LIMIT ${limit}`
  return runQuery(groups.api, groups.projectId, query, what(type), limit > 1)
}

function recordOf(groups: Groups, type: GroupType, { text, value }: Page['rows'][number]): GroupRecord {
  const [key, properties, createdAt] = groups.api.check(value, row, what(type))
  // The table keeps properties as JSON text: a string of this answer, to be taken as it is.
  return { key, createdAt, properties: typeof properties === 'string' ? properties : elements(text)[1]! }
}

function what(type: GroupType): string {
  return `the groups of type ${type.name}`
}
