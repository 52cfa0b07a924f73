/*
 * Whether a field may be written, decided from four values: what the folder wants, what the project has, and what the last
 * push sent and found there afterwards.
 *
 *     the project has what is wanted                                        alike
 *     the last push sent this, and the project has what was left then       refused: the server stores it otherwise
 *     the project has what the last push left, the folder has changed       set
 *     the last push did not touch it, and the project has nothing           set
 *     anything else: a person wrote there                                   kept, set only with --overwrite
 *
 * An empty field of the folder is wanted only where the last push had filled it.
 */
import { isDeepStrictEqual } from 'node:util'
import { type AroundKind, isEmpty } from '../../around/index.ts'

/** Values by field, as rows have them; an absent one says nothing. */
export type Fields = Readonly<Record<string, unknown>>

/** The fields of each kind that are compared and written. Others of a row are what tells it from others, or only shown. */
export const COMPARED: Readonly<Record<AroundKind, readonly string[]>> = {
  events: ['description', 'tags', 'hidden', 'verified'],
  properties: ['type', 'description', 'tags', 'hidden', 'verified'],
  annotations: ['text', 'at'],
  cohorts: ['name', 'description'],
  reports: ['name', 'description', 'query', 'tags'],
  dashboards: ['name', 'description', 'pinned', 'tags', 'tiles'],
}

/** What the last push did to a thing of the project. */
export interface LastPush {
  /** As they were before the first push. */
  readonly before: Fields
  readonly sent: Fields
  /** As the server had them afterwards; where the push was cut short, as it had them before it. */
  readonly left: Fields
  /** It was cut short, and may have been done or not. */
  readonly pending: boolean
}

export interface FieldPlan {
  readonly set: Fields
  /** Fields that a person wrote in other words. */
  readonly kept: readonly string[]
  /** Fields that the server stores otherwise than they were sent. */
  readonly refused: readonly string[]
}

/** Decides for all fields of a kind. `theirs`: the project's; undefined for a thing that is not there. */
export function planFields(
  kind: AroundKind,
  want: Fields,
  theirs: Fields,
  { last, overwrite }: { readonly last: LastPush | undefined; readonly overwrite: boolean },
): FieldPlan {
  const set: Record<string, unknown> = {}
  const kept: string[] = []
  const refused: string[] = []
  for (const field of COMPARED[kind]) {
    const wasSent = last !== undefined && field in last.sent
    if (isEmpty(want[field]) && !wasSent) continue
    if (same(want[field], theirs[field])) continue
    const isOurs = wasSent ? same(theirs[field], last.left[field]) : isEmpty(theirs[field])
    if (wasSent && !last.pending && isOurs && same(want[field], last.sent[field]) && !overwrite)
      refused.push(field)
    else if (isOurs || overwrite) set[field] = want[field]
    else kept.push(field)
  }
  return { set, kept, refused }
}

/** The fields of a row that are compared, without those that say nothing. */
export function comparedOf(kind: AroundKind, row: Fields): Fields {
  return Object.fromEntries(
    COMPARED[kind].filter((field) => !isEmpty(row[field])).map((field) => [field, row[field]]),
  )
}

/** Tags are added to those that are there; taken away are those that the last push brought, and the folder has no more. */
export function wantedTags(
  mine: readonly string[],
  theirs: readonly string[],
  last: LastPush | undefined,
): string[] {
  const own = mine.map((tag) => tag.trim().toLowerCase())
  const brought = (last?.sent.tags ?? []) as readonly string[]
  const before = (last?.before.tags ?? []) as readonly string[]
  const kept = theirs.filter((tag) => !brought.includes(tag) || before.includes(tag))
  return [...new Set([...kept, ...own])].sort()
}

export function same(a: unknown, b: unknown): boolean {
  return (isEmpty(a) && isEmpty(b)) || isDeepStrictEqual(ordered(a), ordered(b))
}

/** Tags have no order. */
function ordered(value: unknown): unknown {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.toSorted() : value
}
