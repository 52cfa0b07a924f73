import { ByteWriter } from '../record/byte-writer.ts'
import { GROUP_EVENT_NAMES } from '../record/group-event.ts'
import { writeEvent } from '../record/head.ts'
import type { Inventory } from '../record/inventory.ts'
import { keyOf } from '../record/keys.ts'
import { mend } from '../record/mend.ts'
import { emptyNotes, MOST_IMPORT_IDS, type Notes, takeNotes } from '../record/notes.ts'
import {
  checkInstant,
  checkSize,
  cleanDistinctId,
  cleanEventName,
  type Refusal,
  scanRefusal,
} from '../record/rules.ts'
import { Scanner } from '../record/scan.ts'
import { FLAG, Tape } from '../record/tape.ts'
import { parseTime } from '../record/time.ts'
import { canonicalUuid, POSTHAUL_NAMESPACE, uuidV5, uuidV5OfBytes } from '../record/uuid.ts'
import { countBigIntegers } from './big-integers.ts'
import { compile, personScope } from './compile.ts'
import { type Constant, constantsOf, tailOf } from './constant-properties.ts'
import { EventDraft, type GroupState } from './draft.ts'
import { EmptyValues } from './empty-values.ts'
import { EventChoice } from './event-choice.ts'
import { IMPORT_ID, isQueryable } from './import-id.ts'
import { InventoryTaker } from './inventory-taker.ts'
import { isJunkId, refuseNobody } from './junk-ids.ts'
import { mappedSlot } from './mapped-rules.ts'
import type { MappedField, Mapping } from './mapping.ts'
import { MemberCounts } from './member-counts.ts'
import { memoize } from './memoize.ts'
import { Filtered, type Preset, type PresetOptions, Rejection } from './preset.ts'
import { SlotView, USE } from './record-view.ts'
import { Steps } from './steps.ts'
import { Unpacker } from './unpack.ts'
import { deriveFromUrls } from './url-properties.ts'
import { Walk } from './walk.ts'

export interface MapperOptions {
  /** The clock, in microseconds since the epoch. */
  readonly now: number
  readonly version: string
  readonly switches: ReadonlySet<string>
  /** The name that group events are sent under. */
  readonly groupEventName: string
  /** The value of `$import_job_id`; null for none. */
  readonly importId: string | null
}

/** What became of one record. For an `event` the line is in the mapper's `out`. */
export type Mapped =
  | {
      readonly status: 'event'
      readonly instant: number
      /** False when the uuid was made from the record's content: twins of a day are told apart when it is sealed. */
      readonly ownId: boolean
      readonly distinctId: string
      readonly anonymousId: string | undefined
      readonly groupStates: readonly GroupState[]
    }
  | ({ readonly status: 'rejected' } & Refusal)
  | { readonly status: 'filtered'; readonly reason: string; readonly distinctId?: string }

const IMPORT_ID_KEY = keyOf(IMPORT_ID)

/** Maps records to event lines by a preset and a mapping file. Pure except for its buffers; reusable, not reentrant. */
export class Mapper {
  /** Event lines are appended here, without line ends; the caller takes them out. */
  readonly out = new ByteWriter()
  readonly notes: Notes = emptyNotes()
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #options: MapperOptions
  readonly #presetOptions: PresetOptions
  readonly #steps: Steps
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #unpacker: Unpacker
  readonly #view: SlotView
  readonly #draft: EventDraft
  readonly #walk: Walk
  readonly #inventory: InventoryTaker
  /** The slots that the mapping file gives a field, where it does. */
  readonly #fieldSlots: ReadonlyMap<MappedField, readonly string[]>
  readonly #choice: EventChoice
  readonly #constants: readonly Constant[]
  readonly #tail: ByteWriter
  /** The final name of a source's event. */
  readonly #nameOf = memoize((source: string) => cleanEventName(this.#choice.nameOf(source)))

  constructor(preset: Preset, mapping: Mapping, options: MapperOptions) {
    this.#preset = preset
    this.#mapping = mapping
    this.#choice = new EventChoice(preset, mapping)
    this.#options = options
    this.#presetOptions = { sourceTimezone: mapping.sourceTimezone, switches: options.switches }
    const fields = { ...preset.takes, ...mapping.fields }
    const { root, slots, labels } = compile(preset, { ...mapping, fields })
    this.#unpacker = new Unpacker(root)
    this.#view = new SlotView(slots, this.#tape, labels, this.notes)
    const counts = new MemberCounts(this.#view, personScope('set', mapping))
    this.#steps = new Steps(root, counts)
    const emptyValues = new EmptyValues(this.#tape, preset.empty)
    this.#draft = new EventDraft(preset, mapping, this.#view, emptyValues, this.notes, counts)
    this.#walk = new Walk(this.#tape, this.#view, this.#draft, this.notes, emptyValues, counts)
    this.#fieldSlots = new Map(
      Object.entries(fields).map(([field, paths]) => [
        field as MappedField,
        paths.map((_, index) => mappedSlot(field as MappedField, index)),
      ]),
    )
    this.#constants = constantsOf({ vendor: preset.vendor, ...options })
    this.#tail = tailOf(this.#constants)
    this.#inventory = new InventoryTaker(counts, this.#steps, this.#constants, preset.empty === undefined)
  }

  map(line: Buffer, lineStart: number, lineEnd: number): Mapped {
    if (!this.#scanner.scan(line, lineStart, lineEnd)) {
      const { reason, at } = this.#scanner.failure
      return { status: 'rejected', ...scanRefusal(reason, at - lineStart) }
    }
    const bytes = this.#prepare(line, lineStart, lineEnd)
    if (bytes === undefined) {
      const message = 'nested more than 100 levels deep, once the JSON text in it is opened'
      return { status: 'rejected', reason: 'too_deep', message }
    }
    this.#view.reset(bytes)
    this.#draft.clear()
    this.#inventory.begin(this.#tape.count)
    this.#walk.object(this.#steps, bytes, 0, this.#tape.count)
    try {
      return this.#build(line, lineStart, lineEnd)
    } catch (error) {
      const { message } = error as Error
      const distinctId = this.#draft.distinctId === '' ? {} : { distinctId: this.#draft.distinctId }
      if (error instanceof Filtered) return { status: 'filtered', reason: error.reason, ...distinctId }
      if (error instanceof Rejection)
        return { status: 'rejected', reason: error.reason, message, ...distinctId }
      if (!(error instanceof RangeError)) throw error
      return { status: 'rejected', reason: 'timestamp_unparsable', message, ...distinctId }
    }
  }

  /** The clock gap of the record mapped last: see `Preset.clockGap`. */
  clockGap(instant: number): number | undefined {
    return this.#preset.clockGap?.(this.#view, instant)
  }

  /** What was noticed since the last call. */
  takeNotes(): Notes {
    return takeNotes(this.notes)
  }

  /** What the records since the last call held that became events, and what their events hold. */
  takeInventory(): Inventory {
    return this.#inventory.take()
  }

  /**
   * Opens packed members and mends what the service would refuse; the tape then fits the returned bytes. Undefined
   * when the record is too deep with its members open.
   */
  #prepare(line: Buffer, start: number, end: number): Buffer | undefined {
    let bytes = line
    let [from, to] = [start, end]
    if ((this.#tape.flags & FLAG.packed) !== 0) {
      // Unpacking decodes, which would replace an unpaired surrogate without counting it.
      if ((this.#tape.flags & FLAG.loneSurrogate) !== 0) {
        bytes = this.#mend(bytes, from, to)
        ;[from, to] = [0, bytes.length]
      }
      for (;;) {
        const open = this.#unpacker.unpack(this.#tape, bytes, from, to)
        if (open === undefined) break
        ;[bytes, from, to] = [open, 0, open.length]
        if (!this.#scanner.scan(bytes, from, to)) return undefined
      }
    }
    const bigInteger = this.#mapping.bigIntegersAsStrings ? FLAG.bigInteger : 0
    const unfit = FLAG.loneSurrogate | FLAG.hugeNumber | bigInteger
    return (this.#tape.flags & unfit) === 0 ? bytes : this.#mend(bytes, from, to)
  }

  #mend(bytes: Buffer, start: number, end: number): Buffer {
    const mended = mend(bytes, start, end, this.#mapping.bigIntegersAsStrings, this.notes.mends)
    this.#scanner.scan(mended, 0, mended.length)
    return mended
  }

  #build(line: Buffer, lineStart: number, lineEnd: number): Mapped {
    const [mapping, preset, draft, view] = [this.#mapping, this.#preset, this.#draft, this.#view]
    view.use = USE.event
    const source = this.#mapped('event') ?? preset.eventName(view)
    if (source === undefined || source === '')
      throw new Rejection('event_missing', 'the record has no event name')
    draft.event = this.#nameOf(source)
    // Before all checks: an event that the user drops must not become a reject for something else.
    this.#choice.assertNotDropped(source, draft.event)

    view.use = USE.distinctId
    const distinctId = cleanDistinctId(this.#mapped('distinct_id') ?? preset.distinctId(view) ?? '')
    if (typeof distinctId !== 'string') return { status: 'rejected', ...distinctId }
    draft.distinctId = distinctId

    view.use = USE.timestamp
    const mappedTime = this.#mapped('timestamp')
    const instant =
      mappedTime === undefined
        ? preset.timestamp(view, this.#presetOptions)
        : parseTime(mappedTime, mapping.sourceTimezone)
    const refusal = checkInstant(instant, this.#options.now)
    if (refusal) return { status: 'rejected', ...refusal, distinctId }

    view.use = USE.properties
    preset.perform?.(view, draft, this.#presetOptions)
    if (GROUP_EVENT_NAMES.includes(draft.event)) draft.event = this.#options.groupEventName
    this.#choice.assertWanted(source, draft.event, instant)
    refuseNobody(draft.event, distinctId)
    view.use = USE.groups
    for (const type of Object.keys(mapping.groups)) {
      const key = view.first(mappedSlot(`group:${type}`, 0))
      if (key !== undefined) draft.group(type, key)
    }
    if (preset.empty !== undefined) deriveFromUrls(draft)
    view.use = USE.distinctId
    draft.keepForeignId()
    if ((this.#tape.flags & FLAG.bigInteger) !== 0) countBigIntegers(draft, this.notes.big_integers)
    const tail = draft.finish(this.#constants) ? undefined : this.#tail
    this.#countImporter()

    view.use = USE.uuid
    const ownId = this.#ownUuid()
    const uuid = ownId ?? uuidV5OfBytes(POSTHAUL_NAMESPACE, line, lineStart, lineEnd)
    const before = this.out.length
    writeEvent(this.out, uuid, instant, draft.event, distinctId, draft.properties, tail)
    const tooLarge = checkSize(this.out.length - before)
    if (tooLarge) {
      this.out.length = before
      return { status: 'rejected', ...tooLarge, distinctId }
    }
    view.use = USE.anonymousId
    const anonymousId = this.#anonymousId(distinctId)
    this.#inventory.add(draft, instant, tail !== undefined)
    return {
      status: 'event',
      instant,
      ownId: ownId !== undefined,
      distinctId,
      anonymousId,
      groupStates: draft.groupStates,
    }
  }

  /** What the mapping file chose for a field: the first of its paths that holds a value. */
  #mapped(field: MappedField): string | undefined {
    // Most mapping files choose no fields, and this is asked five times a record.
    if (this.#fieldSlots.size === 0) return undefined
    for (const slot of this.#fieldSlots.get(field) ?? []) {
      const text = this.#view.text(slot)
      if (text !== undefined) return text
    }
    return undefined
  }

  /** An id of another importer stays: the event may have come this way before. The mapping file can set one too. */
  #countImporter(): void {
    const { import_ids } = this.notes
    const json = this.#draft.properties.json(IMPORT_ID_KEY)
    if (json === undefined) return
    const text = json.startsWith('"') ? (JSON.parse(json) as string) : ''
    if (text === this.#options.importId) return
    // Under '' those that a query can't tell.
    const id = isQueryable(text) ? text : ''
    if (id in import_ids || Object.keys(import_ids).length <= MOST_IMPORT_IDS)
      import_ids[id] = (import_ids[id] ?? 0) + 1
  }

  #ownUuid(): string | undefined {
    const mapped = this.#mapped('uuid')
    if (mapped === undefined) return this.#preset.uuid(this.#view)
    return canonicalUuid(mapped) ?? uuidV5(POSTHAUL_NAMESPACE, JSON.stringify([this.#preset.vendor, mapped]))
  }

  #anonymousId(distinctId: string): string | undefined {
    const anonymous = this.#mapped('anonymous_id') ?? this.#preset.anonymousId(this.#view, distinctId)
    if (anonymous === undefined || anonymous === distinctId) return undefined
    const cleaned = cleanDistinctId(anonymous)
    if (typeof cleaned !== 'string' || cleaned === distinctId) return undefined
    return isJunkId(cleaned) || isJunkId(distinctId) ? undefined : cleaned
  }
}
