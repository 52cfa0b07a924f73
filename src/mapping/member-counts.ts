import { grown } from '../record/bytes.ts'
import type { Fates } from '../record/inventory.ts'
import type { Key } from '../record/keys.ts'
import type { NameTable, Notes } from '../record/notes.ts'
import type { Tape } from '../record/tape.ts'
import type { EmptyValues } from './empty-values.ts'
import {
  ALL,
  BESIDES,
  type Exception,
  type Into,
  KEPT,
  LEFT_OUT,
  MET,
  MET_BITS,
  METS,
  type MemberKind,
  OPENED,
  renamedFate,
  usedFate,
} from './fates.ts'
import type { Mapping } from './mapping.ts'
import type { Preset } from './preset.ts'
import { type Reads, type Slot, type SlotView, USE } from './slot-view.ts'

/** What the parts of a mapper share. One record is under way at a time: its tape, its slots, what is noticed of it. */
export interface MapperParts {
  readonly preset: Pick<Preset, 'vendor' | 'empty'>
  readonly mapping: Mapping
  readonly tape: Tape
  readonly view: SlotView
  readonly reads: Reads
  readonly emptyValues: EmptyValues
  readonly notes: Notes
  readonly counts: MemberCounts
}

/** The same for a place and a use. */
const USE_BITS = 4

/** Members of an object that a function may take whole, by these slots. */
interface Handed {
  readonly slots: readonly number[]
  readonly from: number
  readonly to: number
}

/** Most records note nothing: a list is made for those that do. */
const NONE: readonly never[] = []

/** What is noted of one record's members until it has become an event. */
class RecordMeetings {
  /** Stamps what was counted of it. */
  readonly number: number
  met = 0
  exceptions: readonly Exception[] = NONE
  handed: readonly Handed[] = NONE

  constructor(number: number) {
    this.number = number
  }
}

/**
 * Counts what became of each member of the records. A kind of member gets a place, once; meeting a member adds its place
 * to a list, which is counted when the record has become an event. What the tables do follows from the rule, so it
 * is worked out when the counts are taken; only what differs from record to record is noted beside it.
 */
export class MemberCounts {
  readonly #view: SlotView
  readonly #personScope: Into | undefined
  #kinds: MemberKind[] = []
  /** By place and way of being met. */
  #counts = new Int32Array(1024 << MET_BITS)
  #settled = new Int32Array(1024)
  /** By place: the last record counted there. */
  #stamps = new Int32Array(1024)
  /** By place and use: records. */
  #uses = new Int32Array(1024 << USE_BITS)
  /** By place: what differed from the rule. */
  #exceptions: Array<Array<{ emit: number; fate: string; count: number }> | undefined> = []
  /** The record under way: made anew for each. */
  #record = new RecordMeetings(0)
  /** Places and ways of the members that the record under way has met; those of earlier records stand behind them. */
  #met = new Int32Array(1024)

  constructor(view: SlotView, personScope: Into | undefined) {
    this.#view = view
    this.#personScope = personScope
  }

  open(kind: MemberKind): number {
    const place = this.#kinds.push(kind) - 1
    if (place === this.#settled.length) {
      this.#counts = grown(this.#counts)
      this.#uses = grown(this.#uses)
      this.#settled = grown(this.#settled)
      this.#stamps = grown(this.#stamps)
    }
    return place
  }

  begin(members: number): void {
    if (members > this.#met.length) this.#met = new Int32Array(members * 2)
    this.#record = new RecordMeetings((this.#record.number + 1) | 0)
  }

  get met(): number {
    return this.#record.met
  }

  meet(place: number, how: number): void {
    this.#met[this.#record.met++] = (place << MET_BITS) | how
  }

  /** Meets an object whose members are told apart. */
  meetOpened(place: number): void {
    this.meet(place, MET.opened)
    this.#stamps[place] = this.#record.number
  }

  /** Says that the members met since `from` are in an object that a function may take whole, by these slots. */
  handOver(slots: readonly number[], from: number): void {
    const record = this.#record
    record.handed = [...record.handed, { slots, from, to: record.met }]
  }

  /** Says that the rule's `emit` had another fate in this record. */
  except(place: number, emit: number, fate: string): void {
    const record = this.#record
    if (record.exceptions === NONE) record.exceptions = []
    ;(record.exceptions as Exception[]).push({ place, emit, fate })
  }

  /** The value that had a property so far lost it. */
  lose(into: Into, key: Key, fate: string = LEFT_OUT.outranked): void {
    const { exceptions } = this.#record
    for (let i = this.#record.met - 1; i >= 0; i--) {
      const met = this.#met[i]!
      if ((met & (METS - 1)) !== MET.present) continue
      const place = met >> MET_BITS
      const emit = this.#kinds[place]!.emits.findIndex((one) => one.into === into && one.key === key)
      if (emit < 0) continue
      if (exceptions.some((one) => one.place === place && (one.emit === emit || one.emit === ALL))) continue
      this.except(place, emit, fate)
      return
    }
  }

  /** A function copied the value of a slot to a property. */
  copied({ place }: Slot, name: string): void {
    const fate = renamedFate(name)
    // Where the value lost a property, it may have been said then that it is kept by this name.
    const isNoted = this.#record.exceptions.some((one) => one.place === place && one.fate === fate)
    if (place >= 0 && !isNoted) this.except(place, BESIDES, fate)
  }

  pathOf(place: number): string {
    return this.#kinds[place]!.path
  }

  /** Counts the record under way: it became an event. */
  commit(): void {
    const { asked } = this.#view
    const uses = this.#uses
    const stamps = this.#stamps
    const settled = this.#settled
    const record = this.#record
    if (record.handed.length > 0) this.#settleHanded()
    for (let i = 0; i < record.met; i++) this.#counts[this.#met[i]!]!++
    for (let i = 0; i < asked.length; i++) {
      const { place, use } = asked[i]!
      if (place < 0) continue
      const isKnown = stamps[place] === record.number
      if (isKnown && (isCounted(asked, i) || this.#isHanded(place, use))) continue
      uses[(place << USE_BITS) | use]!++
      if (isKnown) continue
      stamps[place] = record.number
      settled[place]!++
    }
    for (let i = 0; i < record.exceptions.length; i++) this.#countException(record.exceptions[i]!)
  }

  /** True if the member went with the object that it is in to what a slot of its own was asked for. */
  #isHanded(place: number, use: number): boolean {
    const how = use === USE.person ? MET.toPerson : use === USE.properties ? MET.withObject : MET.present
    const sought = (place << MET_BITS) | how
    if (how === MET.present) return false
    for (const { from, to } of this.#record.handed) {
      for (let i = from; i < to; i++) if (this.#met[i] === sought) return true
    }
    return false
  }

  moveTo(table: NameTable<Fates>): void {
    for (const [place, kind] of this.#kinds.entries()) {
      const fates = this.#fatesOf(place, kind)
      if (Object.keys(fates).length > 0) table.add(kind.path, fates)
    }
    this.#counts.fill(0)
    this.#settled.fill(0)
    this.#uses.fill(0)
    this.#exceptions = []
  }

  /** To be called after `moveTo`, when all places and keys are void. */
  forget(): void {
    this.#kinds = []
  }

  /** Members of an object that a function took go where it went. */
  #settleHanded(): void {
    for (const { slots, from, to } of this.#record.handed) {
      const use = slots
        .map((slot) => this.#view.filled(slot)?.use ?? USE.none)
        .find((one) => one !== USE.none)
      if (use === undefined) continue
      const how = use === USE.person ? MET.toPerson : MET.withObject
      for (let i = from; i < to; i++) {
        if ((this.#met[i]! & (METS - 1)) !== MET.present) continue
        this.#met[i]! |= how
        this.#stamps[this.#met[i]! >> MET_BITS] = this.#record.number
      }
    }
  }

  #countException({ place, emit, fate }: Exception): void {
    this.#exceptions[place] ??= []
    const known = this.#exceptions[place]
    for (let i = 0; i < known.length; i++) {
      const one = known[i]!
      if (one.emit !== emit || one.fate !== fate) continue
      one.count++
      return
    }
    known.push({ emit, fate, count: 1 })
  }

  #fatesOf(place: number, kind: MemberKind): Fates {
    const fates: Fates = {}
    const add = (fate: string, count: number) => {
      if (count > 0) fates[fate] = (fates[fate] ?? 0) + count
    }
    const count = (how: number) => this.#counts[(place << MET_BITS) | how]!
    const person = usedFate(USE.person, this.#personScope)!
    const exceptions = this.#exceptions[place] ?? []
    const exceptionsOf = (emit: number) =>
      exceptions.reduce((sum, one) => sum + (one.emit === emit || one.emit === ALL ? one.count : 0), 0)

    const handed = count(MET.toPerson) + count(MET.withObject)
    for (const [emit, fate] of kind.fates.entries())
      add(fate, count(MET.present) + handed - exceptionsOf(emit))
    add(OPENED, count(MET.opened))
    add(LEFT_OUT.empty, count(MET.empty))
    add(person, count(MET.toPerson))
    add('used: properties', count(MET.withObject))
    for (const use of Object.values(USE)) {
      const fate = usedFate(use, this.#personScope)
      if (fate !== undefined) add(fate, this.#uses[(place << USE_BITS) | use]!)
    }
    if (kind.emits.length === 0 && kind.leftOut !== null) {
      add(kind.leftOut, count(MET.present) - this.#settled[place]! - exceptionsOf(ALL))
    }
    const own = renamedFate(kind.name)
    for (const { fate, count } of exceptions) add(fate === own ? KEPT : fate, count)
    return fates
  }
}

/** True if an earlier slot of the record is of the same member and use, as where a rule and a preset ask for one id. */
function isCounted(asked: readonly Slot[], index: number): boolean {
  const { place, use } = asked[index]!
  for (let i = 0; i < index; i++) if (asked[i]!.place === place && asked[i]!.use === use) return true
  return false
}
