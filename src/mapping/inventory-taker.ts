import { type GroupTypeSeen, type Inventory, InventorySum } from '../record/inventory.ts'
import { members as cutMembers } from '../record/json-values.ts'
import { KeyTally, keyOf, keys } from '../record/keys.ts'
import { MOST_NAMES, type NameTable } from '../record/notes.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import { memoize } from '../record/text.ts'
import type { Constant } from './constant-properties.ts'
import type { EventDraft } from './draft.ts'
import type { MemberCounts } from './member-counts.ts'
import type { Steps } from './walk.ts'

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

const GROUPS = keyOf('$groups')
const GROUP_TYPE = keyOf('$group_type')
const PROFILE = keyOf('$process_person_profile')

/**
 * Of a type. `last` is the number of the last event that named it: it may name a type twice. `shown` are the events that get
 * the type's column, `lastShown` the last of them, and `maker` is the oldest event that would make the type.
 */
function newSeen() {
  const never = Number.POSITIVE_INFINITY
  return { events: 0, oldest: never, last: 0, shown: 0, lastShown: 0, maker: never }
}

/** What the service does about a type that an event names: nothing, make it, or make it and show a group of it. */
type NamedAs = 'named' | 'made' | 'shown'

/**
 * Counts the group types that events name, in their `$groups` or by changing a group. The service makes no group and no
 * column of an event without person processing, so these are counted apart.
 */
class GroupTypes {
  readonly #seen = new Map<string, ReturnType<typeof newSeen>>()
  #event = 0

  add(draft: EventDraft, instant: number): void {
    const { properties, event, groupStates } = draft
    this.#event++
    const inGroups = properties.has(GROUPS)
    const isGroupEvent = event === GROUP_EVENT
    const makes = (inGroups || isGroupEvent) && properties.json(PROFILE) !== 'false'
    if (inGroups) {
      const as = makes ? 'shown' : 'named'
      if (draft.madeGroups) for (const type of draft.groupTypes) this.#see(type, instant, as)
      else for (const type of typesIn(properties.json(GROUPS)!)) this.#see(type, instant, as)
    }
    if (isGroupEvent) {
      const type = properties.text(GROUP_TYPE)
      if (type !== undefined) this.#see(type, instant, makes ? 'made' : 'named')
    }
    // These become events of their own, with person processing.
    for (let i = 0; i < groupStates.length; i++) this.#see(groupStates[i]!.type, instant, 'made')
  }

  /** Moves the counts into tables: of all events that name a type, and of those that the service acts on. */
  moveTo(named: NameTable<GroupTypeSeen>, groups: NameTable<GroupTypeSeen>): void {
    for (const [type, { events, oldest, shown, maker }] of this.#seen) {
      named.add(type, { events, oldest })
      if (maker !== Number.POSITIVE_INFINITY) groups.add(type, { events: shown, oldest: maker })
    }
    this.#seen.clear()
  }

  /** True once the number of types is so large that they should be moved. */
  get isFull(): boolean {
    return this.#seen.size > MOST_NAMES
  }

  #see(type: string, instant: number, as: NamedAs): void {
    const known = this.#seen.get(type)
    const seen = known ?? newSeen()
    if (!known) this.#seen.set(type, seen)
    if (seen.last !== this.#event) {
      seen.events++
      seen.last = this.#event
      if (instant < seen.oldest) seen.oldest = instant
    }
    if (as !== 'named' && instant < seen.maker) seen.maker = instant
    if (as === 'shown' && seen.lastShown !== this.#event) {
      seen.shown++
      seen.lastShown = this.#event
    }
  }
}

/** The types in a value of `$groups`. Memoized: many events are of the same groups. */
const typesIn = memoize((json: string) => cutMembers(json).map(([type]) => type))
