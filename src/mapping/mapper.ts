import { ByteWriter } from '../record/byte-writer.ts'
import { packedJson } from '../record/bytes.ts'
import { writeEvent } from '../record/head.ts'
import { cleanId, Id } from '../record/id.ts'
import type { Inventory } from '../record/inventory.ts'
import { emptyNotes, foldNotes, MOST_NAMES, type Notes, takeNotes } from '../record/notes.ts'
import { checkInstant, checkSize, GROUP_EVENT, GROUP_EVENT_NAMES } from '../record/rules.ts'
import { FLAG, Tape } from '../record/tape.ts'
import { memoize } from '../record/text.ts'
import { type TimeReader, timeReader } from '../record/time-format.ts'
import { POSTHAUL_NAMESPACE, type UuidWords, uuidV5Words } from '../record/uuid.ts'
import { clockChange, isNearChange } from '../record/zone.ts'
import { MICROS_PER_HOUR } from '../text/units.ts'
import { compile, personScope, type RuleNode } from './compile.ts'
import { type Constant, constantsOf, countImporter, tailOf } from './constant-properties.ts'
import { Derived } from './derived.ts'
import { EventDraft } from './draft.ts'
import { EmptyValues } from './empty-values.ts'
import { ChosenFields, EventChoice, type SpelledName, spelledName } from './event-choice.ts'
import { cleanLinkedId, countBigIntegers, flattenArrays, nulsIn } from './event-mends.ts'
import { InventoryTaker } from './inventory-taker.ts'
import { assertGroupKey, groupSet } from './joined-groups.ts'
import {
  FORGOTTEN,
  type Link,
  linkOf,
  linksOf,
  type Mapped,
  MappedEvent,
  type MapperOptions,
  type People,
  refusalOf,
  senderOf,
} from './mapped.ts'
import { idSlots } from './mapped-rules.ts'
import type { Mapping } from './mapping.ts'
import { MemberCounts } from './member-counts.ts'
import { Filtered, optionsFor, type Preset, type PresetOptions, Rejection } from './preset.ts'
import { PrivateValues, sentLink } from './private-values.ts'
import { RecordReader } from './record-reader.ts'
import { type MappedRecord, type RecordTrace, RecordTracer } from './record-tracer.ts'
import { type Reads, readsOf, SlotView } from './slot-view.ts'
import { Steps, Walk } from './walk.ts'

/** Why a record is filtered that would only set properties of its person, and sets none. */
const NOTHING_TO_SET = 'nothing_to_set'

const otherName = memoize(spelledName)

/** Maps records to event lines by a preset and a mapping file. Pure except for its buffers; reusable, not reentrant. */
export class Mapper {
  readonly notes: Notes = emptyNotes()
  /** The name that the source gives the event of the record mapped last; undefined when that was given up before. */
  source: string | undefined
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #options: MapperOptions
  readonly #presetOptions: PresetOptions
  readonly #steps: Steps
  readonly #tape = new Tape()
  readonly #reader: RecordReader
  readonly #view: SlotView
  readonly #reads: Reads
  readonly #draft: EventDraft
  /** Undefined for records in the service's own form. */
  readonly #derived: Derived | undefined
  readonly #walk: Walk
  readonly #inventory: InventoryTaker
  /** False for records in the service's own form, where a word such as NULL is what the service takes it for. */
  readonly #leavesOutNobody: boolean
  readonly #findId = () => {
    const { distinctId } = this.#reads
    return (
      this.#fields.text('distinct_id', distinctId) ?? this.#preset.distinctId(distinctId, this.#presetOptions)
    )
  }
  readonly #fields: ChosenFields
  readonly #choice: EventChoice
  readonly #constants: readonly Constant[]
  readonly #tail: ByteWriter
  readonly #private: PrivateValues | undefined
  readonly #readTime: TimeReader
  readonly #root: RuleNode
  #tracer: RecordTracer | undefined
  /** The line of the event that was made last. */
  readonly #out = new ByteWriter()
  readonly #nameOf = memoize((source: string) => spelledName(this.#choice.nameOf(source)))

  constructor(preset: Preset, mapping: Mapping, options: MapperOptions) {
    this.#preset = preset
    this.#mapping = mapping
    this.#choice = new EventChoice(preset, mapping)
    this.#options = options
    this.#presetOptions = optionsFor(preset, mapping, options.switches)
    this.#readTime = timeReader(mapping.timeFormats, mapping.sourceTimezone)
    const fields = { ...preset.takes, ...mapping.fields }
    const compiled = compile(preset, { ...mapping, fields })
    const { root } = compiled
    this.#root = root
    this.#reader = new RecordReader(this.#tape, preset, { ...mapping, root }, this.notes)
    this.#leavesOutNobody = preset.empty !== undefined
    const [tape, { notes }] = [this.#tape, this]
    const view = new SlotView(compiled, tape, notes, idSlots(preset, fields))
    this.#view = view
    this.#reads = readsOf(view)
    const counts = new MemberCounts(view, personScope('set', mapping))
    this.#steps = new Steps(root, counts)
    const emptyValues = new EmptyValues(tape, preset.empty)
    const parts = { preset, mapping, tape, view, reads: this.#reads, emptyValues, notes, counts }
    this.#draft = new EventDraft(parts)
    this.#derived = preset.empty === undefined ? undefined : new Derived(this.#draft)
    this.#walk = new Walk(parts, this.#draft)
    this.#fields = new ChosenFields({ ...mapping, fields })
    this.#constants = constantsOf({ vendor: preset.vendor, ...options })
    this.#tail = tailOf(this.#constants)
    if (mapping.hash.length > 0) this.#private = new PrivateValues(mapping, preset.vendor, options.hashKey)
    this.#inventory = new InventoryTaker(counts, this.#steps, this.#constants, preset.empty === undefined)
  }

  /** `own` is the record by itself, where `line` is the record with rows that were joined to it. */
  map(line: Buffer, lineStart: number, lineEnd: number, own?: Buffer): Mapped {
    this.source = undefined
    const bytes = this.#reader.read(line, lineStart, lineEnd)
    if (bytes === undefined) return { status: 'rejected', ...this.#reader.refusal }
    this.#begin(bytes)
    this.#view.leaveOutNobody()
    try {
      return own ? this.#build(own, 0, own.length) : this.#build(line, lineStart, lineEnd)
    } catch (error) {
      return refusalOf(error, this.#draft.distinctId)
    }
  }

  /** Names under `properties.hash` that no event had so far. */
  get unhashed(): string[] {
    return [...(this.#private?.unmet ?? [])]
  }

  /** The clock gap of the record mapped last: see `Preset.clockGap`. */
  clockGap(instant: number): number | undefined {
    return this.#preset.clockGap?.(this.#reads.properties, instant)
  }

  /**
   * What became of the record mapped last, member by member, and what was noticed of it. Counts and notes must have been taken
   * before it was mapped; they are taken now. Not for the hot path: the record's draft is made again for each value that
   * a function read.
   */
  trace(mapped: Mapped): RecordTrace {
    const notes = this.takeNotes()
    const inventory = this.takeInventory()
    if (!this.#reader.isRead) return { members: [], notes }
    this.#tracer ??= new RecordTracer(this.#preset, this.#mapping, this.#root)
    const [{ bytes }, draft] = [this.#view, this.#draft]
    const record = mapped.status === 'event' && {
      inventory,
      parts: draft.parts.noted,
      properties: draft.propertiesText,
      without: this.#withoutEach(mapped),
    }
    const members = this.#tracer.membersOf(this.#tape, bytes, record || undefined)
    this.takeNotes()
    return { members, notes }
  }

  /** What was noticed since the last call. */
  takeNotes(): Notes {
    return takeNotes(this.notes)
  }

  /** What the records since the last call held that became events, and what their events hold. */
  takeInventory(): Inventory {
    return this.#inventory.take()
  }

  /** Takes the members of a record that was read to where the tables say. */
  #begin(bytes: Buffer): void {
    this.#view.begin(bytes)
    this.#draft.begin()
    if (this.#inventory.begin(this.#tape.count)) foldNotes(this.notes, MOST_NAMES)
    this.#walk.record(this.#steps, bytes)
  }

  /** Makes the properties of the event mapped last once more, as they are without a value that functions read. */
  #withoutEach({ instant }: MappedEvent): MappedRecord['without'] {
    const [source, view, draft, { id }] = [this.source!, this.#view, this.#draft, this.#draft]
    const { fillings } = view
    return (start, end) => {
      this.#begin(view.bytes)
      view.withhold(start, end, fillings)
      draft.id = id
      draft.instant = instant
      try {
        this.#fill(source, this.#nameOf(source))
        draft.finish(this.#constants)
        return draft.propertiesText
      } catch (error) {
        refusalOf(error, id.text)
        return undefined
      }
    }
  }

  #build(line: Buffer, lineStart: number, lineEnd: number): Mapped {
    const [mapping, preset, draft, reads] = [this.#mapping, this.#preset, this.#draft, this.#reads]
    // First of all: a record that the user leaves out must not become a reject for something else.
    this.#choice.assertWhere(reads.filter)
    const source =
      this.#fields.text('event', reads.event) ?? preset.eventName(reads.event, this.#presetOptions)
    if (source === undefined || source === '')
      throw new Rejection('event_missing', 'the record has no event name')
    this.source = source
    // Before all checks: an event that the user drops must not become a reject for something else.
    const given = this.#nameOf(source)
    this.#choice.assertNotDropped(source, given.text)

    const givenId = senderOf(this.#view, this.#findId, this.#leavesOutNobody)
    const id = cleanId(givenId)
    if (!(id instanceof Id)) return { status: 'rejected', ...id }
    draft.id = id

    const mappedTime = this.#fields.time(reads.timestamp)
    const instant =
      mappedTime === undefined
        ? preset.timestamp(reads.timestamp, this.#presetOptions)
        : this.#readTime(mappedTime)
    const refusal = checkInstant(instant, this.#options.now)
    if (refusal) return { status: 'rejected', ...refusal, distinctId: id.text }
    draft.instant = instant

    const name = this.#fill(source, given)
    const sender = this.#private?.sentId(id) ?? id
    const tail = draft.finish(this.#constants) ? undefined : this.#tail
    if (draft.event === '$set' && draft.setsNothing && this.#preset.events[source] === '$set')
      return this.#linkOnly(id, instant)
    countImporter(draft.properties, this.#options.importId, this.notes.import_ids)

    const ownId = this.#fields.uuid(preset, reads, this.#presetOptions)
    const uuid = ownId ?? this.#contentUuid(line, lineStart, lineEnd)
    this.#out.length = 0
    const { properties } = draft
    writeEvent(this.#out, { uuid, instant, event: name.json, distinctId: sender, properties, tail })
    if (mapping.deepAsText) flattenArrays(this.#out, draft, this.notes.mends)
    const tooLarge = checkSize(this.#out.length)
    if (tooLarge) return { status: 'rejected', ...tooLarge, distinctId: id.text }
    const link = sentLink(this.#private, this.#link(id))
    this.#noteClock(instant, mappedTime)
    if (name.cut) this.notes.mends.event_name_cut++
    // A function that changed the name read it with its NULs replaced.
    this.notes.mends.lone_surrogate += given.nuls + (name === given ? 0 : name.nuls)
    // Only blanks were taken away: a character that was replaced is as long.
    if (givenId !== id) {
      if (givenId.text.length > id.text.length) this.notes.mends.id_trimmed++
      this.notes.mends.lone_surrogate += nulsIn(givenId.text)
    }
    this.#inventory.add(draft, instant, tail !== undefined)
    const givesWay = preset.givesWay?.(reads.event) ?? false
    return new MappedEvent(this.#out, draft, { sender, link, ownId: ownId !== undefined, givesWay })
  }

  /** Counts a time that the clocks of its zone had twice, or never. */
  #noteClock(instant: number, text: string | undefined): void {
    const { sourceTimezone: zone, timeFormats } = this.#mapping
    if (zone === undefined || !isNearChange(instant, zone)) return
    const readIn = (other: string): number =>
      text === undefined
        ? this.#preset.timestamp(this.#reads.timestamp, { ...this.#presetOptions, sourceTimezone: other })
        : timeReader(timeFormats, other)(text)
    const change = clockChangeOf(readIn, zone)
    if (change !== undefined) this.notes.mends[`clock_${change}`]++
  }

  /** Of the record as it was read. One event of the service's own is the same however a tool has spaced it. */
  #contentUuid(line: Buffer, start: number, end: number): UuidWords {
    if (this.#leavesOutNobody) return uuidV5Words(POSTHAUL_NAMESPACE, line, start, end)
    const content = packedJson(line.subarray(start, end))
    return uuidV5Words(POSTHAUL_NAMESPACE, content, 0, content.length)
  }

  /** Adds to a draft that has an id and a time what the tables can't say. Returns the event's name. */
  #fill(source: string, given: SpelledName): SpelledName {
    const draft = this.#draft
    const { id, instant } = draft
    let name = given
    draft.event = name.text
    this.#preset.perform?.(this.#reads.properties, draft, this.#presetOptions)
    if (GROUP_EVENT_NAMES.includes(draft.event)) draft.event = GROUP_EVENT
    if (draft.event !== name.text) name = otherName(draft.event)
    draft.event = name.text
    this.#choice.assertWanted(source, draft.event, instant)
    if (draft.event === GROUP_EVENT) {
      if (this.#leavesOutNobody) assertGroupKey(draft.json('$group_key'))
      groupSet(draft.json('$group_set'))
    }
    cleanLinkedId(draft, id, this.notes.mends, !this.#leavesOutNobody)
    if (this.#options.people !== undefined) this.#assertKept(this.#options.people, id, instant)
    this.#fields.addSession(draft, this.#reads.properties)
    this.#fields.addGroups(draft, this.#reads.groups)
    this.#derived?.add()
    draft.keepForeignId()
    if ((this.#tape.flags & FLAG.bigInteger) !== 0) countBigIntegers(draft, this.notes.big_integers)
    if (this.#private !== undefined) this.#private.hide(draft, this.#link(id), this.notes)
    return name
  }

  #assertKept(people: People, id: Id, instant: number): void {
    const links = linksOf(this.#draft, id.text, this.#link(id), this.#preset.vendor)
    if (people.leavesOut({ distinctId: id.text, links, instant })) throw new Filtered(FORGOTTEN)
  }

  /** A record that would become a `$set` of nothing: all that it says may be that two ids are one person's. */
  #linkOnly(id: Id, instant: number): Mapped {
    const link = sentLink(this.#private, this.#link(id))
    const filtered = { status: 'filtered', reason: NOTHING_TO_SET, distinctId: id.text } as const
    return { ...filtered, ...(link && { link: { ...link, instant } }) }
  }

  #link(id: Id): Link | undefined {
    const read = this.#reads.anonymousId
    const anonymous = this.#fields.text('anonymous_id', read) ?? this.#preset.anonymousId(read, id)
    const link = anonymous === undefined ? undefined : linkOf(anonymous, id, this.#preset, read)
    return link && this.#options.people?.isForgotten(link.anonymous.text) ? undefined : link
  }
}

/** A zone that never changed its clocks, twelve hours behind UTC: a time of day without an offset is read 12 hours later by it. */
const FIXED = { zone: 'Etc/GMT+12', behind: 12 * MICROS_PER_HOUR }

/**
 * What the clocks of a zone did with a record's time; undefined for nothing, and for a time that says its own offset. `readIn` reads
 * the time by the clocks of another zone, in microseconds.
 */
function clockChangeOf(readIn: (zone: string) => number, zone: string): 'twice' | 'skipped' | undefined {
  const wall = readIn(FIXED.zone) - FIXED.behind
  return readIn('UTC') === wall ? clockChange(wall, zone) : undefined
}
