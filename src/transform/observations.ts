import type { GroupState } from '../mapping/joined-groups.ts'
import { MIB } from '../units.ts'

/** How many observations are held in memory before they are written out, and how much text of group properties. */
const HELD = 50_000
const HELD_TEXT = 16 * MIB

/** Seen in one record: an anonymous id beside the user it belongs to. */
export interface LinkSeen {
  readonly kind: 'link'
  readonly anonymous: string
  readonly user: string
  readonly instant: number
  readonly seq: number
}

/** Seen in one record: a group's properties. */
export interface GroupSeen {
  readonly kind: 'group'
  readonly type: string
  readonly key: string
  readonly json: string
  readonly instant: number
  readonly seq: number
}

export type Seen = LinkSeen | GroupSeen

/**
 * Notes what events are generated from after all input is read: the first user of an anonymous id, and the changes of a
 * group's properties. It keeps only what can matter: an anonymous id's earliest user, and the first and last of
 * equal group properties in a row.
 */
export class Observations {
  readonly #links = new Map<string, LinkSeen>()
  readonly #groups = new Map<string, { first: GroupSeen; last: GroupSeen }>()
  /** Characters of the group properties held. */
  #text = 0
  readonly #write: (seen: readonly Seen[]) => void

  constructor(write: (seen: readonly Seen[]) => void) {
    this.#write = write
  }

  link(anonymous: string, user: string, instant: number, seq: number): void {
    const known = this.#links.get(anonymous)
    if (known && (known.instant < instant || (known.instant === instant && known.seq <= seq))) return
    this.#links.set(anonymous, { kind: 'link', anonymous, user, instant, seq })
    if (this.#links.size >= HELD) this.flush()
  }

  group({ type, key, json }: GroupState, instant: number, seq: number): void {
    const name = JSON.stringify([type, key])
    const stretch = this.#groups.get(name)
    if (stretch && stretch.last.json === json && stretch.last.instant <= instant) {
      stretch.last = { ...stretch.last, instant, seq }
      return
    }
    if (stretch) {
      this.#write(ends(stretch))
      this.#text -= stretch.last.json.length
    }
    const seen: GroupSeen = { kind: 'group', type, key, json, instant, seq }
    this.#groups.set(name, { first: seen, last: seen })
    this.#text += json.length
    if (this.#groups.size >= HELD || this.#text >= HELD_TEXT) this.flush()
  }

  /** Writes out all that is held. */
  flush(): void {
    this.#write([...this.#links.values()])
    for (const stretch of this.#groups.values()) this.#write(ends(stretch))
    this.#links.clear()
    this.#groups.clear()
    this.#text = 0
  }
}

function ends({ first, last }: { first: GroupSeen; last: GroupSeen }): GroupSeen[] {
  return first === last ? [first] : [first, last]
}
