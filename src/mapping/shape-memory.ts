import { keys } from '../record/keys.ts'
import { FLAG, KIND, type Tape } from '../record/tape.ts'
import type { EventDraft } from './draft.ts'
import type { EmptyValues } from './empty-values.ts'
import type { MemberCounts } from './member-counts.ts'
import type { SlotView } from './record-view.ts'
import type { ShapeCounts } from './shape-counts.ts'

/** Shapes that a mapper remembers: 1 to 2 KB each. */
export const MOST_SHAPES = 4096
/** Records with more members hardly have a shape in common. */
const MOST_MEMBERS = 255
/** Names with higher numbers don't fit into a word of a shape. */
const LAST_KEY = (1 << 20) - 1
/** After so many records it is judged whether looking for their shapes pays. */
const WINDOW = 8192

/** What a value is to the walk, which asks for no more. */
const VALUE = { present: 0, object: 1, nothing: 2, noElements: 3, noMembers: 4, vendorsNothing: 5 } as const

/**
 * What is kept of a shape begins with these numbers: how many members it has (and APART), the number of its counts, and how
 * many slots it fills. Its words follow, then slot, index on the tape and place of what fills slots, then a plan each for the
 * event's properties, the person's, and those set once. All shapes are in one array: spread over the memory, they would take
 * longer to read than to do without.
 */
const AT = { members: 0, counts: 1, slots: 2 } as const
const HEAD = 3
const FILLED = 3
/** Added to the length of a shape whose members have blanks between them, or names spelled in another way. */
const APART = MOST_MEMBERS + 1
/** The number of the counts of a shape whose records are walked each: the walk did more than the shape tells. */
const WALKED = -1

/**
 * Does again what the walk did with an earlier record of the same shape: the same names in the same order and nesting, with
 * values that are empty, objects or neither in the same places. Most histories have few shapes.
 */
export class ShapeMemory {
  readonly #tape: Tape
  readonly #view: SlotView
  readonly #draft: EventDraft
  readonly #emptyValues: EmptyValues
  readonly #counts: MemberCounts
  readonly #limit: number
  /** By the hash of the shape, or at the next free place after it: where #kept has it, 0 for none. */
  #places: Int32Array
  #kept = new Int32Array(HEAD)
  #used = HEAD
  #shapeCounts: ShapeCounts[] = []
  #count = 0
  #generation = keys.generation
  #isOn: boolean
  #looked = 0
  #hits = 0
  #isWarm = false
  /** The shape of the record under way, its length, and where it belongs; -1 for one that is not to be remembered. */
  readonly #shape = new Int32Array(MOST_MEMBERS)
  #length = 0
  #place = -1

  /** `limit`: a power of two, or 0 for a memory that is never on. */
  constructor(
    tape: Tape,
    view: SlotView,
    draft: EventDraft,
    emptyValues: EmptyValues,
    counts: MemberCounts,
    limit: number,
  ) {
    this.#tape = tape
    this.#view = view
    this.#draft = draft
    this.#emptyValues = emptyValues
    this.#counts = counts
    this.#limit = limit
    this.#isOn = limit > 0
    this.#places = new Int32Array(4 * limit)
  }

  /** Does for the record on the tape what the walk would do. False when it can't: then walk it, and call `learn`. */
  repeat(bytes: Buffer): boolean {
    this.#place = -1
    if (++this.#looked === WINDOW) this.#judge()
    if (!this.#isOn) return false
    if (this.#generation !== keys.generation) this.#forget()
    const hash = this.#readShape(bytes)
    if (hash < 0) return false
    const places = this.#places
    const mask = places.length - 1
    let place = hash & mask
    while (places[place] !== 0 && !this.#isKeptAt(places[place]!)) place = (place + 1) & mask
    const kept = this.#kept
    const head = places[place]!
    if (head === 0) {
      if (this.#count < this.#limit) this.#place = place
      return false
    }
    if (kept[head + AT.counts] === WALKED) return false
    this.#hits++
    this.#repeat(head, bytes)
    return true
  }

  /** Remembers what the walk did with the record that `repeat` refused. */
  learn(isRegular: boolean): void {
    if (this.#place < 0) return
    const tape = this.#tape
    const { found, places } = this.#view
    const { properties, toSet, toSetOnce } = this.#draft
    const counts = isRegular ? this.#counts.openShape(properties.filledKeys()) : undefined
    const kept = [this.#length, WALKED, 0, ...this.#shape.subarray(0, tape.count)]
    if (counts) {
      const filled = [...found.keys()].filter((slot) => found[slot]! >= 0)
      kept[AT.counts] = this.#shapeCounts.push(counts) - 1
      kept[AT.slots] = filled.length
      for (const slot of filled) kept.push(slot, found[slot]!, places[slot]!)
      for (const members of [properties, toSet, toSetOnce]) kept.push(...members.plan(tape))
    }
    this.#keep(kept)
  }

  #keep(words: readonly number[]): void {
    if (this.#used + words.length > this.#kept.length) {
      const larger = new Int32Array(2 * (this.#used + words.length))
      larger.set(this.#kept)
      this.#kept = larger
    }
    this.#kept.set(words, this.#used)
    this.#places[this.#place] = this.#used
    this.#used += words.length
    this.#count++
  }

  #repeat(head: number, bytes: Buffer): void {
    const kept = this.#kept
    const tape = this.#tape
    const { found, places } = this.#view
    let at = head + HEAD + tape.count
    for (let last = at + kept[head + AT.slots]! * FILLED; at < last; at += FILLED) {
      const slot = kept[at]!
      found[slot] = kept[at + 1]!
      places[slot] = kept[at + 2]!
    }
    const { properties, toSet, toSetOnce } = this.#draft
    at = properties.follow(kept, at, tape, bytes)
    at = toSet.follow(kept, at, tape, bytes)
    toSetOnce.follow(kept, at, tape, bytes)
    this.#counts.meetShape(this.#shapeCounts[kept[head + AT.counts]!]!)
  }

  /** Where one record in four has no shape that is known, it is no longer looked for; the first window is for learning. */
  #judge(): void {
    if (this.#isWarm && this.#hits * 4 < WINDOW * 3) {
      this.#isOn = false
      this.#places = new Int32Array(0)
      this.#kept = new Int32Array(0)
    }
    this.#isWarm = true
    this.#looked = 0
    this.#hits = 0
  }

  /** Keys mean other names now. */
  #forget(): void {
    this.#generation = keys.generation
    this.#places.fill(0)
    this.#used = HEAD
    this.#shapeCounts = []
    this.#count = 0
  }

  /** Reads the shape of the record; returns its hash, or -1 for one that is not to be remembered. */
  #readShape(bytes: Buffer): number {
    const tape = this.#tape
    const { count } = tape
    if (count > MOST_MEMBERS) return -1
    const shape = this.#shape
    this.#length = (tape.flags & FLAG.apart) === 0 ? count : count + APART
    let hash = this.#length
    for (let i = 0; i < count; i++) {
      const key = tape.key(i)
      if (key > LAST_KEY) return -1
      const kind = tape.kind(i)
      let value: number = VALUE.present
      if (kind === KIND.null) value = VALUE.nothing
      else if (kind === KIND.string) {
        if (tape.end(i) - tape.start(i) === 2) value = VALUE.nothing
        else if (this.#emptyValues.is(bytes, i)) value = VALUE.vendorsNothing
      } else if (kind === KIND.object) {
        value = tape.end(i) - tape.start(i) === 2 ? VALUE.noMembers : VALUE.object
      } else if (kind === KIND.array && tape.end(i) - tape.start(i) === 2) value = VALUE.noElements
      const word = (key << 11) | ((tape.next(i) - i) << 3) | value
      shape[i] = word
      hash = Math.imul(hash ^ word, 0x01000193)
      hash ^= hash >>> 15
    }
    return hash & 0x7fffffff
  }

  /** A hash may lie. */
  #isKeptAt(head: number): boolean {
    const kept = this.#kept
    if (kept[head + AT.members] !== this.#length) return false
    const { count } = this.#tape
    const shape = this.#shape
    for (let i = 0, at = head + HEAD; i < count; i++, at++) if (kept[at] !== shape[i]) return false
    return true
  }
}
