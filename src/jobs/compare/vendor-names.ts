import type { VendorNames } from '../../charts/index.ts'
import type { NamePair } from '../../compare/index.ts'
import type { EventsManifest } from '../../store/index.ts'

const RENAMED = 'renamed: '

/**
 * What a vendor calls events and properties, and what the mapping made of these names. Events are known by their records;
 * where these were not read (`pairs` is undefined), by the `renamed` events of preset and mapping file, vendor's name to final
 * one. Properties are known by what the manifests say became of each member.
 */
export function vendorNames(
  manifests: readonly EventsManifest[],
  pairs: readonly NamePair[] | undefined,
  renamed: ReadonlyMap<string, string>,
): VendorNames {
  const events = pairs ? byNames(pairs) : byRenames(manifests, renamed)
  const properties = propertyNames(manifests)
  return {
    events: (final) => (final === null ? events.all : (events.vendor.get(final) ?? events.otherwise(final))),
    property: (final) => {
      const names = properties.vendor.get(final)
      return names === undefined ? undefined : names.size === 1 ? [...names][0] : undefined
    },
    finalEvent: (name) => events.final.get(name) ?? name,
    finalProperty: (name) => properties.final.get(name) ?? name,
  }
}

interface EventNames {
  /** The most frequent first. */
  readonly all: readonly string[]
  readonly vendor: ReadonlyMap<string, readonly string[]>
  readonly final: ReadonlyMap<string, string>
  otherwise(final: string): readonly string[]
}

function byNames(pairs: readonly NamePair[]): EventNames {
  const vendor = new Map<string, string[]>()
  const final = new Map<string, string>()
  const ranked = [...pairs].sort((a, b) => b.events - a.events)
  for (const pair of ranked) {
    if (pair.final === null) continue
    vendor.set(pair.final, [...(vendor.get(pair.final) ?? []), pair.vendor])
    if (!final.has(pair.vendor)) final.set(pair.vendor, pair.final)
  }
  const all = [...new Set(ranked.map((pair) => pair.vendor))]
  return { all, vendor, final, otherwise: () => [] }
}

/** A name that nothing is renamed to is the vendor's own. */
function byRenames(manifests: readonly EventsManifest[], renamed: ReadonlyMap<string, string>): EventNames {
  const vendor = new Map<string, string[]>()
  for (const [from, to] of renamed) vendor.set(to, [...(vendor.get(to) ?? [to]), from])
  const finals = manifests.flatMap(({ names }) => Object.entries(names))
  finals.sort(([, a], [, b]) => b - a)
  const otherwise = (final: string) => (renamed.has(final) ? [] : [final])
  const all = finals.flatMap(([name]) => vendor.get(name) ?? otherwise(name))
  return { all: [...new Set(all)], vendor, final: renamed, otherwise }
}

/** Final names of properties, and the members that they were made of: `plan` of `properties.Plan`. */
function propertyNames(manifests: readonly EventsManifest[]) {
  const vendor = new Map<string, Set<string>>()
  const final = new Map<string, string>()
  for (const { members } of manifests)
    for (const [path, fates] of Object.entries(members)) {
      const name = path.split('.').slice(1).join('.') || path
      for (const fate of Object.keys(fates)) {
        const target = fate === 'kept' || fate === 'mended' ? name : renamedTo(fate)
        if (target === undefined) continue
        vendor.set(target, (vendor.get(target) ?? new Set()).add(name))
        final.set(name, target)
      }
    }
  return { vendor, final }
}

function renamedTo(fate: string): string | undefined {
  return fate.startsWith(RENAMED) ? fate.slice(RENAMED.length) : undefined
}
