import { quotedSegment } from '../../mapping/member-path.ts'
import { flatPlace, rowObject } from '../../mapping/named-rows.ts'
import type { Preset } from '../../mapping/preset.ts'
import { members } from '../../record/json-values.ts'

/** Where each column of a table of flattened events lies in its event; null for one that says the same again. */
export type FlatColumns = ReadonlyMap<string, string | null>

/**
 * The columns of "Export as CSV" of PostHog's page of events, which names each member of an event by its path below `*.`, and
 * of its older exporter, which leaves that out. Undefined for other tables. `known`: the members of an event that the preset of PostHog reads.
 */
export function flatColumns(names: readonly string[], known: Preset['fields']): FlatColumns | undefined {
  const isStarred = names.includes('*.event') && names.includes('*.distinct_id')
  const isOld =
    ['event', 'distinct_id', 'timestamp'].every((name) => names.includes(name)) &&
    names.some((name) => name.startsWith('properties.'))
  if (!isStarred && !isOld) return undefined
  const paths = names.map((name) => flatPlace(name) ?? (isStarred ? undefined : [name]))
  const places = paths.map((path) => path?.map(quotedSegment).join('.'))
  return new Map(
    names.map((name, at) => {
      const place = places[at]
      const isOpened = places.some((other) => place !== undefined && other?.startsWith(`${place}.`))
      const isKnown = Object.hasOwn(known, paths[at]?.[0] ?? '')
      return [name, place === undefined || isOpened || !isKnown ? null : place]
    }),
  )
}

/** A row of such a table as the event that it is of. */
export function eventOf(row: string): string {
  const cells = members(row)
  return rowObject(
    cells.map(([name]) => name),
    `[${cells.map(([, json]) => json).join(',')}]`,
  )!
}
