import { hash } from 'node:crypto'
import type { People, RecordIds } from '../../mapping/mapped.ts'
import { cleanDistinctId } from '../../record/rules.ts'
import { parsedOrNone } from '../../text/json.ts'

/** Words of 32 bits that are kept of an id's hash: two ids of 10^12 share one by a chance of 10^-14. */
const DIGEST_WORDS = 4
const FIRST_SLOTS = 1024

/**
 * A set of ids as salted hashes, in memory that threads share: 32 to 64 bytes an id. Hashes of more than half the slots
 * double them.
 */
export class IdSet {
  /** By slot, four words; all zero in a free one. */
  cells: Uint32Array<SharedArrayBuffer>
  size = 0
  /** By slot, 1 for an id that was found. */
  readonly #found: Uint8Array | undefined

  /** `found`: what threads share of the ids that any of them found, see `marks`; the set doesn't grow then. */
  constructor(
    cells = new Uint32Array(new SharedArrayBuffer(FIRST_SLOTS * DIGEST_WORDS * 4)),
    found?: Uint8Array,
  ) {
    this.cells = cells
    this.#found = found
    for (let slot = 0; slot < cells.length; slot += DIGEST_WORDS) if (this.#isUsed(slot)) this.size++
  }

  /** `digest`: four words of it, from `at`. Returns false if it was in the set. */
  add(digest: Uint32Array, at = 0): boolean {
    if (this.size * 2 * DIGEST_WORDS >= this.cells.length) this.#grow()
    const slot = this.#slotOf(digest, at)
    if (this.#isUsed(slot)) return false
    this.cells.set(digest.subarray(at, at + DIGEST_WORDS), slot)
    this.size++
    return true
  }

  /** An id that is there is marked as found, where the set has marks. */
  has(digest: Uint32Array, at = 0): boolean {
    const slot = this.#slotOf(digest, at)
    const isThere = this.#isUsed(slot)
    if (isThere && this.#found) this.#found[slot / DIGEST_WORDS] = 1
    return isThere
  }

  isFound(digest: Uint32Array): boolean {
    return this.#found?.[this.#slotOf(digest, 0) / DIGEST_WORDS] === 1
  }

  marks(): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(new SharedArrayBuffer(this.cells.length / DIGEST_WORDS))
  }

  #slotOf(digest: Uint32Array, at: number): number {
    const { cells } = this
    const last = cells.length - DIGEST_WORDS
    let slot = (digest[at]! * DIGEST_WORDS) & last
    for (; this.#isUsed(slot); slot = (slot + DIGEST_WORDS) & last) {
      let word = 0
      while (word < DIGEST_WORDS && cells[slot + word] === digest[at + word]) word++
      if (word === DIGEST_WORDS) return slot
    }
    return slot
  }

  #isUsed(slot: number): boolean {
    // digestOf never gives four zeros.
    return this.cells[slot + DIGEST_WORDS - 1] !== 0
  }

  #grow(): void {
    const old = this.cells
    this.cells = new Uint32Array(new SharedArrayBuffer(old.byteLength * 2))
    for (let slot = 0; slot < old.length; slot += DIGEST_WORDS) {
      if (old[slot + DIGEST_WORDS - 1] !== 0)
        this.cells.set(old.subarray(slot, slot + DIGEST_WORDS), this.#slotOf(old, slot))
    }
  }
}

/** Four words of an id's salted hash. Without the salt, which no file keeps, nobody can tell whose it is. */
export function digestOf(salt: string, id: string): Uint32Array {
  const bytes = hash('sha256', `${salt}\0${id}`, 'buffer')
  const words = new Uint32Array(DIGEST_WORDS)
  for (let word = 0; word < DIGEST_WORDS; word++) words[word] = bytes.readUInt32LE(word * 4)
  words[DIGEST_WORDS - 1]! |= 1
  return words
}

/** All ids that are forgotten. Crosses threads: the cells are shared, not copied. */
export interface ForgottenIds {
  readonly salt: string
  readonly cells: Uint32Array<SharedArrayBuffer>
}

/** The ids of a list, each of which is to be found. Crosses threads: the cells and the marks are shared, not copied. */
export interface SoughtIds extends ForgottenIds {
  readonly found: Uint8Array<SharedArrayBuffer>
}

/** Texts in JSON, cells of a table, and bare words: whatever could be an id in a record that can't be read. */
const QUOTED = /"((?:[^"\\]|\\.)*)"/gs
const CELLS = /[",;\t\r\n]+/
const WORDS = /[\s",;:[\]{}]+/
const DEVICE_PREFIX = '$device:'

export class Forgotten implements People {
  readonly #ids: IdSet
  readonly #salt: string

  constructor({ salt, cells, found }: ForgottenIds & Partial<SoughtIds>) {
    this.#ids = new IdSet(cells, found)
    this.#salt = salt
  }

  leavesOut({ distinctId, links }: RecordIds): boolean {
    // An alias of someone who is forgotten names them. So does a merge.
    return this.isForgotten(distinctId) || links.some(({ from, firm }) => firm && this.isForgotten(from))
  }

  isForgotten(id: string): boolean {
    return this.#ids.has(digestOf(this.#salt, id))
  }

  /** True if any text in a refused record is the id of someone who is forgotten. */
  isNamedIn(record: string): boolean {
    for (const [, text] of record.matchAll(QUOTED)) if (this.#isId(unescaped(text!))) return true
    return [CELLS, WORDS].some((apart) => record.split(apart).some((text) => this.#isId(text)))
  }

  #isId(text: string): boolean {
    const id = cleanDistinctId(text.startsWith(DEVICE_PREFIX) ? text.slice(DEVICE_PREFIX.length) : text)
    return typeof id === 'string' && this.isForgotten(id)
  }
}

function unescaped(text: string): string {
  const read = text.includes('\\') ? parsedOrNone(`"${text}"`) : text
  return (read as string | undefined) ?? text
}
