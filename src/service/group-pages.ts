import { PosthaulError } from '../errors.ts'
import { shapeError } from './errors.ts'
import type { Group, Groups, GroupType } from './groups.ts'
import { nextPath } from './next-page.ts'
import { cutPage, type Page } from './page.ts'

/** A page of groups, and the path of the next. */
export interface GroupPage {
  readonly groups: readonly Group[]
  /** A hash of the page: two pages of the same groups have the same. */
  readonly fingerprint: string
  /** The path of the next page, also for a later run to resume from; undefined on the last page. */
  readonly nextPath: string | undefined
}

/** The service gave the same page twice. The list would never end. */
export class RepeatedPage extends PosthaulError {
  constructor(message: string, hint: string) {
    super(message, { code: 'unavailable', hint })
    this.name = 'RepeatedPage'
  }
}

export interface PageOptions {
  /** Only groups with this text in their name or key. */
  readonly search?: string
  /** The path to begin at: an earlier run's `nextPath`. */
  readonly from?: string
  /** The fingerprints of the pages that earlier runs have read. */
  readonly seen?: Iterable<string>
}

/** All groups of a type, page by page, newest first. Throws RepeatedPage if a page comes a second time. */
export async function* groupPages(
  groups: Groups,
  type: GroupType,
  { search, from, seen = [] }: PageOptions = {},
): AsyncGenerator<GroupPage> {
  const query = { group_type_index: String(type.index), ...(search !== undefined && { search }) }
  const subject = groups.subject(`the groups of type ${type.name}`)
  const { api } = groups
  const known = new Set(seen)
  let path: string | undefined = from ?? groups.path('groups/', query)
  while (path !== undefined) {
    const page = cut((await api.get(path, subject)).bytes)
    // A server answers a cursor that it no longer knows with page one. Without this check, an export would never end.
    if (page.rows.length > 0 && known.has(page.fingerprint)) {
      throw new RepeatedPage(
        `${api.origin}: the list of groups of type ${type.name} came back to an earlier page`,
        'the cursor has expired, or groups change as they are read; run the command again',
      )
    }
    known.add(page.fingerprint)
    path = page.next === undefined ? undefined : nextPath(page.next, api.origin, path)
    const found = page.rows.map((row) => groups.read(row, subject.what))
    if (found.some(({ group_type_index: index }) => index !== type.index))
      throw shapeError(api.origin, subject.what, 'a group is of another type')
    yield { groups: found, fingerprint: page.fingerprint, nextPath: path }
  }

  function cut(bytes: Buffer): Page {
    try {
      return cutPage(bytes)
    } catch (error) {
      if (error instanceof RangeError) throw shapeError(api.origin, subject.what, error.message)
      throw error
    }
  }
}
