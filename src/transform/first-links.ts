import type { Id } from '../record/index.ts'
import { IdNumbers } from './id-numbers.ts'

/** Once this number of ids is known, all are forgotten before the next unit. */
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
  readonly #numbers = new IdNumbers()
  /** By an id's number. */
  readonly #instants: number[] = []
  readonly #seqs: number[] = []
  /** The round, from one call of `take` to the next, that an id was last seen in. */
  readonly #rounds: number[] = []
  #round = 0
  #count = 0
  /** By number, what is to be written. */
  readonly #fresh = new Map<number, LinkSeen>()

  /** True when `take` must be called before the next one is noted. */
  get isFull(): boolean {
    return this.#count === SEEN
  }

  note(anonymous: Id, user: Id, instant: number, seq: number): void {
    const known = this.#numbers.count
    const number = this.#numbers.of(anonymous)
    if (number === known) {
      this.#instants[number] = Number.POSITIVE_INFINITY
      this.#rounds[number] = -1
    }
    if (this.#rounds[number] !== this.#round) {
      this.#rounds[number] = this.#round
      this.#count++
    }
    const before = this.#instants[number]!
    // The very same record again counts as new: its unit is mapped once more.
    if (before < instant || (before === instant && this.#seqs[number]! < seq)) return
    this.#instants[number] = instant
    this.#seqs[number] = seq
    this.#fresh.set(number, { kind: 'link', anonymous: anonymous.text, user: user.text, instant, seq })
  }

  /** The sightings noted since the last call that are the earliest known of their ids. */
  take(): LinkSeen[] {
    const fresh = [...this.#fresh.values()]
    this.#fresh.clear()
    this.#round++
    this.#count = 0
    if (this.#numbers.count >= KNOWN) this.#numbers.clear()
    return fresh
  }
}
