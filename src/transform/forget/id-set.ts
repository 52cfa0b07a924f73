import { hash } from 'node:crypto'

/** Words of 32 bits that are kept of an id's hash: two ids of 10^12 share one by a chance of 10^-14. */
const WORDS = 4
const FIRST_SLOTS = 1024

/**
 * A set of ids as salted hashes, in memory that threads share: 32 to 64 bytes an id. Hashes of more than half the slots
 * double them.
 */
export class IdSet {
  /** By slot, four words; all zero in a free one. */
  cells: Uint32Array<SharedArrayBuffer>
  size = 0

  constructor(cells = new Uint32Array(new SharedArrayBuffer(FIRST_SLOTS * WORDS * 4))) {
    this.cells = cells
  }

  /** `digest`: four words of it, from `at`. Returns false if it was in the set. */
  add(digest: Uint32Array, at = 0): boolean {
    if (this.size * 2 * WORDS >= this.cells.length) this.#grow()
    const slot = this.#slotOf(digest, at)
    if (this.#isUsed(slot)) return false
    this.cells.set(digest.subarray(at, at + WORDS), slot)
    this.size++
    return true
  }

  has(digest: Uint32Array, at = 0): boolean {
    return this.#isUsed(this.#slotOf(digest, at))
  }

  /** Where the digest is, or the free slot where it would be. */
  #slotOf(digest: Uint32Array, at: number): number {
    const { cells } = this
    const last = cells.length - WORDS
    let slot = (digest[at]! * WORDS) & last
    for (; this.#isUsed(slot); slot = (slot + WORDS) & last) {
      let word = 0
      while (word < WORDS && cells[slot + word] === digest[at + word]) word++
      if (word === WORDS) return slot
    }
    return slot
  }

  #isUsed(slot: number): boolean {
    // digestOf never gives four zeros.
    return this.cells[slot + WORDS - 1] !== 0
  }

  #grow(): void {
    const old = this.cells
    this.cells = new Uint32Array(new SharedArrayBuffer(old.byteLength * 2))
    for (let slot = 0; slot < old.length; slot += WORDS) {
      if (old[slot + WORDS - 1] !== 0)
        this.cells.set(old.subarray(slot, slot + WORDS), this.#slotOf(old, slot))
    }
  }
}

/** Four words of an id's salted hash. Without the salt, which no file keeps, nobody can tell whose it is. */
export function digestOf(salt: string, id: string): Uint32Array {
  const bytes = hash('sha256', `${salt}\0${id}`, 'buffer')
  const words = new Uint32Array(WORDS)
  for (let word = 0; word < WORDS; word++) words[word] = bytes.readUInt32LE(word * 4)
  words[WORDS - 1]! |= 1
  return words
}
