import type { Mapping } from './mapping.ts'
import { Filtered, type Preset } from './preset.ts'

/** What a mapping file says of whole events: which are left out, and what they are called. */
export class EventChoice {
  readonly #events: Mapping['events']
  readonly #filter: Mapping['filter']
  readonly #preset: Preset

  constructor(preset: Preset, { events, filter }: Mapping) {
    this.#preset = preset
    this.#events = events
    this.#filter = filter
  }

  /** The name of a source's event in the service. */
  nameOf(source: string): string {
    const { rename } = this.#events
    if (Object.hasOwn(rename, source)) return rename[source]!
    const { events } = this.#preset
    const name = Object.hasOwn(events, source) ? events[source]! : source
    return Object.hasOwn(rename, name) ? rename[name]! : name
  }

  /** Throws Filtered for an event that is dropped by its name, the source's or its own. */
  assertNotDropped(source: string, event: string): void {
    const { drop } = this.#events
    if (drop.length > 0 && (drop.includes(source) || drop.includes(event)))
      throw new Filtered('event_dropped')
  }

  /** Throws Filtered for an event that is left out. `instant` in microseconds. */
  assertWanted(source: string, event: string, instant: number): void {
    const { from, to } = this.#filter
    if (from !== undefined && instant < from) throw new Filtered('before_from')
    if (to !== undefined && instant >= to) throw new Filtered('after_to')
    this.assertNotDropped(source, event)
    const { keep } = this.#events
    if (keep && !keep.includes(source) && !keep.includes(event)) throw new Filtered('event_not_kept')
  }
}
