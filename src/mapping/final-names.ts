import { type Key, keys } from '../record/keys.ts'
import { finalName } from './final-name.ts'
import type { Mapping } from './mapping.ts'
import { memoize } from './memoize.ts'

/** A property's name after the mapping file. */
export interface Final {
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
