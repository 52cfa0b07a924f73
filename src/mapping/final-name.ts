import { type Key, keys } from '../record/keys.ts'
import { memoize } from '../record/text.ts'
import type { Mapping } from './mapping.ts'

/** Never sent: the service makes another event of it with an id by chance, so each time it is sent doubles its heatmaps. */
export const HEATMAP_DATA = '$heatmap_data'

type Properties = Mapping['properties']

/** The names that a mapping file drops, and those that it renames with their place in it. */
interface Named {
  readonly dropped: ReadonlySet<string>
  readonly renamed: ReadonlyMap<string, number>
}

// Each name of a list is asked for in turn: a search through the list each time would take minutes for a long one.
const named = new WeakMap<Properties, Named>()

/** A property's name after the mapping file; undefined for a property that the file drops, or that is never sent. */
export function finalName(name: string, { properties }: Mapping): string | undefined {
  if (namedBy(properties).dropped.has(name)) return undefined
  const { rename } = properties
  const final = Object.hasOwn(rename, name) ? rename[name] : name
  return final === HEATMAP_DATA ? undefined : final
}

/** The names that the file renames, each with its place in it, from 0. */
export function renamedBy({ properties }: Mapping): ReadonlyMap<string, number> {
  return namedBy(properties).renamed
}

function namedBy(properties: Properties): Named {
  let found = named.get(properties)
  if (!found) {
    const renamed = new Map(Object.keys(properties.rename).map((name, place) => [name, place]))
    found = { dropped: new Set(properties.drop), renamed }
    named.set(properties, found)
  }
  return found
}

/** A property's name after the mapping file. */
interface Final {
  readonly name: string
  /** Holds for the names of this generation. */
  key: Key
  generation: number
}

/** The final names of properties, remembered: functions of presets name the same few for every record. */
export class FinalNames {
  readonly #finals: (name: string) => Final | null

  constructor(mapping: Mapping) {
    this.#finals = memoize((name) => {
      const final = finalName(name, mapping)
      return final === undefined
        ? null
        : { name: final, key: keys.ofText(final), generation: keys.generation }
    })
  }

  /** Null for a property that the user drops. */
  of(name: string): Final | null {
    const final = this.#finals(name)
    if (final !== null && final.generation !== keys.generation) {
      final.key = keys.ofText(final.name)
      final.generation = keys.generation
    }
    return final
  }
}
