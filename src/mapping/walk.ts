import { type Key, keys } from '../record/keys.ts'
import { type Members, PUT } from '../record/members.ts'
import type { Notes } from '../record/notes.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { isOwnName } from './compile.ts'
import type { EventDraft } from './draft.ts'
import type { EmptyValues } from './empty-values.ts'
import type { SlotView } from './record-view.ts'
import type { Step, StepEmit, Steps } from './steps.ts'
import { noteUnusable } from './unusable.ts'

/** Applies the compiled tables to a scanned record: every member goes where its rule says, as spans. */
export class Walk {
  readonly #tape: Tape
  readonly #view: SlotView
  readonly #draft: EventDraft
  readonly #notes: Notes
  readonly #emptyValues: EmptyValues

  constructor(tape: Tape, view: SlotView, draft: EventDraft, notes: Notes, emptyValues: EmptyValues) {
    this.#tape = tape
    this.#view = view
    this.#draft = draft
    this.#notes = notes
    this.#emptyValues = emptyValues
  }

  /** Walks the members from tape index `from` up to `to`. */
  object(steps: Steps, bytes: Buffer, from: number, to: number): void {
    const tape = this.#tape
    const { seen } = steps
    let nested = false
    for (let i = from; i < to; i = tape.next(i)) {
      const step = steps.of(tape.key(i))
      const { child } = step
      if (child >= 0 && tape.kind(i) === KIND.object) {
        if (!nested) seen.fill(-1)
        const isSecond = nested && seen[child]! >= 0
        nested = true
        seen[child] = i
        if (step.whole) this.#member(step, bytes, i)
        else {
          for (const slot of step.slots) this.#slot(slot, step, i)
          if (isSecond) this.#notes.duplicate_keys++
        }
      } else {
        // The last of two members with one name counts, even if it is no object.
        if (nested && child >= 0 && seen[child]! >= 0) {
          seen[child] = -1
          this.#notes.duplicate_keys++
        }
        // What has a slot is judged by the function that asks for it.
        if (child >= 0 && step.slots.length === 0) noteUnusable(this.#notes, step.label, tape, i)
        this.#member(step, bytes, i)
      }
    }
    if (!nested) return
    // Objects are walked last, so that of two with one name only the last is walked.
    for (let child = 0; child < seen.length; child++) {
      const at = seen[child]!
      if (at >= 0) this.object(steps.children[child]!, bytes, at + 1, tape.next(at))
    }
  }

  #member(step: Step, bytes: Buffer, index: number): void {
    const { slots, emits } = step
    if (step.unknown) this.#draft.leaveOut(keys.text(this.#tape.key(index)))
    let isSecond = false
    for (let i = 0; i < slots.length; i++) if (this.#slot(slots[i]!, step, index)) isSecond = true
    if (emits.length > 0 && !this.#emptyValues.is(bytes, index)) {
      for (let i = 0; i < emits.length; i++) if (this.#emit(emits[i]!, bytes, index)) isSecond = true
    }
    if (isSecond) this.#notes.duplicate_keys++
  }

  /** True when the record had a member with that name before. */
  #slot(slot: number, rule: Step, index: number): boolean {
    const { found, ranks } = this.#view
    const before = found[slot]!
    let isSecond = false
    if (before >= 0) {
      const rank = ranks[slot]!
      isSecond = rank === rule.rank
      // A field that the table lists earlier keeps the slot, unless its value is empty.
      if (!isSecond && (rank < rule.rank ? !this.#isNothing(before) : this.#isNothing(index))) return false
    }
    found[slot] = index
    ranks[slot] = rule.rank
    return isSecond
  }

  /** True when the record had a member with that name before. */
  #emit({ into, key, own, rank }: StepEmit, bytes: Buffer, index: number): boolean {
    const draft = this.#draft
    const members = into === 'property' ? draft.properties : into === 'set' ? draft.toSet : draft.toSetOnce
    const tape = this.#tape
    const start = tape.start(index)
    const end = tape.end(index)
    const put = members.put(key, bytes, start, end, rank, own ? tape.at(index) : -1)
    if (into === 'property') {
      if (put === PUT.outranked) this.#saveLoser(members.lost, key)
      if (put === PUT.kept) this.#saveLoser({ source: bytes, start, end, rank }, key)
    }
    return put === PUT.replaced
  }

  /** Two fields gave one property: the value that lost goes under `$<vendor>_<name>` unless it has another name. */
  #saveLoser(loser: Members['lost'], key: Key): void {
    if (!isOwnName(loser.rank)) return
    const name = keys.text(key)
    const json = loser.source.toString('utf8', loser.start, loser.end)
    if (json !== this.#draft.json(name)) this.#draft.vendorProperty(name, json)
  }

  #isNothing(index: number): boolean {
    const tape = this.#tape
    return (
      tape.kind(index) === KIND.null ||
      (tape.kind(index) === KIND.string && tape.end(index) - tape.start(index) === 2)
    )
  }
}
