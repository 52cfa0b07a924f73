import { type Key, keys } from './keys.ts'
import type { NameTable } from './name-table.ts'

/** Counts names by their keys, which costs less than by text. */
export class KeyTally {
  #counts = new Int32Array(1024)
  /** The names that were counted. */
  #met: Array<readonly [Key, string]> = []

  /** The counts by key, with room for all keys there are: who makes the first of a key calls `meet`. */
  countsOf(): Int32Array {
    const { length } = keys.sizes
    if (this.#counts.length < length) {
      const larger = new Int32Array(length)
      larger.set(this.#counts)
      this.#counts = larger
    }
    return this.#counts
  }

  /** Notes a name at its first count: the data's names are let go by `keys`. */
  meet(key: Key): void {
    this.#met.push([key, keys.text(key)])
  }

  /** Moves the counts into a table. To be done before the next count after `keys.generation` has changed. */
  moveTo(table: NameTable<number>): void {
    for (const [key, name] of this.#met) table.add(name, this.#counts[key]!)
    this.#counts.fill(0)
    this.#met = []
  }
}
