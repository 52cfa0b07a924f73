import { keyOf } from '../record/keys.ts'
import { isNobody } from '../record/nobody.ts'
import { cleanDistinctId } from '../record/rules.ts'
import { textIn } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import type { Link } from './link.ts'

/** Two ids that a record says are one person's. */
export interface IdLink {
  readonly from: string
  readonly to: string
  /** False for an anonymous id: it belongs to the first user it is seen with, and to no later one. */
  readonly firm: boolean
}

/** The ids of one record, as the source has them. */
export interface RecordIds {
  readonly distinctId: string
  readonly links: readonly IdLink[]
  /** Microseconds. */
  readonly instant: number
}

/** Knows whose records are to be left out. */
export interface People {
  leavesOut(ids: RecordIds): boolean
  /** True for an id that no event may be made of. */
  isForgotten(id: string): boolean
  /** True if a record that can't be mapped holds such an id. */
  isNamedIn(record: string): boolean
}

/** Why such a record is filtered. */
export const FORGOTTEN = 'forgotten'

const ANON_DISTINCT_ID = keyOf('$anon_distinct_id')
const ALIAS = keyOf('alias')
const USER_ID = keyOf('$user_id')

/** What a record's event says of ids. `link` is what the preset found. */
export function linksOf(
  draft: EventDraft,
  distinctId: string,
  link: Link | undefined,
  vendor: string,
): IdLink[] {
  const links: IdLink[] = []
  const add = (from: string | undefined, to: string | undefined, firm: boolean) => {
    if (from === undefined || to === undefined || from === to || isNobody(from) || isNobody(to)) return
    links.push({ from, to, firm })
  }
  if (link) add(link.anonymous.text, link.user.text, false)
  const { event, properties } = draft
  const idIn = (key: number) => cleanId(properties.json(key))
  if (event === '$identify') add(idIn(ANON_DISTINCT_ID), distinctId, false)
  if (event === '$create_alias' || event === '$merge_dangerously') add(idIn(ALIAS), distinctId, true)
  for (const key of [USER_ID, keyOf(`$${vendor}_user_id`)]) add(distinctId, idIn(key), false)
  return links
}

function cleanId(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null' || /^[[{tf]/.test(json)) return undefined
  const id = cleanDistinctId(textIn(json))
  return typeof id === 'string' ? id : undefined
}
