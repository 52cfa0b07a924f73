import { ByteWriter, cleanEventName, type EventName } from '../record/index.ts'
import { whereSlot } from './mapped-rules.ts'
import type { Mapping } from './mapping.ts'
import { Filtered, type Preset, type RecordView } from './preset.ts'

/** What a mapping file says of whole events: which are left out, and what they are called. */
export class EventChoice {
  readonly #rename: Mapping['events']['rename']
  readonly #drop: ReadonlySet<string>
  /** Undefined when every event is kept. */
  readonly #keep: ReadonlySet<string> | undefined
  readonly #filter: Mapping['filter']
  readonly #preset: Preset
  /** Slot -> texts of which its value must be one. */
  readonly #where: ReadonlyArray<readonly [slot: string, values: ReadonlySet<string>]>

  constructor(preset: Preset, { events, filter }: Mapping) {
    this.#preset = preset
    this.#rename = events.rename
    this.#drop = new Set(events.drop)
    this.#keep = events.keep && new Set(events.keep)
    this.#filter = filter
    this.#where = Object.entries(filter.where).map(([path, values]) => [whereSlot(path), new Set(values)])
  }

  /** Throws Filtered for a record with another value than the user asks for. */
  assertWhere(record: RecordView): void {
    for (const [slot, values] of this.#where)
      if (!values.has(record.text(slot) ?? '')) throw new Filtered('not_where')
  }

  /** The name of a source's event in the service. */
  nameOf(source: string): string {
    const rename = this.#rename
    if (Object.hasOwn(rename, source)) return rename[source]!
    const { events } = this.#preset
    const name = Object.hasOwn(events, source) ? events[source]! : source
    return Object.hasOwn(rename, name) ? rename[name]! : name
  }

  /** Throws Filtered for an event that is dropped by its name, the source's or its own. */
  assertNotDropped(source: string, event: string): void {
    if (this.#drop.has(source) || this.#drop.has(event)) throw new Filtered('event_dropped')
  }

  /** Throws Filtered for an event that is left out. `instant` in microseconds. */
  assertWanted(source: string, event: string, instant: number): void {
    const { from, to } = this.#filter
    if (from !== undefined && instant < from) throw new Filtered('before_from')
    if (to !== undefined && instant >= to) throw new Filtered('after_to')
    this.assertNotDropped(source, event)
    const keep = this.#keep
    if (keep && !keep.has(source) && !keep.has(event)) throw new Filtered('event_not_kept')
  }
}

/** An event's name with its JSON, so that lines get it as bytes. */
export type SpelledName = EventName & { readonly json: ByteWriter }

export function spelledName(given: string): SpelledName {
  const name = cleanEventName(given)
  const json = new ByteWriter(name.text.length + 6)
  json.json(name.text)
  return { ...name, json }
}
