import { ByteWriter } from '../record/byte-writer.ts'
import { isNullWord } from '../record/nobody.ts'
import { cleanEventName, type EventName } from '../record/rules.ts'
import { parseTime } from '../record/time.ts'
import { canonicalUuid, POSTHAUL_NAMESPACE, type UuidWords, uuidV5, uuidWords } from '../record/uuid.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { nulsIn } from './event-mends.ts'
import { mappedSlot, whereSlot } from './mapped-rules.ts'
import type { MappedField, Mapping } from './mapping.ts'
import {
  type Draft,
  Filtered,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
} from './preset.ts'
import type { Reads } from './slot-view.ts'

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

/** An event's name with its JSON, so that lines get it as bytes; `nuls` were replaced in it. */
export type SpelledName = EventName & { readonly json: ByteWriter; readonly nuls: number }

export function spelledName(given: string): SpelledName {
  const name = cleanEventName(given)
  const json = new ByteWriter(name.text.length + 6)
  json.json(name.text)
  return { ...name, json, nuls: nulsIn(given) }
}

/** What the fields of a mapping file, or the preset's own in their place, say of the record under way. */
export class ChosenFields {
  readonly #slots: ReadonlyMap<MappedField, readonly string[]>

  readonly #groups: ReadonlyArray<readonly [type: string, slot: string]>

  readonly #joinsTime: boolean
  readonly #zone: string | undefined

  constructor({ fields, groups, joinsTime, sourceTimezone }: Mapping) {
    this.#joinsTime = joinsTime
    this.#zone = sourceTimezone
    this.#groups = Object.keys(groups).map((type) => [type, mappedSlot(`group:${type}`, 0)])
    this.#slots = new Map(
      Object.entries(fields).map(([field, paths]) => [
        field as MappedField,
        paths.map((_, index) => mappedSlot(field, index)),
      ]),
    )
  }

  /** The first of a field's paths that holds a value. `isNone` tells texts that are passed over besides. */
  text(field: MappedField, read: IdView, isNone?: (text: string) => boolean): string | undefined {
    // Most mapping files choose no fields, and this is asked five times a record.
    if (this.#slots.size === 0) return undefined
    for (const slot of this.#slots.get(field) ?? []) {
      const text = read.text(slot)
      if (text !== undefined && !isNone?.(text)) return text
    }
    return undefined
  }

  /** The time: of one member, or the day and the time of day of two with a blank between. */
  time(read: IdView): string | undefined {
    if (!this.#joinsTime) return this.text('timestamp', read)
    const texts = this.#slots.get('timestamp')!.map((slot) => read.text(slot)?.trim())
    if (texts.every((text) => text === undefined)) return undefined
    if (!texts.includes(undefined)) return texts.join(' ')
    const [found, missing] = texts[0] === undefined ? ['time of day', 'day'] : ['day', 'time of day']
    throw new Rejection('timestamp_missing', `the record has a ${found} and no ${missing}`)
  }

  /** Gives the event its session, which is among those of its anonymous id or, where it has none, of its sender. */
  addSession(draft: IdDraft, read: IdView): void {
    const id = this.text('session_id', read, isNullWord)
    if (id === undefined) return
    const owner = this.text('anonymous_id', read) ?? draft.id
    const begun = this.text('session_start', read, isNullWord)
    try {
      const start = begun === undefined ? begun : Math.floor(parseTime(begun, this.#zone) / MICROS_PER_MS)
      draft.session({ id, owner, start })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      draft.unusable('a session_start that is no time')
    }
  }

  addGroups(draft: Pick<Draft, 'group'>, read: IdView): void {
    for (const [type, slot] of this.#groups) {
      const key = read.first(slot)
      if (key !== undefined) draft.group(type, key)
    }
  }

  /** The record's own uuid, or one made of its own id; undefined where it has none. */
  uuid(
    { uuid, vendor }: Pick<Preset, 'uuid' | 'vendor'>,
    { uuid: read }: Reads,
    options: PresetOptions,
  ): UuidWords | undefined {
    // The user says that no member is one.
    if (this.#slots.get('uuid')?.length === 0) return undefined
    const mapped = this.text('uuid', read)
    if (mapped !== undefined)
      return uuidWords(canonicalUuid(mapped) ?? uuidV5(POSTHAUL_NAMESPACE, JSON.stringify([vendor, mapped])))
    const own = typeof uuid === 'function' ? undefined : read.uuid(uuid)
    if (own) return own
    const found = (typeof uuid === 'function' ? uuid : uuid.otherwise)?.(read, options)
    return found === undefined ? undefined : uuidWords(found)
  }
}
