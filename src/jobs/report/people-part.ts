import { JOINED_ID, type SavedVerdict } from '../../checks/index.ts'
import type { EventsManifest } from '../../store/index.ts'
import { cutText, rankedBounds } from './bounds.ts'
import type { PeoplePart } from './report-data.ts'

const MOST_TYPES = 20

/** Distinct ids, merges and groups, here and, once somebody has asked, in the service. */
export function peoplePart(
  manifests: readonly EventsManifest[],
  found: SavedVerdict | undefined,
): PeoplePart {
  const persons = found?.persons
  const ids = manifests.flatMap(({ distinct_ids }) => distinct_ids?.approximate ?? [])
  // Datasets can have ids in common, so the numbers of several can't be added up.
  const here = persons?.distinct_ids.here ?? (manifests.length === 1 ? ids[0] : undefined)
  const joining = manifests.reduce(
    (sum, { names }) => sum + [...JOINED_ID.keys()].reduce((n, name) => n + (ownOf(names, name) ?? 0), 0),
    0,
  )
  return {
    ...(here != null && { distinctIdsHere: here }),
    ...(persons && { distinctIdsThere: persons.distinct_ids.service, personsThere: persons.persons }),
    mergeEvents: persons?.merges.events ?? joining,
    ...(persons && { mergesAsked: persons.merges.asked, mergesApart: persons.merges.apart.length }),
    ...(found?.put_right && {
      putRight: { persons: found.put_right.persons, equal: found.put_right.equal },
    }),
    groups: groupsOf(manifests, found),
  }
}

function groupsOf(
  manifests: readonly EventsManifest[],
  found: SavedVerdict | undefined,
): PeoplePart['groups'] {
  const here = new Map<string, number>()
  for (const { group_types, groups = group_types } of manifests)
    for (const [type, { events }] of Object.entries(groups)) here.set(type, (here.get(type) ?? 0) + events)
  const asked = new Map((found?.persons?.groups ?? []).map((group) => [group.type, group]))
  for (const type of asked.keys()) if (!here.has(type)) here.set(type, 0)
  return [...rankedBounds([...here].map(([type, n]) => [type, n + 1] as const))]
    .slice(0, MOST_TYPES)
    .map(([type]) => {
      const there = asked.get(type)
      return {
        type: cutText(type),
        here: here.get(type)!,
        ...(there && { there: there.events.service, keys: there.keys.service }),
      }
    })
}

function ownOf(names: Readonly<Record<string, number>>, name: string): number | undefined {
  return Object.hasOwn(names, name) ? names[name] : undefined
}
