import type { Problem } from './finding.ts'
import {
  kindOfName,
  NO_PLACES,
  type PlacesSeen,
  type StorageFound,
  type StorageKind,
} from './storage-seen.ts'

/** Kinds that values tell, and those that names tell, whose properties are counted already. */
const BY_VALUE: readonly StorageKind[] = [
  'unreadable_properties',
  'large_person_properties',
  'long_distinct_ids',
  'text_properties',
  'long_integers',
]
const BY_NAME: readonly StorageKind[] = [
  'dropped_properties',
  'person_history',
  'temporary_properties',
  'flag_properties',
]

/** A problem that is one of the storage. */
export type StorageProblem = Problem<StorageKind | 'exposures'>

/**
 * What the service will keep in another form than it is sent, or not at all. `exposures`: events that it keeps apart;
 * `properties`: events by property, where somebody has counted them. Pure.
 */
export function ofStorage(
  { kinds }: StorageFound,
  exposures: number,
  properties: Readonly<Record<string, number>>,
): StorageProblem[] {
  const found = [
    ...BY_VALUE.map((kind) => foundOf(kind, kinds[kind] ?? NO_PLACES, {})),
    ...BY_NAME.map((kind) => foundOf(kind, kinds[kind] ?? NO_PLACES, countedAs(kind, properties))),
    { kind: 'exposures' as const, count: exposures },
  ]
  return found.filter(({ count }) => count > 0)
}

/** `counted`: events by property, where somebody has counted all; what was seen is known better then. */
function foundOf(
  kind: StorageKind,
  { places, example }: PlacesSeen,
  counted: Readonly<Record<string, number>>,
): StorageProblem {
  const byName = new Map(Object.entries(counted))
  for (const { property, count } of places)
    if (!Object.hasOwn(counted, property)) byName.set(property, (byName.get(property) ?? 0) + count)
  const ranked = [...byName].sort(([, a], [, b]) => b - a)
  return {
    kind,
    count: ranked.reduce((sum, [, count]) => sum + count, 0),
    names: ranked.map(([name]) => name),
    example,
    places,
  }
}

function countedAs(kind: StorageKind, properties: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(properties).filter(([name]) => kindOfName(name) === kind))
}
