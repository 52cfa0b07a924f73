import { GROUP_EVENT } from '../record/rules.ts'
import { isJsonObject } from '../text/json.ts'
import { JOINED_ID, type SentEvent } from './event-in.ts'
import type { VerifyInput } from './verify-input.ts'

const MOST_ASKED = 1000

/** Two distinct ids that should lead to one person. */
type PersonMerge = readonly [id: string, other: string]

/** What the sampled events say of persons and groups. */
export class PeopleSample {
  readonly #merges = new Map<string, PersonMerge>()
  readonly groups = new Map<string, Set<string>>()
  readonly types = new Set<string>()
  #keys = 0

  look({ event, distinct_id: id, properties }: SentEvent): void {
    const joined = properties[JOINED_ID.get(event) ?? '']
    if (typeof joined === 'string' && joined !== '' && joined !== id && this.#merges.size < MOST_ASKED)
      this.#merges.set(JSON.stringify([id, joined]), [id, joined])
    const { $groups: groups, $group_type: type, $group_key: key } = properties
    // Of a list the service makes types that are called 0, 1 and so on; its queries find no groups in it.
    if (isJsonObject(groups))
      for (const name of Object.keys(groups)) if (this.types.size < MOST_ASKED) this.types.add(name)
    if (event !== GROUP_EVENT || typeof type !== 'string' || typeof key !== 'string') return
    if (this.#keys >= MOST_ASKED) return
    const keys = this.groups.get(type) ?? new Set()
    this.groups.set(type, keys)
    if (keys.has(key)) return
    keys.add(key)
    this.#keys++
  }

  get merges(): readonly PersonMerge[] {
    return [...this.#merges.values()]
  }
}

export function mergeEvents(inputs: readonly VerifyInput[]): number {
  return inputs.reduce((sum, { sums }) => sum + sums.merges, 0)
}

export function groupTypesOf(inputs: readonly VerifyInput[]): Map<string, number> {
  const types = new Map<string, number>()
  for (const [type, events] of inputs.flatMap(({ groupTypes }) => Object.entries(groupTypes)))
    types.set(type, (types.get(type) ?? 0) + events)
  return types
}

/** How many distinct ids the inputs have, roughly; null if that was not counted, or several inputs may share some. */
export function distinctIdsOf(inputs: readonly VerifyInput[]): number | null {
  const [first, ...more] = inputs.filter(({ isOwn }) => !isOwn)
  return first && more.length === 0 ? first.distinctIds : null
}
