import { RateLimiter, systemClock } from '../../http/index.ts'
import {
  type Group,
  type Groups,
  type GroupType,
  groupPages,
  isQueryRefused,
  RepeatedPage,
} from '../../service/index.ts'
import { forgetPages, keptPages, type ReadFrom, type RecordPage } from '../kept-pages.ts'
import type { ExportOrder, ExportPiece } from '../source.ts'
import { queryGroups, tryQuery } from './groups-by-query.ts'

/** How groups are read: by the list endpoint or by the query endpoint. */
export type GroupsVia = 'rest' | 'query'

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
    vendor: 'posthog',
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
