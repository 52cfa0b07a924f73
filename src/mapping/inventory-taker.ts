import { type Inventory, InventorySum } from '../record/inventory.ts'
import { KeyTally } from '../record/key-tally.ts'
import { keys } from '../record/keys.ts'
import type { Constant } from './constant-properties.ts'
import type { EventDraft } from './draft.ts'
import { GroupTypes } from './group-types.ts'
import type { MemberCounts } from './member-counts.ts'
import type { Steps } from './steps.ts'

/** Takes stock of the records that became events, and of the events as they are written. */
export class InventoryTaker {
  readonly #counts: MemberCounts
  readonly #steps: Steps
  readonly #constants: readonly Constant[]
  /** True for events that may have properties without a value. */
  readonly #hasBlanks: boolean
  readonly #properties = new KeyTally()
  readonly #groupTypes = new GroupTypes()
  #sum = new InventorySum()
  #generation = keys.generation
  #events = 0
  #withConstants = 0

  constructor(counts: MemberCounts, steps: Steps, constants: readonly Constant[], hasBlanks: boolean) {
    this.#counts = counts
    this.#steps = steps
    this.#constants = constants
    this.#hasBlanks = hasBlanks
  }

  /**
   * Before each record is walked; it has at most `members` members. True once the data had too many names since the last
   * time that whoever counts by name should fold.
   */
  begin(members: number): boolean {
    const isNew = this.#generation !== keys.generation
    if (isNew) {
      this.#gather()
      this.#counts.forget()
      this.#steps.forget()
      this.#generation = keys.generation
    }
    this.#counts.begin(members)
    return isNew
  }

  /** After each record that became an event. `withConstants`: they are written behind the draft's properties. */
  add(draft: EventDraft, instant: number, withConstants: boolean): void {
    this.#counts.commit()
    this.#events++
    if (withConstants) this.#withConstants++
    draft.properties.tally(this.#properties, this.#hasBlanks)
    this.#sum.distinctIds.addId(draft.id)
    this.#sum.idSketch.addId(draft.id)
    this.#groupTypes.add(draft, instant)
    if (this.#groupTypes.isFull) this.#groupTypes.moveTo(this.#sum.groupTypes, this.#sum.groups)
  }

  /** All since the last call. */
  take(): Inventory {
    this.#gather()
    const taken = this.#sum.take()
    this.#sum = new InventorySum()
    return taken
  }

  #gather(): void {
    const { properties } = this.#sum
    if (this.#events > 0) properties.add('distinct_id', this.#events)
    if (this.#withConstants > 0)
      for (const { key } of this.#constants) properties.add(keys.text(key), this.#withConstants)
    this.#events = 0
    this.#withConstants = 0
    this.#counts.moveTo(this.#sum.members)
    this.#properties.moveTo(properties)
    this.#groupTypes.moveTo(this.#sum.groupTypes, this.#sum.groups)
  }
}
