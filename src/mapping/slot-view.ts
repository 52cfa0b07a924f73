import { Id } from '../record/id.ts'
import { elements as cutElements, members as cutMembers } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import { isNobody, isNullWord, mayBeNobody } from '../record/nobody.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { KIND, type Kind, type Tape, valueText } from '../record/tape.ts'
import { textIn } from '../record/text.ts'
import { readUuid, type UuidWords, uuidV5, uuidV5Words, uuidWords } from '../record/uuid.ts'
import { noteUnusable } from './empty-values.ts'
import type { IdView, UuidRule } from './preset.ts'

export const USE = {
  none: 0,
  event: 1,
  distinctId: 2,
  timestamp: 3,
  uuid: 4,
  anonymousId: 5,
  groups: 6,
  properties: 7,
  person: 8,
  copied: 9,
  empty: 10,
  personOnce: 11,
  opened: 12,
} as const
export type Use = (typeof USE)[keyof typeof USE]

export interface SlotTable {
  readonly slots: ReadonlyMap<string, number>
  /** What messages call each rule that fills a slot: `preset mixpanel: properties.time`. */
  readonly labels: ReadonlyMap<string, readonly string[]>
}

export class Slot {
  /** The record that it is of: for every other one it is not filled. */
  readonly record: RecordSlots
  readonly at: number
  readonly rank: number
  /** Place of the member that fills it, see member-counts.ts; -1 for an empty value, which has no use. */
  readonly place: number
  /** What its value was first asked for. */
  use: Use = USE.none
  /** The value as text, once decoded: a preset's functions ask for the same few several times. */
  text: string | undefined = undefined

  constructor(record: RecordSlots, at: number, rank: number, place: number) {
    this.record = record
    this.at = at
    this.rank = rank
    this.place = place
  }
}

/** All that is known of one record's slots: made anew for each record, so none can see what another one left. */
class RecordSlots {
  readonly bytes: Buffer
  /** Those that were asked for, in that order. */
  readonly asked: Slot[] = []
  /** The slots of ids that `leaveOutNobody` made empty. */
  words: ReadonlyArray<{ readonly name: string; readonly number: number; readonly slot: Slot }> = NO_WORDS
  /** What is read as if the record had null there: see `withhold`. */
  withheld: { readonly start: number; readonly end: number } | undefined = undefined
  /** Slots whose values could not be used, each counted once a record however often it is asked for. */
  unusable: Set<string> | undefined = undefined
  /** The slot that was asked for last. */
  last: Slot | undefined = undefined

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

const NO_WORDS: RecordSlots['words'] = []

/** The slots of the record under way, and what was asked of them. */
export class SlotView {
  readonly slots: ReadonlyMap<string, number>
  /** The record's members, as spans of `bytes`. */
  readonly tape: Tape
  #record = new RecordSlots(Buffer.alloc(0))
  /** By number: the slot that was filled last. Read through `filled`, which knows whether that was in this record. */
  readonly #last: Array<Slot | undefined>
  readonly #labels: ReadonlyMap<string, readonly string[]>
  readonly #notes: Notes
  /** Slots that hold ids of people, see `Preset.ids`. */
  readonly #ids: ReadonlyArray<readonly [name: string, number: number]>

  constructor({ slots, labels }: SlotTable, tape: Tape, notes: Notes, ids: readonly string[] = []) {
    this.slots = slots
    this.#ids = ids.filter((slot) => slots.has(slot)).map((slot) => [slot, slots.get(slot)!])
    this.tape = tape
    this.#labels = labels
    this.#notes = notes
    this.#last = new Array<Slot | undefined>(slots.size).fill(undefined)
  }

  begin(bytes: Buffer): void {
    this.#record = new RecordSlots(bytes)
  }

  get bytes(): Buffer {
    return this.#record.bytes
  }

  /** A slot by its number; undefined where the record doesn't fill it. */
  filled(number: number): Slot | undefined {
    const slot = this.#last[number]
    return slot?.record === this.#record ? slot : undefined
  }

  fill(number: number, at: number, rank: number, place: number): void {
    this.#last[number] = new Slot(this.#record, at, rank, place)
  }

  /** The slots that were asked for, in that order. */
  get asked(): readonly Slot[] {
    return this.#record.asked
  }

  slot(name: string): Slot | undefined {
    const number = this.slots.get(name)
    return number === undefined ? undefined : this.filled(number)
  }

  /** Makes the slots of ids empty whose values stand for nobody. */
  leaveOutNobody(): void {
    const { tape, bytes } = this
    for (let i = 0; i < this.#ids.length; i++) {
      const [name, number] = this.#ids[i]!
      const slot = this.filled(number)
      if (slot === undefined) continue
      const { at } = slot
      const kind = tape.kind(at)
      if (kind === KIND.null || kind === KIND.object || kind === KIND.array) continue
      const quote = kind === KIND.string ? 1 : 0
      const isSuspect = tape.escaped(at) || mayBeNobody(bytes, tape.start(at) + quote, tape.end(at) - quote)
      if (!isSuspect || !isNobody(valueText(tape, bytes, at)!)) continue
      this.#last[number] = undefined
      this.#record.words = [...this.#record.words, { name, number, slot }]
    }
  }

  /** Undoes that for words that a tool may use as an id, such as `guest`; false when there are none. */
  putBackWords(): boolean {
    const words = this.#record.words.filter(
      ({ slot }) => !isNullWord(valueText(this.tape, this.bytes, slot.at)!),
    )
    for (const { number, slot } of words) this.#last[number] = slot
    return words.length > 0
  }

  /** Counts those words where another id took their place. */
  noteLeftOut(): void {
    for (const { name, slot } of this.#record.words) {
      const text = valueText(this.tape, this.bytes, slot.at)!
      if (text.trim() !== '' && !isNullWord(text))
        this.count(name, slot.at, 'is a word that stands for nobody')
    }
  }

  get fillings(): boolean[] {
    return this.#last.map((_, number) => this.filled(number) !== undefined)
  }

  /** Lets the record be read as if its value at [start, end) were null, and as if it filled only the slots of `among`. */
  withhold(start: number, end: number, among: readonly boolean[]): void {
    const { tape } = this
    this.#record.withheld = { start, end }
    for (const [number, isAmong] of among.entries()) {
      const slot = this.filled(number)
      const isWithin = slot !== undefined && tape.start(slot.at) >= start && tape.end(slot.at) <= end
      if (isWithin || !isAmong) this.#last[number] = undefined
    }
  }

  /** True when slots hold ids of people, see `Preset.ids`. */
  get hasIds(): boolean {
    return this.#ids.length > 0
  }

  spanText(start: number, end: number): string {
    const { bytes, withheld } = this.#record
    if (withheld === undefined || withheld.start < start || withheld.end > end)
      return bytes.toString('utf8', start, end)
    return `${bytes.toString('utf8', start, withheld.start)}null${bytes.toString('utf8', withheld.end, end)}`
  }

  refuse(name: string, at: number): void {
    if (this.#isFirstRefusal(name)) noteUnusable(this.#notes, this.#labelOf(name, at), this.tape, at)
  }

  count(name: string, at: number, what: string): void {
    if (this.#isFirstRefusal(name)) countOne(this.#notes.unusable, `${this.#labelOf(name, at)} ${what}`)
  }

  #isFirstRefusal(name: string): boolean {
    this.#record.unusable ??= new Set()
    const before = this.#record.unusable.size
    return this.#record.unusable.add(name).size > before
  }

  /** Of several paths that fill the slot, the one whose last name is the member's. */
  #labelOf(slot: string, at: number): string {
    const labels = this.#labels.get(slot) ?? []
    const name = keys.text(this.tape.key(at))
    return (
      labels.find((label) => label.endsWith(`.${name}`) || label.endsWith(` ${name}`)) ?? labels[0] ?? slot
    )
  }

  /** Says what a function did with the value that it read last, when it read it for the properties. */
  usedAs(use: Use): void {
    const { last } = this.#record
    if (last?.use === USE.properties) last.use = use
  }

  /** Says the same of a slot's value, and gives the slot; undefined when nothing fills it. */
  usedSlotAs(name: string, use: Use): Slot | undefined {
    const slot = this.slot(name)
    if (slot === undefined) return undefined
    if (slot.use === USE.none) this.#record.asked.push(slot)
    else if (slot.use !== USE.properties) return slot
    slot.use = use
    return slot
  }

  ask(slot: Slot, use: Use): void {
    this.#record.last = slot
    if (slot.use !== USE.none || use === USE.none) return
    slot.use = use
    this.#record.asked.push(slot)
  }
}

const EMPTY_OBJECT = '{}'

/** What a preset's functions read a record through: each read of one view is for the same thing. */
class UseView implements IdView {
  readonly #view: SlotView
  readonly #use: Use
  /** True for times and uuids: a word such as NULL is none. All records that have it would be one event, or of one time. */
  readonly #passesOverNulls: boolean

  constructor(view: SlotView, use: Use) {
    this.#view = view
    this.#use = use
    this.#passesOverNulls = use === USE.timestamp || use === USE.uuid
  }

  text(slot: string): string | undefined {
    const view = this.#view
    const filled = view.slot(slot)
    if (filled === undefined) return undefined
    if (filled.text === undefined) {
      const { at } = filled
      if (view.tape.kind(at) === KIND.null) return undefined
      const text = valueText(view.tape, view.bytes, at)
      if (text === undefined || text === '') {
        view.refuse(slot, at)
        return undefined
      }
      filled.text = text
    }
    if (this.#passesOverNulls && view.hasIds && isNullWord(filled.text)) return undefined
    view.ask(filled, this.#use)
    return filled.text
  }

  id(slot: string): Id | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    const { tape, bytes } = this.#view
    const kind = tape.kind(at)
    const quote = kind === KIND.string ? 1 : 0
    const id = isScalar(kind) ? Id.plain(bytes, tape.start(at) + quote, tape.end(at) - quote) : undefined
    if (id === undefined) {
      const text = this.text(slot)
      return text === undefined ? undefined : Id.ofText(text)
    }
    this.#view.ask(filled, this.#use)
    return id
  }

  first(slot: string): string | undefined {
    const at = this.#view.slot(slot)?.at
    if (at === undefined || this.#view.tape.kind(at) !== KIND.array) return this.text(slot)
    const values = this.elements(slot).filter((json) => json !== 'null' && json !== '""')
    const [first] = values
    if (first === undefined) return undefined
    if (/^[[{]/.test(first)) {
      this.#view.count(slot, at, 'is an array of containers')
      return undefined
    }
    if (values.length > 1) this.#view.count(slot, at, 'is an array of several, of which the first is used')
    return textIn(first)
  }

  uuidV5(namespace: string, slot: string): string | undefined {
    const text = this.text(slot)
    return text === undefined ? undefined : uuidV5(namespace, text)
  }

  /** The uuid that a rule's slot tells. Text that is no canonical UUID is left to the rule's `otherwise`. */
  uuid({ slot, namespace }: UuidRule): UuidWords | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    const { tape, bytes } = this.#view
    const [start, end] = [tape.start(at) + 1, tape.end(at) - 1]
    // Most ids are read as the record has them.
    const isPlain = tape.kind(at) === KIND.string && !tape.escaped(at) && start < end
    if (isPlain && (namespace === undefined || !mayBeNobody(bytes, start, end))) {
      this.#view.ask(filled, this.#use)
      return namespace === undefined ? readUuid(bytes, start, end) : uuidV5Words(namespace, bytes, start, end)
    }
    const uuid = namespace === undefined ? undefined : this.uuidV5(namespace, slot)
    return uuid === undefined ? undefined : uuidWords(uuid)
  }

  kind(slot: string): Kind | undefined {
    const at = this.#view.slot(slot)?.at
    return at === undefined ? undefined : this.#view.tape.kind(at)
  }

  json(slot: string): string | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    if (this.#view.tape.kind(at) !== KIND.null) this.#view.ask(filled, this.#use)
    return this.#view.spanText(this.#view.tape.start(at), this.#view.tape.end(at))
  }

  object(slot: string): string | undefined {
    return this.#jsonOf(slot, KIND.object)
  }

  entries(slot: string): ReadonlyArray<readonly [string, string]> {
    const json = this.#jsonOf(slot, KIND.object)
    return json === undefined || json === EMPTY_OBJECT ? [] : cutMembers(json)
  }

  elements(slot: string): readonly string[] {
    const json = this.#jsonOf(slot, KIND.array)
    return json === undefined || json.length === 2 ? [] : cutElements(json)
  }

  /** The JSON of a slot that holds this kind of value. Another kind is counted. */
  #jsonOf(slot: string, kind: Kind): string | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    if (this.#view.tape.kind(at) === kind) {
      this.#view.ask(filled, this.#use)
      const [start, end] = [this.#view.tape.start(at), this.#view.tape.end(at)]
      // Most records have their objects empty.
      return kind === KIND.object && end - start === 2 ? EMPTY_OBJECT : this.#view.spanText(start, end)
    }
    this.#view.refuse(slot, at)
    return undefined
  }
}

function isScalar(kind: Kind): boolean {
  return kind !== KIND.null && kind !== KIND.object && kind !== KIND.array
}

export function readsOf(view: SlotView) {
  return {
    /** Decides whether the record is wanted: the value goes nowhere by that. */
    filter: new UseView(view, USE.none),
    event: new UseView(view, USE.event),
    distinctId: new UseView(view, USE.distinctId),
    timestamp: new UseView(view, USE.timestamp),
    uuid: new UseView(view, USE.uuid),
    anonymousId: new UseView(view, USE.anonymousId),
    groups: new UseView(view, USE.groups),
    properties: new UseView(view, USE.properties),
  }
}

export type Reads = ReturnType<typeof readsOf>
