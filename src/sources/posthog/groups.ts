import { z } from 'zod'
import { systemClock } from '../../http/clock.ts'
import { RateLimiter } from '../../http/rate-limiter.ts'
import { elements } from '../../record/json-values.ts'
import { ServiceError } from '../../service/errors.ts'
import {
  type Group,
  type Groups,
  type GroupType,
  groupPages,
  oneLine,
  RepeatedPage,
} from '../../service/groups.ts'
import type { Page, PageRow } from '../../service/next-page.ts'
import { isQueryRefused, runQuery, sqlText, sqlUtc, timeCell } from '../../service/query.ts'
import { forgetPages, keptPages, type ReadFrom, type RecordPage } from '../kept-pages.ts'
import type { ExportOrder, ExportPiece } from '../source.ts'

// The service would return 50,000, but memory holds a page three times: as bytes, as text and as values.
const MOST_ROWS = 10_000

const row = z.tuple([z.string(), z.unknown(), timeCell])

/**
 * Reads a type's groups by the query endpoint, in the order of their keys. Each page begins after the last key of the
 * one before, so groups that come or go meanwhile shift nothing. A page has up to 10,000 groups, or fewer if the
 * service refuses that as too much. `next`: null on the last page.
 */
export async function* queryGroups(groups: Groups, type: GroupType, { next, seen }: ReadFrom) {
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
        `${groups.api.origin}: the ${type.name} groups led back to an earlier page`,
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
  return await runQuery(groups, { query, what: what(type), canShrink: limit > 1 })
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

/** How groups are read: by the list endpoint or by the query endpoint. */
type GroupsVia = 'rest' | 'query'

/** Types that are read at once. All of them share the service's quota, so more would not be faster. */
export const TYPES_AT_ONCE = 3

const FIRST: ReadFrom = { next: undefined, seen: [] }

export interface GroupsOptions {
  readonly groups: Groups
  readonly types: readonly GroupType[]
  readonly via: GroupsVia
  /** The path at which a piece's pages are kept, so that a later run goes on after the last whole page. */
  readonly keep: (piece: string) => string
  /** Called after every page, with the number of the type's groups on disk. */
  readonly onPage: (type: GroupType, total: number) => void
}

/** An export of only a project's groups, with a piece for each type. */
export function groupsOrder(options: GroupsOptions): ExportOrder {
  const { groups, types, via } = options
  return {
    preset: 'posthog',
    identity: {
      vendor: 'posthog',
      host: groups.api.origin,
      project: groups.projectId,
      // The two ways have different pages, so one cannot go on with the other's.
      via,
      group_types: JSON.stringify(types.map(({ index, name }) => [index, name])),
    },
    open: () => ({
      pieces: types.map((type) => typePiece(type, options)),
      // The API client keeps the quota by itself.
      limiter: new RateLimiter({ limits: [], clock: systemClock }),
      close: async () => {},
    }),
  }
}

/** All groups of a project, one on each line, for an export that has events too. */
export async function* exportGroups(groups: Groups): AsyncGenerator<Buffer> {
  for (const type of await groups.types()) {
    for await (const { lines } of recordPages(groups, type, 'query', FIRST)) yield Buffer.from(lines.join(''))
  }
}

/** How groups are read by default: by the query endpoint if the key may use it. */
export async function usualVia(groups: Groups, type: GroupType): Promise<GroupsVia> {
  try {
    await tryQuery(groups, type)
    return 'query'
  } catch (error) {
    if (isQueryRefused(error)) return 'rest'
    throw error
  }
}

/** The name of the piece that holds the groups of a type. */
export function groupsPieceName({ index }: GroupType): string {
  return `groups-${index}`
}

function typePiece(type: GroupType, { groups, via, keep, onPage }: GroupsOptions): ExportPiece {
  const name = groupsPieceName(type)
  return {
    name,
    asks: `${groups.api.origin}${groups.path('groups/', { group_type_index: String(type.index) })}`,
    finalAt: 0,
    fetch: () =>
      keptPages(
        keep(name),
        (from) => forgettingRepeats(recordPages(groups, type, via, from), keep(name)),
        (total) => onPage(type, total),
      ),
  }
}

/** If a page comes again after a restart, the cursor has expired: drops the pages, so that the next run begins anew. */
async function* forgettingRepeats(
  pages: AsyncIterable<RecordPage>,
  path: string,
): AsyncGenerator<RecordPage> {
  try {
    yield* pages
  } catch (error) {
    if (error instanceof RepeatedPage) await forgetPages(path)
    throw error
  }
}

async function* recordPages(
  groups: Groups,
  type: GroupType,
  via: GroupsVia,
  { next: from, seen }: ReadFrom,
): AsyncGenerator<RecordPage> {
  const lines = (found: readonly Group[]) => found.map((group) => groupLine(type, group))
  if (via === 'query') {
    for await (const { groups: found, fingerprint, next } of queryGroups(groups, type, { next: from, seen }))
      yield { lines: lines(found), fingerprint, next }
    return
  }
  const pages = groupPages(groups, type, { seen, ...(from !== undefined && { from }) })
  for await (const { groups: found, fingerprint, nextPath = null } of pages)
    yield { lines: lines(found), fingerprint, next: nextPath }
}

/** A group's record as the list endpoint gives it, with the type's name: its index is valid only in this project. */
function groupLine(type: GroupType, group: Group): string {
  const text = JSON.stringify
  return (
    `{"group_type":${text(type.name)},"group_type_index":${group.group_type_index},` +
    `"group_key":${text(group.group_key)},"group_properties":${group.group_properties},` +
    `"created_at":${text(group.created_at)}}\n`
  )
}
