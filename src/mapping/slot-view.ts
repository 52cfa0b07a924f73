import {
  countOne,
  isNobody,
  isNullWord,
  KIND,
  keys,
  mayBeNobody,
  type Notes,
  type Tape,
  valueText,
} from '../record/index.ts'
import { noteUnusable } from './empty-values.ts'

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

/** The slots that rules fill, by their names. */
export interface SlotTable {
  readonly slots: ReadonlyMap<string, number>
  /** What messages call each rule that fills a slot: `preset mixpanel: properties.time`. */
  readonly labels: ReadonlyMap<string, readonly string[]>
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
  /** The slot that was asked for last. */
  #last = -1
  readonly slots: ReadonlyMap<string, number>
  /** The record: its members, and the bytes that they are spans of. */
  readonly tape: Tape
  bytes: Buffer = Buffer.alloc(0)
  /** Texts already decoded: a preset's functions ask for the same few several times. */
  readonly texts: Array<string | undefined>
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

  constructor({ slots, labels }: SlotTable, tape: Tape, notes: Notes, ids: readonly string[] = []) {
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
