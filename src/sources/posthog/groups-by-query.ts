import { z } from 'zod'
import { elements } from '../../record/index.ts'
import {
  type Group,
  type Groups,
  type GroupType,
  oneLine,
  type Page,
  type PageRow,
  RepeatedPage,
  runQuery,
  ServiceError,
  sqlText,
  sqlUtc,
  timeCell,
} from '../../service/index.ts'
import type { ReadFrom } from '../kept-pages.ts'

// The service would return 50,000, but memory holds a page three times: as bytes, as text and as values.
const MOST_ROWS = 10_000

const row = z.tuple([z.string(), z.unknown(), timeCell])

/** A page of a type's groups. The next page begins after the key `next`; null on the last page. */
export interface QueriedGroups {
  readonly groups: readonly Group[]
  readonly fingerprint: string
  readonly next: string | null
}

/**
 * Reads a type's groups by the query endpoint, in the order of their keys. Each page begins after the last key of the
 * one before, so groups that come or go meanwhile shift nothing. A page has up to 10,000 groups, or fewer if the
 * service refuses that as too much.
 */
export async function* queryGroups(
  groups: Groups,
  type: GroupType,
  { next, seen }: ReadFrom,
): AsyncGenerator<QueriedGroups> {
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
      yield { groups: [], fingerprint: '', next: null }
      return
    }
    if (known.has(page.fingerprint)) {
      throw new RepeatedPage(
        `${groups.api.origin}: the ${type.name} groups came back to an earlier page`,
        'run the command with --via rest',
      )
    }
    known.add(page.fingerprint)
    const found = page.rows.map((one) => groupOf(groups, type, one))
    after = found.at(-1)!.group_key
    yield { groups: found, fingerprint: page.fingerprint, next: after }
  }
}

/** Queries the first group of a type, to find out whether the key may query at all. */
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
  return await runQuery(groups.api, groups.projectId, query, what(type), limit > 1)
}

function groupOf(groups: Groups, type: GroupType, { text, value }: PageRow): Group {
  const [key, properties, createdAt] = groups.api.check(value, row, what(type))
  // The table keeps properties as JSON text: usually a string of this answer, which is used as it is.
  const json = typeof properties === 'string' ? properties.trim() || 'null' : elements(text)[1]!
  return {
    group_type_index: type.index,
    group_key: key,
    group_properties: oneLine(json),
    created_at: createdAt,
  }
}

function what(type: GroupType): string {
  return `the groups of type ${type.name}`
}
