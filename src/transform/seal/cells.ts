import { Fingerprint, readName } from '../../record/fingerprint.ts'
import { NameTable, ofNames } from '../../record/notes.ts'
import type { ArrivalCell } from '../../store/arrival.ts'
import { cellOf, MOST_CELLS_A_DAY } from '../../store/arrival-cell.ts'

function merged(into: Fingerprint, other: Fingerprint): Fingerprint {
  into.merge(other)
  return into
}

/** Counts and fingerprints of one day's events by name, of as many names as a `NameTable` tells apart. */
export class DayCells {
  #cells: NameTable<Fingerprint>

  constructor(most = MOST_CELLS_A_DAY) {
    this.#cells = new NameTable(merged, most)
  }

  get size(): number {
    return this.#cells.size
  }

  /** The events of a name: to be added to before the next call. */
  of(name: string): Fingerprint {
    return this.#cells.of(name, () => new Fingerprint())
  }

  /** Tells names apart no longer: the day is proven whole. */
  fold(): void {
    const { named, others } = this.#cells.take()
    this.#cells = new NameTable(merged, 0)
    this.#cells.addOthers(wholeOf(named, others))
  }

  /** What is told of the day. */
  told(day: string) {
    const { named, others } = this.#cells.take()
    named.sort(([a], [b]) => (a < b ? -1 : 1))
    return {
      /** Events by name, of the names that are told apart, sorted by code units. */
      names: ofNames(named.map(([name, { count }]) => [name, count])),
      /** Events of other names. */
      others: others?.count ?? 0,
      /** The day's lines of arrival.ndjson. */
      arrival: others
        ? [wholeCell(day, named.length, wholeOf(named, others))]
        : named.map(([name, cell]) => cellOf(day, name, cell)),
    }
  }
}

function wholeOf(
  named: readonly (readonly [string, Fingerprint])[],
  others = new Fingerprint(),
): Fingerprint {
  return [...named.map(([, cell]) => cell), others].reduce(merged, new Fingerprint())
}

function wholeCell(day: string, names: number, { count, text }: Fingerprint): ArrivalCell {
  return { day, event: null, names, count, ...text }
}

/** A power of two. */
const SLOTS = 2048

/** A name, and the hash of it that fingerprints are made of. */
export interface HashedName {
  readonly name: string
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

  keep(words: Uint32Array, at: number, name: string): HashedName {
    const slot = words[at]! & (SLOTS - 1)
    const named = { name, hash: new Int32Array(2) }
    readName(name, named.hash)
    this.#hashes[2 * slot] = words[at]!
    this.#hashes[2 * slot + 1] = words[at + 1]!
    this.#names[slot] = named
    return named
  }
}
