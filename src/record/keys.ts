import { KIB, MIB } from '../text/units.ts'
import { grown, hashBytes, viewOf } from './bytes.ts'
import type { NameTable } from './notes.ts'
import { decodeText } from './text.ts'

/** A member's name, as a number: equal numbers are equal names, however each was escaped. */
export type Key = number

/** No name: a guess that was never made. */
const NONE: Key = 0
/** The size of a name that was let go: longer than any line, so that it matches nowhere. */
const GONE = 0x3fffffff

/** Names can come from the data (ids as keys): once there are more than this, they are let go. */
const PASSING = 16 * 1024
/** Or more than this many bytes of them. */
const PASSING_BYTES = 4 * MIB
const POOL_BYTES = 64 * KIB

/**
 * Every name that was met, each spelled once, canonically, as `,"name":`. Names that the program asks for by `keyOf`
 * stay for good. Names of the data are let go when there are too many, which changes `generation`.
 */
class Keys {
  /** Counts the times that names were let go: what is stored by a key is void then. */
  generation = 0
  /** All spellings, and a view to compare them four bytes at a step. */
  pool: Buffer = Buffer.alloc(POOL_BYTES)
  words = viewOf(this.pool)
  /** Of each name: where its spelling begins in the pool (at the comma), and how long `"name":` is. */
  starts = new Int32Array(1024)
  sizes = new Int32Array(1024).fill(GONE)
  /** For each name two guesses: the name that followed it last, and the first name in the object it names. */
  guesses = new Int32Array(2048)
  #hashes = new Int32Array(1024)
  #slots = new Int32Array(4096)
  #texts: Array<string | undefined> = [undefined]
  #pinned: boolean[] = [true]
  #byText = new Map<string, Key>()
  #used = 0
  #count = 1
  #passing = 0
  #passingBytes = 0
  #free: Key[] = []

  /** Index after `"name":` when exactly these bytes are at `at`; -1 otherwise. */
  match(key: Key, words: DataView, at: number, end: number): number {
    const size = this.sizes[key]!
    const after = at + size
    // The empty name is too short for the last step: it is looked up each time.
    if (after > end || size < 4) return -1
    const ours = this.words
    const from = this.starts[key]! + 1
    if (size < 8) {
      const isFirst = words.getInt32(at, true) === ours.getInt32(from, true)
      return isFirst && words.getInt32(after - 4, true) === ours.getInt32(from + size - 4, true) ? after : -1
    }
    // Eight bytes at a step are compared as one double. Equal ones are the same bytes: no spelling has a zero in it, nor
    // the bytes of a NaN, see copyBytes. The last step overlaps the one before it.
    const last = size - 8
    for (let i = 0; i < last; i += 8)
      if (words.getFloat64(at + i, true) !== ours.getFloat64(from + i, true)) return -1
    return words.getFloat64(at + last, true) === ours.getFloat64(from + last, true) ? after : -1
  }

  /** The name whose canonical spelling, without quotes, is in `bytes`. */
  find(bytes: Buffer, start: number, end: number): Key {
    const hash = hashBytes(bytes, start, end)
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (; this.#slots[slot] !== NONE; slot = (slot + 1) & mask) {
      const key = this.#slots[slot]!
      if (this.#hashes[key] === hash && this.#isSpelled(key, bytes, start, end)) return key
    }
    return this.#add(slot, bytes, start, end)
  }

  findEscaped(bytes: Buffer, start: number, end: number): Key {
    const spelled = canonicalKey(decodeText(bytes, start, end, true))
    return this.find(spelled, 0, spelled.length)
  }

  ofText(text: string): Key {
    let key = this.#byText.get(text)
    if (key === undefined) {
      const spelled = canonicalKey(text)
      key = this.find(spelled, 0, spelled.length)
      this.#byText.set(text, key)
    }
    return key
  }

  /** Keeps a name for good. */
  pin(key: Key): void {
    if (this.#pinned[key]) return
    this.#pinned[key] = true
    this.#passing--
    this.#passingBytes -= this.sizes[key]!
  }

  /** The name, decoded. */
  text(key: Key): string {
    let text = this.#texts[key]
    if (text === undefined) {
      const start = this.starts[key]! + 2
      text = decodeText(this.pool, start, start + this.sizes[key]! - 3, true)
      this.#texts[key] = text
    }
    return text
  }

  /** Lets go of the data's names when there are too many. Only between records: it makes a tape's keys void. */
  trim(): void {
    if (this.#passing <= PASSING && this.#passingBytes <= PASSING_BYTES) return
    const spelled: Array<[Key, Buffer]> = []
    this.#free = []
    for (let key = 1; key < this.#count; key++) {
      const start = this.starts[key]!
      if (this.#pinned[key]) {
        spelled.push([key, Buffer.from(this.pool.subarray(start + 2, start + this.sizes[key]! - 1))])
      } else {
        this.sizes[key] = GONE
        this.#texts[key] = undefined
        this.#free.push(key)
      }
    }
    for (const [text, key] of this.#byText) if (!this.#pinned[key]) this.#byText.delete(text)
    this.#used = 0
    this.#passing = 0
    this.#passingBytes = 0
    this.pool = Buffer.alloc(POOL_BYTES)
    this.words = viewOf(this.pool)
    this.#slots = new Int32Array(4096)
    this.guesses.fill(NONE)
    for (const [key, bytes] of spelled) {
      this.#spell(key, bytes, 0, bytes.length)
      this.#enter(key)
    }
    this.generation++
  }

  #isSpelled(key: Key, bytes: Buffer, start: number, end: number): boolean {
    if (this.sizes[key] !== end - start + 3) return false
    for (let i = start, j = this.starts[key]! + 2; i < end; i++, j++)
      if (bytes[i] !== this.pool[j]) return false
    return true
  }

  #add(slot: number, bytes: Buffer, start: number, end: number): Key {
    const key = this.#free.pop() ?? this.#count++
    if (key === this.sizes.length) this.#grow()
    this.#hashes[key] = hashBytes(bytes, start, end)
    this.#texts[key] = undefined
    this.#pinned[key] = false
    this.#spell(key, bytes, start, end)
    this.#passing++
    this.#passingBytes += this.sizes[key]!
    this.#slots[slot] = key
    if ((this.#count - this.#free.length) * 2 > this.#slots.length) {
      this.#slots = new Int32Array(this.#slots.length * 2)
      for (let other = 1; other < this.#count; other++) if (this.sizes[other] !== GONE) this.#enter(other)
    }
    return key
  }

  #enter(key: Key): void {
    const mask = this.#slots.length - 1
    let slot = this.#hashes[key]! & mask
    while (this.#slots[slot] !== NONE) slot = (slot + 1) & mask
    this.#slots[slot] = key
  }

  #spell(key: Key, bytes: Buffer, start: number, end: number): void {
    const size = end - start + 3
    // Five bytes of slack: names are compared four bytes at a step.
    if (this.#used + size + 5 > this.pool.length) {
      const larger = Buffer.alloc(Math.max(this.pool.length * 2, this.#used + size + 5))
      this.pool.copy(larger, 0, 0, this.#used)
      this.pool = larger
      this.words = viewOf(larger)
    }
    const { pool } = this
    this.starts[key] = this.#used
    this.sizes[key] = size
    pool[this.#used++] = 0x2c
    pool[this.#used++] = 0x22
    bytes.copy(pool, this.#used, start, end)
    this.#used += end - start
    pool[this.#used++] = 0x22
    pool[this.#used++] = 0x3a
  }

  #grow(): void {
    const { length } = this.sizes
    this.starts = grown(this.starts)
    this.sizes = grown(this.sizes).fill(GONE, length)
    this.guesses = grown(this.guesses)
    this.#hashes = grown(this.#hashes)
  }
}

export const keys = new Keys()

/** The name that the program knows, kept for good. Not for names out of the data: those go by `keys.ofText`. */
export function keyOf(name: string): Key {
  const key = keys.ofText(name)
  keys.pin(key)
  return key
}

/** A name's raw JSON text, without quotes, in its one canonical spelling. */
export function canonicalKey(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1))
}

/** Counts names by their keys, which costs less than by text. */
export class KeyTally {
  #counts = new Int32Array(1024)
  #met: Array<readonly [Key, string]> = []

  /** The counts by key, with room for all keys there are: who makes the first of a key calls `meet`. */
  countsOf(): Int32Array {
    const { length } = keys.sizes
    if (this.#counts.length < length) this.#counts = grown(this.#counts, length)
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
