import { members as cutMembers } from '../record/cut.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import type { GroupTypeSeen } from '../record/inventory.ts'
import { keyOf } from '../record/keys.ts'
import { MOST_NAMES, type NameTable } from '../record/name-table.ts'
import type { EventDraft } from './draft.ts'
import { memoize } from './memoize.ts'

const GROUPS = keyOf('$groups')
const GROUP_TYPE = keyOf('$group_type')

interface Seen {
  readonly type: string
  events: number
  oldest: number
  /** The number of the last event that named it: it may name a type twice. */
  last: number
}

const FIRST = 8

/** Counts the group types that events name, in their `$groups` or by changing a group. */
export class GroupTypes {
  readonly #seen = new Map<string, Seen>()
  /** The first few of them: most sources have few, and comparing is faster than looking up. */
  readonly #first: Seen[] = []
  #event = 0

  add(draft: EventDraft, instant: number): void {
    const { properties, event, groupStates } = draft
    this.#event++
    if (properties.has(GROUPS)) {
      if (draft.madeGroups) for (const type of draft.groupTypes) this.#see(type, instant)
      else for (const type of typesIn(properties.json(GROUPS)!)) this.#see(type, instant)
    }
    if (event === GROUP_EVENT) {
      const type = properties.text(GROUP_TYPE)
      if (type !== undefined) this.#see(type, instant)
    }
    for (let i = 0; i < groupStates.length; i++) this.#see(groupStates[i]!.type, instant)
  }

  /** Moves the counts into a table. */
  moveTo(table: NameTable<GroupTypeSeen>): void {
    for (const [type, { events, oldest }] of this.#seen) table.add(type, { events, oldest })
    this.#seen.clear()
    this.#first.length = 0
  }

  /** True when there are so many types that they should be moved. */
  get isFull(): boolean {
    return this.#seen.size > MOST_NAMES
  }

  #find(type: string): Seen | undefined {
    const first = this.#first
    for (let i = 0; i < first.length; i++) if (first[i]!.type === type) return first[i]
    return first.length < FIRST ? undefined : this.#seen.get(type)
  }

  #see(type: string, instant: number): void {
    const seen = this.#find(type)
    if (seen === undefined) {
      const made = { type, events: 1, oldest: instant, last: this.#event }
      this.#seen.set(type, made)
      if (this.#first.length < FIRST) this.#first.push(made)
    } else if (seen.last !== this.#event) {
      seen.events++
      seen.last = this.#event
      if (instant < seen.oldest) seen.oldest = instant
    }
  }
}

/** The types in a value of `$groups`. Memoized: many events are of the same groups. */
const typesIn = memoize((json: string) => cutMembers(json).map(([type]) => type))
