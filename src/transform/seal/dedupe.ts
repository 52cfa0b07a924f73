import type { MappedEvent } from '../../mapping/mapped.ts'
import { mixed } from '../../record/bytes.ts'
import { uuidOffset } from '../../record/head.ts'
import { nthTwin, readUuidBytes, UUID_LENGTH } from '../../record/uuid.ts'
import { BufferPool } from '../run/buffer-pool.ts'

const WORDS = 6
const UUID_WORDS = 4

/**
 * A set of (uuid, event, distinct_id) with a count or a note each, exact in the uuid's 128 bits and in 64 bits of hash of the
 * other two. Open addressing over one typed array: 24 bytes an entry at half load, nothing for the collector.
 */
export class SeenEvents {
  #cells: Uint32Array
  #counts: Uint32Array
  #size = 0
  readonly #key = new Uint32Array(WORDS)

  /** Room for this many events, in a table of the pool; it grows for more. */
  constructor(events: number, pool: BufferPool) {
    const slots = 2 ** Math.ceil(Math.log2(2 * events + 1))
    const { buffer, byteOffset } = pool.table((WORDS + 1) * slots * Uint32Array.BYTES_PER_ELEMENT)
    this.#cells = new Uint32Array(buffer, byteOffset, WORDS * slots)
    this.#counts = new Uint32Array(buffer, byteOffset + this.#cells.byteLength, slots)
  }

  clear(): void {
    this.#counts.fill(0)
    this.#size = 0
  }

  /**
   * Counts an event and returns how often it was seen before. `uuidAt` is the index of the uuid's 36 characters,
   * [nameStart, nameEnd) the span of event and distinct_id; an empty span leaves them out of the identity.
   */
  count(bytes: Buffer, uuidAt: number, nameStart: number, nameEnd: number): number {
    this.#read(bytes, uuidAt, nameStart, nameEnd)
    return this.#count()
  }

  /** The same of an event whose uuid and hash are six words. */
  countKey(words: Uint32Array, at: number): number {
    for (let i = 0; i < WORDS; i++) this.#key[i] = words[at + i]!
    return this.#count()
  }

  /**
   * Notes a word, not 0, with an event whose uuid and hash are six words. Returns the one noted before, 0 for none; it
   * stays, or grows by `step` if it is a multiple of it.
   */
  noteKey(words: Uint32Array, at: number, note: number, step = 0): number {
    for (let i = 0; i < WORDS; i++) this.#key[i] = words[at + i]!
    const slot = this.#find()
    const before = this.#counts[slot]!
    if (before === 0) this.#put(slot, note)
    else if (before % step === 0) this.#counts[slot] = before + step
    return before
  }

  has(bytes: Buffer, uuidAt: number, nameStart: number, nameEnd: number): boolean {
    this.#read(bytes, uuidAt, nameStart, nameEnd)
    return this.#counts[this.#find()]! > 0
  }

  /** True if an event with this uuid, in four words, and a hash of 0 was counted. */
  hasUuid(words: Uint32Array, at: number): boolean {
    for (let i = 0; i < WORDS; i++) this.#key[i] = i < UUID_WORDS ? words[at + i]! : 0
    return this.#counts[this.#find()]! > 0
  }

  #count(): number {
    const slot = this.#find()
    const before = this.#counts[slot]!
    if (before === 0) this.#put(slot, 1)
    else this.#counts[slot] = before + 1
    return before
  }

  /** Fills an empty slot with the key. */
  #put(free: number, count: number): void {
    let slot = free
    if (this.#size * 2 >= this.#counts.length) {
      this.#grow()
      slot = this.#find()
    }
    this.#size++
    this.#cells.set(this.#key, slot * WORDS)
    this.#counts[slot] = count
  }

  #read(bytes: Buffer, uuidAt: number, nameStart: number, nameEnd: number): void {
    const key = this.#key
    readUuidBytes(bytes, uuidAt, key)
    let [one, other] = [0x2545f491, 0x61c88647]
    let i = nameStart
    for (; i + 4 <= nameEnd; i += 4) {
      const word = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24)
      one = Math.imul(one ^ word, 0x85ebca6b)
      one ^= one >>> 15
      other = Math.imul(other + word, 0xc2b2ae35)
      other ^= other >>> 13
    }
    // The number of bytes left is hashed too: three zero bytes differ from two.
    let rest = nameEnd - i
    for (; i < nameEnd; i++) rest = (rest << 8) | bytes[i]!
    key[4] = mixed(one ^ rest)
    key[5] = mixed(Math.imul(other + rest, 0x27d4eb2f))
  }

  #find(): number {
    const key = this.#key
    const cells = this.#cells
    const mask = this.#counts.length - 1
    let slot = mixed(key[0]! ^ Math.imul(key[1]! ^ key[2]!, 31) ^ key[3]! ^ key[4]!) & mask
    while (this.#counts[slot] !== 0) {
      const at = slot * WORDS
      let same = true
      for (let i = 0; i < WORDS && same; i++) same = cells[at + i] === key[i]
      if (same) return slot
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const [cells, counts] = [this.#cells, this.#counts]
    this.#cells = new Uint32Array(cells.length * 2)
    this.#counts = new Uint32Array(counts.length * 2)
    const wanted = this.#key.slice()
    for (let slot = 0; slot < counts.length; slot++) {
      if (counts[slot] === 0) continue
      this.#key.set(cells.subarray(slot * WORDS, slot * WORDS + WORDS))
      const to = this.#find()
      this.#cells.set(this.#key, to * WORDS)
      this.#counts[to] = counts[slot]!
    }
    this.#key.set(wanted)
  }
}

/** Which of `passes` ranges a uuid of four words is in: by a hash of them all, since version 1 ids of one machine end alike. */
export function uuidRange(words: Uint32Array, at: number, passes: number): number {
  let hash = 0
  for (let i = at; i < at + UUID_WORDS; i++) hash = mixed(hash ^ words[i]!)
  return hash % passes
}

/** At first; the table grows. */
const CONTENT_IDS = 1024

/** Tells twins apart in memory, as sealing does on disk: 50 bytes for each record without an id of its own. */
export class Twins {
  readonly #seen = new SeenEvents(CONTENT_IDS, new BufferPool())

  /** Gives the line of a record without an id the uuid that it has after those before it. */
  tellApart({ bytes }: MappedEvent['line']): void {
    const at = uuidOffset(0)
    const twin = this.#seen.count(bytes, at, 0, 0)
    if (twin > 0) bytes.write(nthTwin(bytes.toString('latin1', at, at + UUID_LENGTH), twin), at, 'latin1')
  }
}
