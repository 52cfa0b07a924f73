import { mixed } from '../../record/bytes.ts'

/** Slots for each id that is expected, and their bounds, as powers of two: 4 MiB to 256 MiB of memory. */
const SLOTS_AN_ID = 8
const [LEAST_BITS, MOST_BITS] = [20, 26]

/**
 * Sets of ids that must stay together: union-find, of which each id's hash chooses a slot. Memory doesn't grow with the
 * ids. Two ids of one slot are taken for one, so sets can be larger than they need be; ids that are linked are never apart.
 * With over half as many links as slots, 30 million at most, the sets run together into one: more people are then
 * candidates, and the choice is still right.
 */
export class PersonSets {
  readonly #parents: Uint32Array

  /** `ids`: about how many there are. The same number gives the same slots. */
  constructor(ids: number) {
    const bits = Math.ceil(Math.log2(Math.max(1, ids * SLOTS_AN_ID)))
    this.#parents = new Uint32Array(2 ** Math.min(MOST_BITS, Math.max(LEAST_BITS, bits)))
    for (let slot = 0; slot < this.#parents.length; slot++) this.#parents[slot] = slot
  }

  /** Puts what two hashes stand for into one set. */
  link(one: number, other: number): void {
    const [a, b] = [
      this.#rootOf(slotOfHash(one, this.#parents)),
      this.#rootOf(slotOfHash(other, this.#parents)),
    ]
    // The smallest slot of a set is its root, in whatever order links come.
    this.#parents[Math.max(a, b)] = Math.min(a, b)
  }

  get slots(): number {
    return this.#parents.length
  }

  /** The set of what a hash stands for, by its smallest slot. */
  setOf(hash: number): number {
    return this.#rootOf(slotOfHash(hash, this.#parents))
  }

  #rootOf(slot: number): number {
    const parents = this.#parents
    let at = slot
    for (let parent = parents[at]!; parent !== at; parent = parents[at]!) {
      parents[at] = parents[parent]!
      at = parents[at]!
    }
    return at
  }
}

/** So that slot 0 is mixed too. */
const SPREAD = 0x5bd1e995

/** A hash of a set: 32 bits, by which sets have an order. */
export function hashOfSet(set: number): number {
  return mixed(set ^ SPREAD) >>> 0
}

/** The slot of a hash, among as many as a table has. */
export function slotOfHash(hash: number, { length }: { readonly length: number }): number {
  return hash % length
}
