import { propertyTargets } from './compile.ts'
import { EventChoice } from './event-choice.ts'
import { finalName } from './final-name.ts'
import type { Mapping } from './mapping.ts'
import { quotedSegment } from './member-path.ts'
import { Filtered, type Preset } from './preset.ts'

/** What becomes of the names of a source, by a preset and a mapping file: for what names events without being one. */
export class SourceNames {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #choice: EventChoice

  constructor(preset: Preset, mapping: Mapping) {
    this.#preset = preset
    this.#mapping = mapping
    this.#choice = new EventChoice(preset, mapping)
  }

  /** An event's name in the service; undefined for one that the mapping file leaves out. */
  event(source: string): string | undefined {
    const name = this.#choice.nameOf(source)
    try {
      // Its time is not asked for: a definition has none.
      this.#choice.assertWanted(source, name, this.#mapping.filter.from ?? 0)
    } catch (error) {
      if (error instanceof Filtered) return undefined
      throw error
    }
    return name
  }

  /**
   * The name of the property that the member `name` of the object at `parent` becomes: `properties`, `$city`. Undefined for one
   * that goes nowhere. One that a function takes keeps its own name; without a parent only the mapping file is asked.
   */
  property(parent: string | undefined, name: string): string | undefined {
    if (parent === undefined) return finalName(name, this.#mapping)
    const targets = propertyTargets(this.#preset, `${parent}.${quotedSegment(name)}`)
    if (targets.length === 0) return undefined
    const target = targets.find((one) => !one.startsWith('@')) ?? name
    return finalName(target.replace(/^(?:set|once):/, ''), this.#mapping)
  }
}
