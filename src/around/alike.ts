import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { groupedBy } from '../text/index.ts'
import { type AroundKind, type AroundRow, rowKey } from './around-kinds.ts'

type Loose = Readonly<Record<string, unknown>>
type Json = z.core.util.JSONType

/** True for a value that says nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** What a thing has besides what a row says of it, without what is empty; undefined if that is nothing. */
export function restOf(thing: Loose, said: readonly string[]): Record<string, Json> | undefined {
  const rest = Object.entries(thing).filter(([name, value]) => !said.includes(name) && !isEmpty(value))
  return rest.length > 0 ? (Object.fromEntries(rest) as Record<string, Json>) : undefined
}

/** The fields of a row that say something. */
export type Given<T> = { [K in keyof T]?: NonNullable<T[K]> }

export function given<T extends object>(fields: T): Given<T> {
  return (restOf(fields as Loose, []) ?? {}) as Given<T>
}

/** Fields whose values add up. */
const LISTS = new Set(['events', 'tags'])

/**
 * One row of each key. A vendor may have several things where a folder has one: an annotation on each of three charts, a
 * property that each event describes in its own words. The first that has a field gives it, lists add up, and
 * what others say otherwise is in `more.also`.
 */
export function mergeAlike<K extends AroundKind>(
  kind: K,
  rows: readonly AroundRow<K>[],
): readonly AroundRow<K>[] {
  const found = groupedBy(rows, (row) => rowKey(kind, row))
  return [...found.values()].map((alike) => (alike.length === 1 ? alike[0]! : merged(alike)))
}

function merged<R extends { readonly more?: Record<string, Json> | undefined }>(alike: readonly R[]): R {
  const first: Record<string, unknown> = {}
  const also: Loose[] = []
  for (const row of alike) {
    const other: Record<string, unknown> = {}
    for (const [field, value] of Object.entries(row)) {
      const before = first[field]
      if (LISTS.has(field)) first[field] = [...new Set([before ?? [], value ?? []].flat())]
      else if (isEmpty(before)) first[field] = value
      else if (!isEmpty(value) && !isDeepStrictEqual(value, before)) other[field] = value
    }
    if (Object.keys(other).length === 0) continue
    // In whose words it is.
    const told = { ...('events' in row && { events: row.events }), ...other }
    if (!also.some((one) => isDeepStrictEqual(one, told))) also.push(told)
  }
  if (also.length > 0) first.more = { ...((first.more ?? {}) as Loose), also }
  return first as R
}
