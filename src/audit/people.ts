import { GROUP_EVENT } from '../record/group-event.ts'
import type { SentEvent } from './changes.ts'
import type { VerifyInput } from './verify-input.ts'

/** Of merges and of group keys, so many are looked up. */
const MOST_ASKED = 1000

/** The property of an identity event that names the id which it joins to the event's own. */
const JOINED_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

/** Two distinct ids that should lead to one person. */
export type Merge = readonly [id: string, other: string]

/** What the sampled events say of persons and groups. */
export class PeopleSample {
  readonly #merges = new Map<string, Merge>()
  readonly #groups = new Map<string, Set<string>>()
  #keys = 0

  look({ event, distinct_id: id, properties }: SentEvent): void {
    const joined = properties[JOINED_ID.get(event) ?? '']
    if (typeof joined === 'string' && joined !== '' && joined !== id && this.#merges.size < MOST_ASKED)
      this.#merges.set(JSON.stringify([id, joined]), [id, joined])
    const { $group_type: type, $group_key: key } = properties
    if (event !== GROUP_EVENT || typeof type !== 'string' || typeof key !== 'string') return
    if (this.#keys >= MOST_ASKED) return
    const keys = this.#groups.get(type) ?? new Set()
    this.#groups.set(type, keys)
    if (keys.has(key)) return
    keys.add(key)
    this.#keys++
  }

  get merges(): readonly Merge[] {
    return [...this.#merges.values()]
  }

  /** Group keys by type. */
  get groups(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#groups
  }
}

/** How many events of the inputs join two ids. */
export function mergeEvents(inputs: readonly VerifyInput[]): number {
  let merges = 0
  for (const { event, events } of inputs.flatMap(({ cells }) => cells))
    if (event !== null && JOINED_ID.has(event)) merges += events.count
  return merges
}

/** How many events of the inputs name each group type. */
export function groupTypesOf(inputs: readonly VerifyInput[]): Map<string, number> {
  const types = new Map<string, number>()
  for (const [type, events] of inputs.flatMap(({ groupTypes }) => Object.entries(groupTypes)))
    types.set(type, (types.get(type) ?? 0) + events)
  return types
}

/** How many distinct ids the inputs have, roughly; null if that was not counted, or several inputs may share some. */
export function distinctIdsOf([first, ...more]: readonly VerifyInput[]): number | null {
  return first && more.length === 0 ? first.distinctIds : null
}

/** Persons and groups, here and in the service. Null: not counted. */
export interface PeopleReport {
  readonly distinctIds: { readonly here: number | null; readonly there: number }
  readonly persons: number
  /** Events that join two ids; of their pairs in the sample: how many were asked for, and which are two persons. */
  readonly merges: { readonly events: number; readonly asked: number; readonly apart: readonly Merge[] }
  readonly groups: readonly GroupReport[]
}

/** A group type. */
export interface GroupReport {
  readonly type: string
  /** Events that name a group of it. */
  readonly events: { readonly here: number | null; readonly there: number }
  /** Its groups in the service; and of the keys in the sample, how many were asked for and which are not there. */
  readonly keys: { readonly there: number; readonly asked: number; readonly absent: readonly string[] }
}
