import { type Head, headId } from '../../record/head.ts'
import { digestOf, IdSet } from '../forget/id-set.ts'
import { EventIds, groupText, type NamedGroup } from './event-ids.ts'
import type { ChosenPeople } from './trial-order.ts'

/** The digest of an id, or of a group's text. It never leaves this process, so it needs no secret. */
export function chosenDigest(text: string): Uint32Array {
  return digestOf('trial', text)
}

/** Tells the lines of a trial from the others. */
export class ChosenLines {
  readonly #events: EventIds
  readonly #ids: IdSet
  readonly #groups: IdSet
  readonly #days: ReadonlySet<number> | undefined

  constructor({ ids, groups, days }: ChosenPeople, groupEventName: string) {
    this.#events = new EventIds(groupEventName)
    this.#ids = new IdSet(ids)
    this.#groups = new IdSet(groups)
    this.#days = days && new Set(days)
  }

  /** Of other days than the trial's, what is said of its people: what links their ids, and their profiles. */
  has(line: Buffer, head: Head, day: number): boolean {
    if (this.#days?.has(day)) return true
    const { group } = this.#events.linked(line, head)
    if (group && this.hasGroup(group)) return true
    if (this.#days && this.#events.isAct(line, head)) return false
    return this.hasId(headId(line, head))
  }

  hasId(id: string): boolean {
    return this.#ids.has(chosenDigest(id))
  }

  hasGroup(group: NamedGroup): boolean {
    return this.#groups.has(chosenDigest(groupText(group)))
  }
}
