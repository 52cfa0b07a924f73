import { Fingerprint, readName } from '../../record/fingerprint.ts'
import { isTooLong, ranked } from '../../record/notes.ts'
import type { ArrivalCell } from '../../store/arrival.ts'
import { cellOf, MOST_CELLS_A_DAY } from '../../store/arrival-cell.ts'

/**
 * Counts and fingerprints of one day's events by name. Of a day with too many names it tells the first apart, in the order
 * of a `NameTable`: a name that is dropped comes after all that are kept, so what is counted of a name is all of it.
 */
export class DayCells {
  readonly #cells = new Map<string, Fingerprint>()
  /** The events of all other names. */
  readonly #others = new Fingerprint()
  readonly #most: number
  /** The last name that can still be kept, ranked. */
  #last: string | undefined
  #folded = false

  constructor(most = MOST_CELLS_A_DAY) {
    this.#most = most
  }

  get size(): number {
    return this.#cells.size
  }

  /** The events of a name, given as JSON: to be added to before the next call. */
  of(json: string): Fingerprint {
    const known = this.#cells.get(json)
    if (known) return known
    if (this.#isOther(json)) return this.#others
    const cell = new Fingerprint()
    this.#cells.set(json, cell)
    // Sorting is for many at once.
    if (this.#cells.size <= 2 * this.#most) return cell
    this.#prune()
    return this.#cells.get(json) ?? this.#others
  }

  /** Tells names apart no longer: the day is proven whole. */
  fold(): void {
    for (const cell of this.#cells.values()) this.#others.merge(cell)
    this.#cells.clear()
    this.#folded = true
  }

  /** What is told of the day. */
  told(day: string) {
    return {
      /** Events by name, of the names that are told apart. */
      names: this.names,
      /** Events of other names. */
      others: this.others,
      /** The day's lines of arrival.ndjson. */
      arrival: this.arrival(day),
    }
  }

  /** Events by name, without those in `others`. */
  get names(): Record<string, number> {
    const names: Record<string, number> = Object.create(null)
    for (const [name, { count }] of this.#byName()) names[name] = count
    return names
  }

  /** Events whose names are not told apart. */
  get others(): number {
    this.#prune()
    return this.#others.count
  }

  /** The day's lines of arrival.ndjson. */
  arrival(day: string): ArrivalCell[] {
    if (this.others === 0) return this.#byName().map(([name, cell]) => cellOf(day, name, cell))
    const whole = new Fingerprint()
    whole.merge(this.#others)
    for (const cell of this.#cells.values()) whole.merge(cell)
    return [{ day, event: null, names: this.#cells.size, count: whole.count, ...whole.text }]
  }

  #isOther(json: string): boolean {
    if (this.#folded) return true
    if (this.#last === undefined && !isTooLong(json)) return false
    const name = nameOf(json)
    return isTooLong(name) || (this.#last !== undefined && ranked(name) > this.#last)
  }

  #prune(): void {
    if (this.#cells.size <= this.#most) return
    const order = [...this.#cells.keys()].map((json) => ({ json, rank: ranked(nameOf(json)) }))
    order.sort((a, b) => (a.rank < b.rank ? -1 : 1))
    for (const { json } of order.slice(this.#most)) {
      this.#others.merge(this.#cells.get(json)!)
      this.#cells.delete(json)
    }
    this.#last = order[this.#most - 1]!.rank
  }

  /** By decoded name, sorted by code units. */
  #byName(): [string, Fingerprint][] {
    this.#prune()
    return [...this.#cells]
      .map(([json, cell]): [string, Fingerprint] => [nameOf(json), cell])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }
}

export function nameOf(json: string): string {
  return JSON.parse(json) as string
}

/** A power of two. */
const SLOTS = 2048

/** A name as JSON, and the hash of it that fingerprints are made of. */
export interface HashedName {
  readonly json: string
  readonly hash: Int32Array
}

/** Names met lately, by 64 bits of hash: the last one for each slot. */
export class NameCache {
  readonly #hashes = new Uint32Array(2 * SLOTS)
  readonly #names = new Array<HashedName | undefined>(SLOTS).fill(undefined)

  /** The name whose hash is in the two words at `at`, unless another one took its place. */
  find(words: Uint32Array, at: number): HashedName | undefined {
    const slot = words[at]! & (SLOTS - 1)
    const isHere = this.#hashes[2 * slot] === words[at] && this.#hashes[2 * slot + 1] === words[at + 1]
    return isHere ? this.#names[slot] : undefined
  }

  keep(words: Uint32Array, at: number, json: string): HashedName {
    const slot = words[at]! & (SLOTS - 1)
    const named = { json, hash: new Int32Array(2) }
    readName(nameOf(json), named.hash)
    this.#hashes[2 * slot] = words[at]!
    this.#hashes[2 * slot + 1] = words[at + 1]!
    this.#names[slot] = named
    return named
  }
}
