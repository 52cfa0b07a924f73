/** With so many ids known, all are forgotten before the next unit. */
const KNOWN = 50_000
/** So many may be seen between two calls of `take`. */
const SEEN = 50_000

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
  readonly #slots = new Map<string, number>()
  readonly #instants: number[] = []
  readonly #seqs: number[] = []
  /** The round, from one call of `take` to the next, that an id was last seen in. */
  readonly #rounds: number[] = []
  #round = 0
  #count = 0
  /** By slot, what is to be written. */
  readonly #fresh = new Map<number, LinkSeen>()

  /** True when `take` must be called before the next one is noted. */
  get isFull(): boolean {
    return this.#count === SEEN
  }

  note(anonymous: string, user: string, instant: number, seq: number): void {
    let slot = this.#slots.get(anonymous)
    if (slot === undefined) {
      slot = this.#slots.size
      this.#slots.set(anonymous, slot)
      this.#instants[slot] = Number.POSITIVE_INFINITY
      this.#rounds[slot] = -1
    }
    if (this.#rounds[slot] !== this.#round) {
      this.#rounds[slot] = this.#round
      this.#count++
    }
    const known = this.#instants[slot]!
    // The very same record again counts as new: its unit is mapped once more.
    if (known < instant || (known === instant && this.#seqs[slot]! < seq)) return
    this.#instants[slot] = instant
    this.#seqs[slot] = seq
    this.#fresh.set(slot, { kind: 'link', anonymous, user, instant, seq })
  }

  /** The sightings noted since the last call that are the earliest known of their ids. */
  take(): LinkSeen[] {
    const fresh = [...this.#fresh.values()]
    this.#fresh.clear()
    this.#round++
    this.#count = 0
    if (this.#slots.size >= KNOWN) this.#slots.clear()
    return fresh
  }
}
