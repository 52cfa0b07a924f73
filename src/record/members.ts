import type { ByteWriter } from './byte-writer.ts'
import { copyBytes } from './bytes.ts'
import type { KeyTally } from './key-tally.ts'
import { type Key, keys } from './keys.ts'
import type { Tape } from './tape.ts'
import { spelledText } from './text.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN = 0x7b
const CLOSE = 0x7d
/** The letter that null begins with. */
const NULL = 0x6e

/** Integers kept per member: key, the value as (source, start, end), where the whole member is (see `at`), the rank. */
const STRIDE = 6

/** So many sources are kept from one object to the next. */
const MOST_SOURCES = 16

/** Pieces longer than this are copied by the platform: for shorter ones the call costs more than a loop. */
const LONG = 256

/** A stretch of bytes, [start, end). */
export interface Span {
  bytes: Buffer
  start: number
  end: number
}

/** What became of a member that was put. */
export const PUT = { added: 0, replaced: 1, kept: 2, outranked: 3 } as const
export type Put = (typeof PUT)[keyof typeof PUT]

/** Integers kept of a member whose value is a tape's: key, index on the tape times two with 1 for its own name, the rank. */
export const LISTED = 3

/**
 * An object under construction: an ordered list of members whose values are spans of other buffers, copied only when
 * the object is written. A key put twice keeps its first place and its last value, as in JSON.parse.
 */
export class Members {
  count = 0
  /** How many of the members, the first ones, `repeat` put. */
  repeated = 0
  /** The value that the last put replaced, when that put returned `outranked`. */
  readonly lost = { source: Buffer.alloc(0) as Buffer, start: 0, end: 0, rank: 0 }
  readonly #string: Span = { bytes: Buffer.alloc(0), start: 0, end: 0 }
  #cells = new Int32Array(STRIDE * 256)
  /** Those of earlier objects stay, since the next one most likely needs them. */
  readonly #sources: Buffer[] = []
  readonly #views: DataView[] = []
  /** By key: the member's index, valid when #stamps holds the current generation. */
  #places = new Int32Array(1024)
  #stamps = new Int32Array(1024)
  #generation = 1
  /** An upper bound of the bytes that the members take when written. */
  #room = 0

  clear(): void {
    if (this.count === 0) return
    this.count = 0
    this.repeated = 0
    this.#room = 0
    this.#generation++
    if (this.#sources.length <= MOST_SOURCES) return
    this.#sources.length = 0
    this.#views.length = 0
  }

  /**
   * Puts a member. Of two values for a key the lower rank wins; of equal ranks, the last. `at` is where the source has
   * `"key":value` exactly as it is to be written, or -1: such members are copied in whole stretches.
   */
  put(key: Key, value: Buffer, start: number, end: number, rank = 0, at = -1): Put {
    if (this.add(key, value, start, end, rank, at)) return PUT.added
    return this.#again(key, value, start, end, rank, at)
  }

  /** The same for a key that has no value yet; false when it has one. */
  add(key: Key, value: Buffer, start: number, end: number, rank: number, at: number): boolean {
    if (this.#stamps[key] === this.#generation) return false
    const cell = this.count * STRIDE
    if (cell + STRIDE > this.#cells.length || key >= this.#stamps.length) this.#reach(key)
    this.#fill(cell, key, this.#source(value), start, end, rank, at)
    this.#stamps[key] = this.#generation
    this.#places[key] = this.count++
    return true
  }

  /** Puts a member whose key is there. Apart, so that `put` is small enough to be inlined where it is called. */
  #again(key: Key, value: Buffer, start: number, end: number, rank: number, at: number): Put {
    const cell = this.#places[key]! * STRIDE
    const before = this.#cells[cell + 5]!
    if (before < rank) return PUT.kept
    if (before > rank) this.#lose(cell)
    this.#fill(cell, key, this.#source(value), start, end, rank, at)
    return before > rank ? PUT.outranked : PUT.replaced
  }

  #fill(cell: number, key: Key, source: number, start: number, end: number, rank: number, at: number): void {
    const cells = this.#cells
    cells[cell] = key
    cells[cell + 1] = source
    cells[cell + 2] = start
    cells[cell + 3] = end
    cells[cell + 4] = at
    cells[cell + 5] = rank
    this.#room += keys.sizes[key]! + 1 + end - start
  }

  /** The members, whose values are all of the tape, for `repeat`: LISTED numbers each. */
  list(tape: Tape): number[] {
    const list: number[] = []
    for (let cell = 0; cell < this.count * STRIDE; cell += STRIDE) {
      const [key, , start, , , rank] = this.#cells.subarray(cell, cell + STRIDE)
      let index = 0
      while (tape.start(index) !== start) index++
      list.push(key!, 2 * index + (tape.key(index) === key ? 1 : 0), rank!)
    }
    return list
  }

  /** Puts what `list` told of another tape of the same shape, so many members from `at` on, into an empty object. */
  repeat(list: Int32Array, at: number, count: number, tape: Tape, bytes: Buffer): void {
    if (count === 0) return
    const source = this.#source(bytes)
    for (let i = at, cell = 0; cell < count * STRIDE; i += LISTED, cell += STRIDE) {
      const key = list[i]!
      const index = list[i + 1]! >> 1
      const from = (list[i + 1]! & 1) === 1 ? tape.at(index) : -1
      this.#fill(cell, key, source, tape.start(index), tape.end(index), list[i + 2]!, from)
      this.#stamps[key] = this.#generation
      this.#places[key] = this.count++
    }
    this.repeated = count
  }

  has(key: Key): boolean {
    return this.#find(key) >= 0
  }

  /** The value's text, decoded, when it is a string; undefined otherwise. */
  text(key: Key): string | undefined {
    const index = this.#find(key)
    if (index < 0) return undefined
    const cell = index * STRIDE
    const source = this.#sources[this.#cells[cell + 1]!]!
    const [start, end] = [this.#cells[cell + 2]!, this.#cells[cell + 3]!]
    if (source[start] !== QUOTE) return undefined
    return spelledText(source, start + 1, end - 1)
  }

  /** Where a string's value is, without its quotes; undefined for a value that is no string. The next call changes it. */
  string(key: Key): Span | undefined {
    const index = this.#find(key)
    if (index < 0) return undefined
    const span = this.#string
    const cell = index * STRIDE
    span.bytes = this.#sources[this.#cells[cell + 1]!]!
    span.start = this.#cells[cell + 2]! + 1
    span.end = this.#cells[cell + 3]! - 1
    return span.bytes[span.start - 1] === QUOTE ? span : undefined
  }

  /** The value's JSON as written, or undefined. */
  json(key: Key): string | undefined {
    const index = this.#find(key)
    if (index < 0) return undefined
    const cell = index * STRIDE
    return this.#sources[this.#cells[cell + 1]!]!.toString(
      'utf8',
      this.#cells[cell + 2]!,
      this.#cells[cell + 3]!,
    )
  }

  /** Counts the keys of the members from number `from` on; with `onlyFilled` not of those whose value is null or ''. */
  tally(into: KeyTally, onlyFilled: boolean, from = 0): void {
    const cells = this.#cells
    const counts = into.countsOf()
    const last = this.count * STRIDE
    for (let cell = from * STRIDE; cell < last; cell += STRIDE) {
      if (onlyFilled && !this.#isFilled(cell)) continue
      const key = cells[cell]!
      if (counts[key]!++ === 0) into.meet(key)
    }
  }

  #isFilled(cell: number): boolean {
    const cells = this.#cells
    const start = cells[cell + 2]!
    const length = cells[cell + 3]! - start
    if (length !== 2 && length !== 4) return true
    const first = this.#sources[cells[cell + 1]!]![start]
    return first !== (length === 2 ? QUOTE : NULL)
  }

  /** Calls `each` with every key and the raw span of its value. */
  visit(each: (key: Key, value: Buffer, start: number, end: number) => void): void {
    for (let i = 0; i < this.count; i++) {
      const [key, source, start, end] = this.#cells.subarray(i * STRIDE, i * STRIDE + STRIDE)
      each(key!, this.#sources[source!]!, start!, end!)
    }
  }

  /** Writes the object: `{"key":value,"key":value}`. */
  writeObject(writer: ByteWriter): void {
    const at = writer.length
    this.write(writer)
    if (writer.length === at) writer.byte(OPEN)
    // The first comma becomes the opening brace.
    else writer.bytes[at] = OPEN
    writer.byte(CLOSE)
  }

  /** Writes the members, each with a comma before it: `,"key":value,"key":value`. */
  write(writer: ByteWriter): void {
    const cells = this.#cells
    const sources = this.#sources
    const views = this.#views
    const last = this.count * STRIDE
    // Room is made once and bytes are stored here, not through the writer: that halves the time of writing an event.
    // Copies write up to three bytes more than they copy.
    writer.ensure(this.#room + 4)
    const { bytes, words } = writer
    const { words: spelled, starts, sizes } = keys
    const pool = keys.pool.length
    let to = writer.length
    for (let cell = 0; cell < last; cell += STRIDE) {
      const source = cells[cell + 1]!
      let start = cells[cell + 2]!
      let end = cells[cell + 3]!
      const at = cells[cell + 4]!
      if (at >= 0) {
        // Untouched members that are side by side in one source are copied in one go.
        for (let next = cell + STRIDE; next < last; next += STRIDE, cell += STRIDE) {
          if (cells[next + 4] !== end + 1 || cells[next + 1] !== source) break
          end = cells[next + 3]!
        }
        start = at
        bytes[to++] = COMMA
      } else {
        const key = cells[cell]!
        const from = starts[key]!
        to = copyBytes(spelled, pool, from, from + sizes[key]! + 1, words, to)
      }
      const piece = sources[source]!
      if (end - start > LONG) {
        piece.copy(bytes, to, start, end)
        to += end - start
      } else to = copyBytes(views[source]!, piece.length, start, end, words, to)
    }
    writer.length = to
  }

  #lose(cell: number): void {
    this.lost.source = this.#sources[this.#cells[cell + 1]!]!
    this.lost.start = this.#cells[cell + 2]!
    this.lost.end = this.#cells[cell + 3]!
    this.lost.rank = this.#cells[cell + 5]!
  }

  /** The member's index, or -1. */
  #find(key: Key): number {
    return this.#stamps[key] === this.#generation ? this.#places[key]! : -1
  }

  /** Makes room for one more member, and for its key. */
  #reach(key: Key): void {
    if ((this.count + 1) * STRIDE > this.#cells.length) {
      const larger = new Int32Array(this.#cells.length * 2)
      larger.set(this.#cells)
      this.#cells = larger
    }
    if (key < this.#stamps.length) return
    const size = Math.max(this.#stamps.length * 2, key + 1)
    const [places, stamps] = [new Int32Array(size), new Int32Array(size)]
    places.set(this.#places)
    stamps.set(this.#stamps)
    this.#places = places
    this.#stamps = stamps
  }

  #source(buffer: Buffer): number {
    const sources = this.#sources
    for (let i = 0; i < sources.length; i++) if (sources[i] === buffer) return i
    this.#views.push(new DataView(buffer.buffer, buffer.byteOffset, buffer.length))
    return sources.push(buffer) - 1
  }
}
