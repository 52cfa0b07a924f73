import { members as cutMembers } from '../record/cut.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import type { GroupTypeSeen } from '../record/inventory.ts'
import { keyOf } from '../record/keys.ts'
import { MOST_NAMES, type NameTable } from '../record/name-table.ts'
import type { EventDraft } from './draft.ts'
import { memoize } from './memoize.ts'

const GROUPS = keyOf('$groups')
const GROUP_TYPE = keyOf('$group_type')
const PROFILE = keyOf('$process_person_profile')

interface Seen {
  readonly type: string
  events: number
  oldest: number
  /** The number of the last event that named it: it may name a type twice. */
  last: number
  /** Events that get the type's column, the last of them, and the oldest event that would make the type. */
  shown: number
  lastShown: number
  maker: number
}

/** What the service does about a type that an event names: nothing, make it, or make it and show a group of it. */
type NamedAs = 'named' | 'made' | 'shown'

const FIRST = 8

/**
 * Counts the group types that events name, in their `$groups` or by changing a group. The service makes no group and no
 * column of an event without person processing, so these are counted apart.
 */
export class GroupTypes {
  readonly #seen = new Map<string, Seen>()
  /** The first few of them: most sources have few, and comparing is faster than looking up. */
  readonly #first: Seen[] = []
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
    this.#first.length = 0
  }

  /** True once the number of types is so large that they should be moved. */
  get isFull(): boolean {
    return this.#seen.size > MOST_NAMES
  }

  #find(type: string): Seen | undefined {
    const first = this.#first
    for (let i = 0; i < first.length; i++) if (first[i]!.type === type) return first[i]
    return first.length < FIRST ? undefined : this.#seen.get(type)
  }

  #see(type: string, instant: number, as: NamedAs): void {
    const seen = this.#find(type) ?? this.#begin(type)
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

  #begin(type: string): Seen {
    const never = Number.POSITIVE_INFINITY
    const seen = { type, events: 0, oldest: never, last: 0, shown: 0, lastShown: 0, maker: never }
    this.#seen.set(type, seen)
    if (this.#first.length < FIRST) this.#first.push(seen)
    return seen
  }
}

/** The types in a value of `$groups`. Memoized: many events are of the same groups. */
const typesIn = memoize((json: string) => cutMembers(json).map(([type]) => type))
