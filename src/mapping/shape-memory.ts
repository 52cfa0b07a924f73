import { keys } from '../record/keys.ts'
import type { MemberList } from '../record/members.ts'
import { KIND, type Tape } from '../record/tape.ts'
import type { EventDraft } from './draft.ts'
import type { EmptyValues } from './empty-values.ts'
import type { MemberCounts } from './member-counts.ts'
import type { MetMembers } from './member-kind.ts'
import type { FilledSlots, SlotView } from './record-view.ts'

/** Shapes that a mapper remembers: 2 KB each. */
export const MOST_SHAPES = 4096
/** Records with more members hardly have a shape in common. */
const MOST_MEMBERS = 255
/** Names with higher numbers don't fit into a word of a shape. */
const LAST_KEY = (1 << 20) - 1
/** After so many records it is judged whether looking for their shapes pays. */
const WINDOW = 4096

/** What a value is to the walk, which asks for no more. */
const VALUE = { present: 0, object: 1, nothing: 2, noElements: 3, noMembers: 4, vendorsNothing: 5 } as const

/** What the walk did with the first record of a shape. */
interface Outcome {
  readonly shape: readonly number[]
  /** Undefined where the walk did more than the shape tells: such records are walked each. */
  readonly done: Done | undefined
}

interface Done {
  readonly slots: FilledSlots
  readonly properties: MemberList
  readonly toSet: MemberList
  readonly toSetOnce: MemberList
  readonly met: MetMembers
}

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
  /** By the hash of the shape, or at the next free place after it. Four times as many places as shapes. */
  readonly #outcomes: Array<Outcome | undefined>
  #count = 0
  #generation = keys.generation
  #isOn: boolean
  #looked = 0
  #hits = 0
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
    this.#outcomes = new Array(4 * limit).fill(undefined)
  }

  /** Does for the record on the tape what the walk would do. False when it can't: then walk it, and call `learn`. */
  repeat(bytes: Buffer): boolean {
    this.#place = -1
    if (!this.#isOn) return false
    if (this.#generation !== keys.generation) this.#forget()
    if (++this.#looked === WINDOW) this.#judge()
    const hash = this.#readShape(bytes)
    if (hash < 0) return false
    const outcomes = this.#outcomes
    const mask = outcomes.length - 1
    let place = hash & mask
    let outcome = outcomes[place]
    while (outcome !== undefined && !this.#isOf(outcome.shape)) {
      place = (place + 1) & mask
      outcome = outcomes[place]
    }
    if (outcome === undefined) {
      if (this.#count < this.#limit) this.#place = place
      return false
    }
    const { done } = outcome
    if (done === undefined) return false
    this.#hits++
    const tape = this.#tape
    const { properties, toSet, toSetOnce } = this.#draft
    this.#view.fill(done.slots)
    properties.repeat(done.properties, tape, bytes)
    toSet.repeat(done.toSet, tape, bytes)
    toSetOnce.repeat(done.toSetOnce, tape, bytes)
    this.#counts.repeat(done.met)
    return true
  }

  /** Remembers what the walk did with the record that `repeat` refused. */
  learn(isRegular: boolean): void {
    if (this.#place < 0) return
    const shape = Array.from(this.#shape.subarray(0, this.#length))
    this.#outcomes[this.#place] = { shape, done: isRegular ? this.#done() : undefined }
    this.#count++
  }

  #done(): Done {
    const tape = this.#tape
    const { properties, toSet, toSetOnce } = this.#draft
    return {
      slots: this.#view.filled(),
      properties: properties.list(tape),
      toSet: toSet.list(tape),
      toSetOnce: toSetOnce.list(tape),
      met: this.#counts.metNow(),
    }
  }

  /** Where fewer than half of the records have a shape that is known, it is no longer looked for. */
  #judge(): void {
    if (this.#hits * 2 < WINDOW) {
      this.#isOn = false
      this.#outcomes.length = 0
    }
    this.#looked = 0
    this.#hits = 0
  }

  /** Keys mean other names now. */
  #forget(): void {
    this.#generation = keys.generation
    this.#outcomes.fill(undefined)
    this.#count = 0
  }

  /** Reads the shape of the record; returns its hash, or -1 for one that is not to be remembered. */
  #readShape(bytes: Buffer): number {
    const tape = this.#tape
    const { count } = tape
    if (count > MOST_MEMBERS) return -1
    const shape = this.#shape
    let hash = count
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
    this.#length = count
    return hash & 0x7fffffff
  }

  /** A hash may lie. */
  #isOf(shape: readonly number[]): boolean {
    if (shape.length !== this.#length) return false
    for (let i = 0; i < shape.length; i++) if (shape[i] !== this.#shape[i]) return false
    return true
  }
}
