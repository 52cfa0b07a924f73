import type { GroupState } from '../mapping/joined-groups.ts'
import type { Link } from '../mapping/link.ts'
import { MIB } from '../text/units.ts'
import { FirstLinks, type LinkSeen } from './first-links.ts'

/** How many groups are held in memory before they are written out, and how much text of their properties. */
const HELD = 50_000
const HELD_TEXT = 16 * MIB

/** Seen in one record: a group's properties. */
export interface GroupSeen {
  readonly kind: 'group'
  readonly type: string
  readonly key: string
  readonly json: string
  readonly instant: number
  readonly seq: number
}

export type Observation = LinkSeen | GroupSeen

/** Equal properties of a group in a row: the first record that tells them, and where the last one is. */
interface Stretch {
  readonly first: GroupSeen
  instant: number
  seq: number
}

/**
 * Notes what events are generated from after all input is read: the first user of an anonymous id, and the changes of a
 * group's properties. It keeps only what can matter: an anonymous id's earliest user, and the first and last of
 * equal group properties in a row.
 */
export class Observations {
  readonly #links: FirstLinks
  readonly #groups = new Map<string, Stretch>()
  /** Characters of the group properties held. */
  #text = 0
  readonly #write: (seen: readonly Observation[]) => void

  /** `links` may be those of units before, whose ids are not told again. */
  constructor(write: (seen: readonly Observation[]) => void, links = new FirstLinks()) {
    this.#write = write
    this.#links = links
  }

  link({ anonymous, user }: Link, instant: number, seq: number): void {
    this.#links.note(anonymous, user, instant, seq)
    if (this.#links.isFull) this.flush()
  }

  group({ type, key, json }: GroupState, instant: number, seq: number): void {
    const name = groupName(type, key)
    const stretch = this.#groups.get(name)
    if (stretch && stretch.first.json === json && stretch.instant <= instant) {
      stretch.instant = instant
      stretch.seq = seq
      return
    }
    if (stretch) {
      this.#write(ends(stretch))
      this.#text -= stretch.first.json.length
    }
    this.#groups.set(name, { first: { kind: 'group', type, key, json, instant, seq }, instant, seq })
    this.#text += json.length
    if (this.#groups.size >= HELD || this.#text >= HELD_TEXT) this.flush()
  }

  /** Writes out all that is held. */
  flush(): void {
    this.#write(this.#links.take())
    for (const stretch of this.#groups.values()) this.#write(ends(stretch))
    this.#groups.clear()
    this.#text = 0
  }
}

/** Names a group. Quicker than JSON, and as unambiguous. */
export function groupName(type: string, key: string): string {
  return `${type.length}:${type}${key}`
}

function ends({ first, instant, seq }: Stretch): GroupSeen[] {
  return first.seq === seq ? [first] : [first, { ...first, instant, seq }]
}
