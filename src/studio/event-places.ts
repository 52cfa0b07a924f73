import { type Constant, HOLDERS, type Mapping, propertyPlaces } from '../mapping/index.ts'
import { members as cutMembers, keys } from '../record/index.ts'
import type { MemberTrace, PlaceTrace } from './trace.ts'

/** The places of an event line with their values as JSON, in its order. */
function placesIn(line: string): Array<readonly [place: string, value: string]> {
  return cutMembers(line).flatMap((member) =>
    member[0] === 'properties' ? propertyPlaces(member[1]) : [member],
  )
}

/** What adds to events besides the records' members. */
export interface Additions {
  readonly vendor: string
  readonly mapping: Mapping
  readonly constants: readonly Constant[]
}

/** The places of an event, each with the members that it is from, or with who added it. */
export function eventPlaces(
  line: string,
  members: readonly MemberTrace[],
  { vendor, mapping, constants }: Additions,
): PlaceTrace[] {
  const sources = new Map<string, string[]>()
  for (const { path, to } of members)
    for (const place of to) sources.set(place, [...(sources.get(place) ?? []), path])
  // It repeats the id at the top.
  const own = sources.get('distinct_id')
  if (own !== undefined) sources.set('properties.distinct_id', own)

  const originOf = (place: string, value: string): string => {
    const name = place.replace(/^properties\./, '')
    if (Object.hasOwn(mapping.properties.set, name)) return `mapping file: properties.set.${name}`
    const constant = constants.find(({ key }) => keys.text(key) === name)
    if (constant?.json.toString() === value) return 'posthaul, on every event'
    return place === 'uuid' ? 'posthaul, from the whole record' : `preset ${vendor}`
  }
  return placesIn(line).map(([place, value]) => {
    const from = [...new Set([...(sources.get(place) ?? []), ...sourcesOf(place, sources)])]
    return { place, value, from, origin: from.length > 0 ? null : originOf(place, value) }
  })
}

/** Members that make one of an object's members, where it is not known which. */
function sourcesOf(place: string, sources: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const holder = HOLDERS.find((name) => place.startsWith(`properties.${name}.`))
  return (holder === undefined ? undefined : sources.get(`properties.${holder}`)) ?? []
}
