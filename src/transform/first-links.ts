import type { Id } from '../record/id.ts'

/** Once this number of ids is known, all are forgotten. */
const KNOWN = 50_000

/** Seen in one record: an anonymous id beside the user it belongs to. */
export interface LinkSeen {
  readonly kind: 'link'
  readonly anonymous: string
  readonly user: string
  readonly instant: number
  readonly seq: number
}

/**
 * The anonymous ids that a worker has seen, over all its units, each with the earliest place it was seen at. Most
 * records tell of an id what an earlier one told already. Such a sighting is left out for good, whichever unit the
 * earlier one is in, and whatever became of that unit: the earliest sighting of all is left out nowhere, so the unit that
 * holds it brings it however often, in whatever order and by whichever worker units are mapped.
 */
export class FirstLinks {
  readonly #known = new Map<string, { instant: number; seq: number }>()
  readonly #fresh = new Map<string, LinkSeen>()

  /** True when `take` must be called before the next one is noted. */
  get isFull(): boolean {
    return this.#known.size >= KNOWN
  }

  note(anonymous: Id, user: Id, instant: number, seq: number): void {
    const { text } = anonymous
    const before = this.#known.get(text)
    // The very same record again counts as new: its unit is mapped once more.
    if (before && (before.instant < instant || (before.instant === instant && before.seq < seq))) return
    if (before) {
      before.instant = instant
      before.seq = seq
    } else this.#known.set(text, { instant, seq })
    this.#fresh.set(text, { kind: 'link', anonymous: text, user: user.text, instant, seq })
  }

  /** The sightings noted since the last call that are the earliest known of their ids. */
  take(): LinkSeen[] {
    const fresh = [...this.#fresh.values()]
    this.#fresh.clear()
    if (this.isFull) this.#known.clear()
    return fresh
  }
}
