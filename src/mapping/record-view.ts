import {
  countOne,
  elements as cutElements,
  members as cutMembers,
  Id,
  isNobody,
  isNullWord,
  KIND,
  type Kind,
  keys,
  mayBeNobody,
  type Notes,
  readUuid,
  type Tape,
  textIn,
  type UuidWords,
  uuidV5,
  uuidV5Words,
  uuidWords,
  valueText,
} from '../record/index.ts'
import { noteUnusable } from './empty-values.ts'
import type { IdView, UuidRule } from './preset.ts'

/** What a value was asked for. */
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

const EMPTY_OBJECT = '{}'

/** What a preset's functions read a record through: each read of one view is for the same thing. */
class UseView implements IdView {
  readonly #view: SlotView
  readonly #use: Use

  constructor(view: SlotView, use: Use) {
    this.#view = view
    this.#use = use
  }

  text(slot: string): string | undefined {
    const view = this.#view
    const number = view.slots.get(slot)
    const at = number === undefined ? -1 : view.found[number]!
    if (at < 0) return undefined
    let text = view.texts[number!]
    if (text === undefined) {
      if (view.tape.kind(at) === KIND.null) return undefined
      text = valueText(view.tape, view.bytes, at)
      if (text === undefined || text === '') {
        view.refuse(slot, at)
        return undefined
      }
      view.texts[number!] = text
    }
    if (this.#use === USE.timestamp && view.hasIds && isNullWord(text)) return undefined
    view.ask(number!, this.#use)
    return text
  }

  id(slot: string): Id | undefined {
    const number = this.#view.slots.get(slot)
    const at = number === undefined ? -1 : this.#view.found[number]!
    if (at < 0) return undefined
    const { tape, bytes } = this.#view
    const kind = tape.kind(at)
    const quote = kind === KIND.string ? 1 : 0
    const id = isScalar(kind) ? Id.plain(bytes, tape.start(at) + quote, tape.end(at) - quote) : undefined
    if (id === undefined) {
      const text = this.text(slot)
      return text === undefined ? undefined : Id.ofText(text)
    }
    this.#view.ask(number!, this.#use)
    return id
  }

  first(slot: string): string | undefined {
    const at = this.#view.at(slot)
    if (at < 0 || this.#view.tape.kind(at) !== KIND.array) return this.text(slot)
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
    const number = this.#view.slots.get(slot)
    const at = number === undefined ? -1 : this.#view.found[number]!
    if (at < 0) return undefined
    const { tape, bytes } = this.#view
    const [start, end] = [tape.start(at) + 1, tape.end(at) - 1]
    // Most ids are read as the record has them.
    if (tape.kind(at) === KIND.string && !tape.escaped(at) && start < end) {
      this.#view.ask(number!, this.#use)
      return namespace === undefined ? readUuid(bytes, start, end) : uuidV5Words(namespace, bytes, start, end)
    }
    const uuid = namespace === undefined ? undefined : this.uuidV5(namespace, slot)
    return uuid === undefined ? undefined : uuidWords(uuid)
  }

  kind(slot: string): Kind | undefined {
    const at = this.#view.at(slot)
    return at < 0 ? undefined : this.#view.tape.kind(at)
  }

  json(slot: string): string | undefined {
    const at = this.#view.at(slot)
    if (at < 0) return undefined
    if (this.#view.tape.kind(at) !== KIND.null) this.#view.ask(this.#view.slots.get(slot)!, this.#use)
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
    const at = this.#view.at(slot)
    if (at < 0) return undefined
    if (this.#view.tape.kind(at) === kind) {
      this.#view.ask(this.#view.slots.get(slot)!, this.#use)
      const [start, end] = [this.#view.tape.start(at), this.#view.tape.end(at)]
      // Most records have their objects empty.
      return kind === KIND.object && end - start === 2 ? EMPTY_OBJECT : this.#view.spanText(start, end)
    }
    this.#view.refuse(slot, at)
    return undefined
  }
}

/** The slots of the record under way, and what was asked of them. */
export class SlotView {
  /** Index on the tape of each slot's value; -1 for none. */
  readonly found: Int32Array
  readonly ranks: Int32Array
  /** Place of the member that fills each slot, see member-counts.ts; -1 for an empty value, which has no use. */
  readonly places: Int32Array
  /** What each slot's value was first asked for in this record, and which slots were asked for, in that order. */
  readonly asked: Uint8Array
  readonly askedSlots: Int32Array
  askedCount = 0
  /** The record as it is read for each thing. */
  readonly reads = {
    event: new UseView(this, USE.event),
    distinctId: new UseView(this, USE.distinctId),
    timestamp: new UseView(this, USE.timestamp),
    uuid: new UseView(this, USE.uuid),
    anonymousId: new UseView(this, USE.anonymousId),
    groups: new UseView(this, USE.groups),
    properties: new UseView(this, USE.properties),
  }
  /** The slot that was asked for last. */
  #last = -1
  readonly slots: ReadonlyMap<string, number>
  /** The record: its members, and the bytes that they are spans of. */
  readonly tape: Tape
  bytes: Buffer = Buffer.alloc(0)
  /** Texts already decoded: a preset's functions ask for the same few several times. */
  readonly texts: Array<string | undefined>
  /** See `Compiled.labels`. */
  readonly #labels: ReadonlyMap<string, readonly string[]>
  readonly #notes: Notes
  /** Slots that hold ids of people, see `Preset.ids`. */
  readonly #ids: readonly string[]
  readonly #idNumbers: readonly number[]
  /** Of those, the slots of this record that `leaveOutNobody` made empty, and their places on the tape. */
  readonly #words: Array<{ readonly slot: string; readonly number: number; readonly at: number }> = []
  /** What is read as if the record had null there: see `withhold`. */
  #withheld: { readonly start: number; readonly end: number } | undefined
  /** Slots whose values could not be used, each counted once a record however often it is asked for. */
  readonly #unusable = new Set<string>()

  constructor(
    slots: ReadonlyMap<string, number>,
    tape: Tape,
    labels: ReadonlyMap<string, readonly string[]>,
    notes: Notes,
    ids: readonly string[] = [],
  ) {
    this.slots = slots
    this.#ids = ids.filter((slot) => slots.has(slot))
    this.#idNumbers = this.#ids.map((slot) => slots.get(slot)!)
    this.tape = tape
    this.#labels = labels
    this.#notes = notes
    this.found = new Int32Array(slots.size).fill(-1)
    this.ranks = new Int32Array(slots.size)
    this.places = new Int32Array(slots.size)
    this.asked = new Uint8Array(slots.size)
    this.askedSlots = new Int32Array(slots.size)
    this.texts = new Array(slots.size).fill(undefined)
  }

  reset(bytes: Buffer): void {
    this.bytes = bytes
    this.#withheld = undefined
    if (this.#unusable.size > 0) this.#unusable.clear()
    for (let i = 0; i < this.askedCount; i++) {
      const slot = this.askedSlots[i]!
      this.asked[slot] = USE.none
      this.texts[slot] = undefined
    }
    this.askedCount = 0
    if (this.#words.length > 0) this.#words.length = 0
    // A loop: for so few, a call to fill costs more.
    for (let i = 0; i < this.found.length; i++) this.found[i] = -1
  }

  /** Makes the slots of ids empty whose values stand for nobody. */
  leaveOutNobody(): void {
    const { tape, bytes } = this
    for (let i = 0; i < this.#idNumbers.length; i++) {
      const number = this.#idNumbers[i]!
      const at = this.found[number]!
      if (at < 0) continue
      const kind = tape.kind(at)
      if (kind !== KIND.string && kind !== KIND.number) continue
      const quote = kind === KIND.string ? 1 : 0
      const isSuspect = tape.escaped(at) || mayBeNobody(bytes, tape.start(at) + quote, tape.end(at) - quote)
      if (!isSuspect || !isNobody(valueText(tape, bytes, at)!)) continue
      this.found[number] = -1
      this.#words.push({ slot: this.#ids[i]!, number, at })
    }
  }

  /** Undoes that for words that a tool may use as an id, such as `guest`; false when there are none. */
  putBackWords(): boolean {
    const words = this.#words.filter(({ at }) => !isNullWord(valueText(this.tape, this.bytes, at)!))
    for (const { number, at } of words) this.found[number] = at
    return words.length > 0
  }

  /** Counts those words where another id took their place. */
  noteLeftOut(): void {
    for (const { slot, at } of this.#words) {
      const text = valueText(this.tape, this.bytes, at)!
      if (text.trim() !== '' && !isNullWord(text)) this.count(slot, at, 'is a word that stands for nobody')
    }
  }

  /** Lets the record be read as if its value at [start, end) were null, until the next one. */
  withhold(start: number, end: number): void {
    this.#withheld = { start, end }
    for (const [slot, at] of this.found.entries())
      if (at >= 0 && this.tape.start(at) >= start && this.tape.end(at) <= end) this.found[slot] = -1
  }

  /** True when slots hold ids of people, see `Preset.ids`. */
  get hasIds(): boolean {
    return this.#idNumbers.length > 0
  }

  /** Index on the tape of a slot's value, or -1. */
  at(slot: string): number {
    const number = this.slots.get(slot)
    return number === undefined ? -1 : this.found[number]!
  }

  spanText(start: number, end: number): string {
    const [bytes, withheld] = [this.bytes, this.#withheld]
    if (withheld === undefined || withheld.start < start || withheld.end > end)
      return bytes.toString('utf8', start, end)
    return `${bytes.toString('utf8', start, withheld.start)}null${bytes.toString('utf8', withheld.end, end)}`
  }

  refuse(slot: string, at: number): void {
    if (this.#unusable.has(slot)) return
    this.#unusable.add(slot)
    noteUnusable(this.#notes, this.#labelOf(slot, at), this.tape, at)
  }

  count(slot: string, at: number, what: string): void {
    if (this.#unusable.has(slot)) return
    this.#unusable.add(slot)
    countOne(this.#notes.unusable, `${this.#labelOf(slot, at)} ${what}`)
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
    if (this.#last >= 0 && this.asked[this.#last] === USE.properties) this.asked[this.#last] = use
  }

  /** Says the same of a slot's value; its number, or -1 when nothing fills it. */
  usedSlotAs(slot: string, use: Use): number {
    const number = this.slots.get(slot)
    if (number === undefined || this.found[number]! < 0) return -1
    if (this.asked[number] === USE.none) this.askedSlots[this.askedCount++] = number
    else if (this.asked[number] !== USE.properties) return number
    this.asked[number] = use
    return number
  }

  ask(number: number, use: Use): void {
    this.#last = number
    if (this.asked[number] !== USE.none) return
    this.asked[number] = use
    this.askedSlots[this.askedCount++] = number
  }
}

function isScalar(kind: Kind): boolean {
  return kind !== KIND.null && kind !== KIND.object && kind !== KIND.array
}
