import { grown } from '../record/bytes.ts'
import { type Key, keys } from '../record/keys.ts'
import { type Members, PUT } from '../record/members.ts'
import type { Notes } from '../record/notes.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { isOwnName, type ParentRule, type Rule, type RuleNode } from './compile.ts'
import type { EventDraft } from './draft.ts'
import { type EmptyValues, noteUnusable } from './empty-values.ts'
import { CHILD } from './explode.ts'
import { ALL, BESIDES, type Into, LEFT_OUT, MET, type MemberKind, renamedFate, sentFate } from './fates.ts'
import type { MapperParts, MemberCounts } from './member-counts.ts'
import type { SlotView } from './slot-view.ts'

/** Applies the compiled tables to a scanned record: every member goes where its rule says, as spans. */
export class Walk {
  readonly #tape: Tape
  readonly #view: SlotView
  readonly #draft: EventDraft
  readonly #notes: Notes
  readonly #emptyValues: EmptyValues
  readonly #counts: MemberCounts

  constructor({ tape, view, emptyValues, notes, counts }: MapperParts, draft: EventDraft) {
    this.#counts = counts
    this.#tape = tape
    this.#view = view
    this.#draft = draft
    this.#notes = notes
    this.#emptyValues = emptyValues
  }

  record(steps: Steps, bytes: Buffer): void {
    this.#object(steps, bytes, 0, this.#tape.count)
  }

  /** Walks the members from tape index `from` up to `to`. */
  #object(steps: Steps, bytes: Buffer, from: number, to: number): void {
    const tape = this.#tape
    const { seen } = steps
    const before = this.#counts.met
    let nested = false
    for (let i = from; i < to; i = tape.next(i)) {
      const step = steps.of(tape.key(i))
      const { child } = step
      if (child < 0) this.#member(step, bytes, i)
      else if (tape.kind(i) === KIND.object) {
        if (!nested) seen.fill(-1)
        const isSecond = nested && seen[child]! >= 0
        nested = true
        seen[child] = i
        if (step.whole) this.#member(step, bytes, i)
        else this.#opened(step, i, isSecond)
      } else {
        // The last of two members with one name counts, even if it is no object.
        if (nested && seen[child]! >= 0) {
          seen[child] = -1
          this.#repeat(step)
        }
        // What has a slot is judged by the function that asks for it.
        if (step.slots.length === 0) noteUnusable(this.#notes, step.label, tape, i)
        this.#member(step, bytes, i)
      }
    }
    if (steps.handed.length > 0) this.#counts.handOver(steps.handed, before)
    if (nested) this.#children(steps, bytes)
  }

  /** An object whose members are told apart. */
  #opened(step: Step, index: number, isSecond: boolean): void {
    for (const slot of step.slots) this.#slot(slot, step, index, step.place)
    if (isSecond) this.#repeat(step)
  }

  /** Walks the objects that were seen: last, so that of two with one name only the last is walked. */
  #children(steps: Steps, bytes: Buffer): void {
    const [tape, { seen }] = [this.#tape, steps]
    for (let child = 0; child < seen.length; child++) {
      const at = seen[child]!
      if (at < 0) continue
      const step = steps.of(tape.key(at))
      if (!step.whole) this.#counts.meetOpened(step.place)
      this.#object(steps.children[child]!, bytes, at + 1, tape.next(at))
    }
  }

  #member(step: Step, bytes: Buffer, index: number): void {
    const { slots, emits, place } = step
    if (step.unknown) this.#draft.leaveOut(step.path)
    const isEmpty = this.#isEmpty(step, bytes, index)
    let isSecond = false
    for (let i = 0; i < slots.length; i++) {
      // The vendor's words for nothing may still be read by a function.
      const usable = isEmpty && this.#isHollow(index) ? -1 : place
      if (this.#slot(slots[i]!, step, index, usable)) isSecond = true
    }
    if (!isEmpty) {
      const tape = this.#tape
      const at = tape.at(index)
      const start = tape.start(index)
      const end = tape.end(index)
      for (let i = 0; i < emits.length; i++) {
        const { into, key, own, rank } = emits[i]!
        // Most properties get one value: for those no more is done than this.
        if (this.#draft.membersOf(into).add(key, bytes, start, end, rank, own ? at : -1)) continue
        if (this.#again(step, i, bytes, index)) isSecond = true
      }
    }
    if (place >= 0) this.#counts.meet(place, isEmpty ? MET.empty : MET.present)
    if (!isSecond) return
    this.#notes.duplicate_keys++
    if (place >= 0) this.#counts.except(place, ALL, LEFT_OUT.duplicate)
  }

  /** True for a value that says nothing. One that only fills slots is empty in fewer cases: a function looks at it. */
  #isEmpty({ emits, slots }: Step, bytes: Buffer, index: number): boolean {
    if (emits.length > 0) return this.#emptyValues.is(bytes, index)
    if (this.#isHollow(index)) return true
    return slots.length === 0 && this.#emptyValues.is(bytes, index)
  }

  /** Notes that an object was replaced by another value of its name. */
  #repeat({ place, whole }: Step): void {
    this.#notes.duplicate_keys++
    if (!whole) this.#counts.except(place, BESIDES, LEFT_OUT.duplicate)
  }

  /** True when the record had a member with that name before. */
  #slot(slot: number, rule: Step, index: number, place: number): boolean {
    const before = this.#view.filled(slot)
    if (before === undefined) {
      this.#view.fill(slot, index, rule.rank, place)
      return false
    }
    // Members that one pattern finds have one rank and names of their own.
    const isSecond = before.rank === rule.rank && this.#tape.key(before.at) === this.#tape.key(index)
    // A field that the table lists earlier keeps the slot, unless its value is empty.
    if (!isSecond && (before.rank < rule.rank ? !this.#isNothing(before.at) : this.#isNothing(index)))
      return false
    this.#view.fill(slot, index, rule.rank, place)
    return isSecond
  }

  /** Emits to a property that has a value. True when the record had a member with that name before. */
  #again({ emits, place }: Step, emit: number, bytes: Buffer, index: number): boolean {
    const { into, key, own, rank } = emits[emit]!
    const members = this.#draft.membersOf(into)
    const tape = this.#tape
    const start = tape.start(index)
    const end = tape.end(index)
    const put = members.put(key, bytes, start, end, rank, own ? tape.at(index) : -1)
    if (put === PUT.outranked) {
      const fate = this.#saveLoser(into, members.lost, key)
      if (fate !== undefined) this.#counts.lose(into, key, fate)
    } else if (put === PUT.kept) {
      const fate = this.#saveLoser(into, { source: bytes, start, end, rank }, key)
      if (fate !== undefined) this.#counts.except(place, emit, fate)
    }
    return put === PUT.replaced
  }

  /**
   * Two fields gave one property: the value that lost goes under `$<vendor>_<name>` unless it has another name. Returns
   * its fate; undefined when it is the same value.
   */
  #saveLoser(into: StepEmit['into'], loser: Members['lost'], key: Key): string | undefined {
    if (into !== 'property' || !isOwnName(loser.rank)) return LEFT_OUT.outranked
    const name = keys.text(key)
    const json = loser.source.toString('utf8', loser.start, loser.end)
    if (json === this.#draft.properties.json(key)) return undefined
    const saved = this.#draft.vendorProperty(name, json)
    return saved === undefined ? LEFT_OUT.dropped : renamedFate(saved)
  }

  /** True for null, '', {} and []. */
  #isHollow(index: number): boolean {
    const tape = this.#tape
    const kind = tape.kind(index)
    if (kind === KIND.null) return true
    if (kind !== KIND.string && kind !== KIND.object && kind !== KIND.array) return false
    return tape.end(index) - tape.start(index) === 2
  }

  #isNothing(index: number): boolean {
    const tape = this.#tape
    return (
      tape.kind(index) === KIND.null ||
      (tape.kind(index) === KIND.string && tape.end(index) - tape.start(index) === 2)
    )
  }
}

/** What becomes of the members with one name: a rule whose names are all looked up. */
interface Step extends MemberKind {
  readonly emits: readonly StepEmit[]
  readonly rank: number
  /** Index in `Steps.children`; -1 for a rule without rules for the value's own members. */
  readonly child: number
  readonly whole: boolean
  readonly label: string
  /** True when no rule knows the member, or the service has no use for it: it is left out of the event, and counted. */
  readonly unknown: boolean
  /** Where the member is counted; -1 for one that is not, see `isCounted`. */
  readonly place: number
}

interface StepEmit {
  readonly into: Into
  readonly key: Key
  /** True when the member keeps its name: it may be copied as it is. */
  readonly own: boolean
  readonly rank: number
}

/** The rules for the members of one object, by key: each name is looked up once, not once for every record. */
export class Steps {
  readonly children: readonly Steps[]
  /** For the walk: the last member seen for each child. */
  readonly seen: Int32Array
  /** Slots of the object itself, when functions may take its members from there. */
  readonly handed: readonly number[]
  readonly #node: RuleNode
  readonly #counts: MemberCounts
  /** By key: index in #steps, 0 for one not looked up yet. */
  #places = new Int32Array(1024)
  readonly #steps: Array<Step | undefined> = []

  constructor(node: RuleNode, counts: MemberCounts) {
    this.#node = node
    this.#counts = counts
    this.handed = node.handed
    this.children = node.parents.map(({ child }) => new Steps(child, counts))
    this.seen = new Int32Array(this.children.length)
    this.forget()
  }

  of(key: Key): Step {
    const place = key < this.#places.length ? this.#places[key]! : 0
    return place === 0 ? this.#resolve(key) : this.#steps[place]!
  }

  /** To be called when `keys.generation` has changed, and with it what keys mean. */
  forget(): void {
    this.#places.fill(0)
    // Index 0 means that a name is not looked up yet.
    this.#steps.length = 1
    for (const child of this.children) child.forget()
  }

  #resolve(key: Key): Step {
    const { named, patterns, rest } = this.#node
    const name = keys.text(key)
    const rule = named.get(name) ?? patterns.find(({ head }) => name.startsWith(head))?.rule ?? rest
    const step = this.#stepOf(rule, key, name)
    if (key >= this.#places.length)
      this.#places = grown(this.#places, Math.max(this.#places.length * 2, key + 1))
    this.#places[key] = this.#steps.length
    this.#steps.push(step)
    return step
  }

  #stepOf(rule: Rule, own: Key, name: string): Step {
    const emits = rule.emits.map(({ into, prefix, rank, key = keys.ofText(prefix + name) }) => {
      return { into, key, own: key === own, rank }
    })
    // Spelled out, what is read for every member first: an object made by spreading is slower to read.
    const step = {
      emits,
      slots: rule.slots,
      child: this.#node.parents.indexOf(rule as ParentRule),
      label: rule.label,
      place: -1,
      unknown: (this.#node.leavesRestOut && rule === this.#node.rest) || rule.leftOut === LEFT_OUT.service,
      rank: rule.rank,
      whole: rule.whole,
      path: this.#node.prefix + name,
      name,
      fates: emits.map(({ into, key, own }) => sentFate(into, keys.text(key), own)),
      leftOut: rule.leftOut,
    }
    if (isCounted(step)) step.place = this.#counts.open(step)
    return step
  }
}

/** False for a member that goes with the object that it is in, and for what a child was told, which isn't the record's. */
export function isCounted({ leftOut, slots, path }: Pick<MemberKind, 'leftOut' | 'slots' | 'path'>): boolean {
  return slots.length > 0 ? path !== CHILD : leftOut !== null
}
