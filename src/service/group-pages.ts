import { PosthaulError } from '../errors.ts'
import { shapeError } from './errors.ts'
import type { Group, Groups, GroupType } from './groups.ts'
import { nextPath } from './next-page.ts'
import { cutPage, type Page } from './page.ts'

/** A page of groups and where to go on after it. */
export interface GroupPage {
  readonly groups: readonly Group[]
  /** The same for two pages of the same groups. */
  readonly fingerprint: string
  /** The path of the next page, to resume from; undefined on the last. */
  readonly nextPath: string | undefined
}

/** The service gave a page a second time: read on, the list would never end. */
export class RepeatedPage extends PosthaulError {
  constructor(message: string, hint: string) {
    super(message, { code: 'unavailable', hint })
    this.name = 'RepeatedPage'
  }
}

export interface PageOptions {
  /** Part of a group's name or key. */
  readonly search?: string
  /** The path a former run would have fetched next. */
  readonly from?: string
  /** Fingerprints of pages that a former run has read. */
  readonly seen?: Iterable<string>
}

/** All groups of a type, a page at a time, newest first. Holds one page. RepeatedPage when it goes in a circle. */
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
    // A cursor the server no longer knows silently means page one: without this, an export never ends.
    if (page.rows.length > 0 && known.has(page.fingerprint)) {
      throw new RepeatedPage(
        `${api.origin}: the list of groups of type ${type.name} came back to an earlier page`,
        'the cursor has expired, or groups change as they are read; run the command again',
      )
    }
    known.add(page.fingerprint)
    path = page.next === undefined ? undefined : nextPath(page.next, api.origin, path)
    const found = page.rows.map((row) => groups.read(row, subject.what))
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
