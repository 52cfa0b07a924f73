import type { ByteWriter } from './byte-writer.ts'
import { copyBytes, copyPiece, grown, viewOf } from './bytes.ts'
import { type Key, type KeyTally, keys } from './keys.ts'
import { spelledText } from './text.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN = 0x7b
const CLOSE = 0x7d
/** The letter that null begins with. */
const NULL = 0x6e

/** Integers kept per member: key, the value as (source, start, end), where the whole member is (see `at`), the rank. */
const STRIDE = 6

/** A stretch of bytes, [start, end). */
export interface Span {
  bytes: Buffer
  start: number
  end: number
}

export const PUT = { added: 0, replaced: 1, kept: 2, outranked: 3 } as const
type PutMember = (typeof PUT)[keyof typeof PUT]

/**
 * An object under construction: an ordered list of members whose values are spans of other buffers, copied only when
 * the object is written. A key put twice keeps its first place and its last value, as in JSON.parse.
 */
export class Members {
  count = 0
  /** The value that the last put replaced, when that put returned `outranked`. */
  readonly lost = { source: Buffer.alloc(0) as Buffer, start: 0, end: 0, rank: 0 }
  readonly #found: Span = { bytes: Buffer.alloc(0), start: 0, end: 0 }
  #cells = new Int32Array(STRIDE * 256)
  readonly #sources = new Sources()
  /** By key: the member's number, valid when #stamps holds the current generation. */
  #places = new Int32Array(1024)
  #stamps = new Int32Array(1024)
  #generation = 1
  /** An upper bound of the bytes that the members take when written. */
  #room = 0

  clear(): void {
    if (this.count === 0) return
    this.count = 0
    this.#room = 0
    this.#generation++
    this.#sources.trim()
  }

  /**
   * Puts a member. Of two values for a key the lower rank wins; of equal ranks, the last. `at` is where the source has
   * `"key":value` exactly as it is to be written, or -1: such members are copied in whole stretches.
   */
  put(key: Key, value: Buffer, start: number, end: number, rank = 0, at = -1): PutMember {
    if (this.add(key, value, start, end, rank, at)) return PUT.added
    return this.#again(key, value, start, end, rank, at)
  }

  /** The same for a key that has no value yet; false when it has one. */
  add(key: Key, value: Buffer, start: number, end: number, rank: number, at: number): boolean {
    if (this.has(key)) return false
    const cell = this.count * STRIDE
    if (cell + STRIDE > this.#cells.length || key >= this.#stamps.length) this.#reach(key)
    this.#fill(cell, key, this.#sources.of(value), start, end, rank, at)
    this.#stamps[key] = this.#generation
    this.#places[key] = this.count++
    return true
  }

  /** Puts a member whose key is there. Apart, so that `put` is small enough to be inlined where it is called. */
  #again(key: Key, value: Buffer, start: number, end: number, rank: number, at: number): PutMember {
    const cell = this.#places[key]! * STRIDE
    const before = this.#cells[cell + 5]!
    if (before < rank) return PUT.kept
    if (before > rank) this.#lose(cell)
    this.#fill(cell, key, this.#sources.of(value), start, end, rank, at)
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

  has(key: Key): boolean {
    return this.#stamps[key] === this.#generation
  }

  /** The value's text, decoded, when it is a string; undefined otherwise. */
  text(key: Key): string | undefined {
    const string = this.string(key)
    return string && spelledText(string.bytes, string.start, string.end)
  }

  /** Where a string's value is, without its quotes; undefined for a value that is no string. The next call changes it. */
  string(key: Key): Span | undefined {
    const span = this.#find(key)
    if (span === undefined || span.bytes[span.start] !== QUOTE) return undefined
    span.start++
    span.end--
    return span
  }

  /** The value's JSON as written, or undefined. */
  json(key: Key): string | undefined {
    const span = this.#find(key)
    return span?.bytes.toString('utf8', span.start, span.end)
  }

  /** Where a value is; the next call changes it. */
  #find(key: Key): Span | undefined {
    if (!this.has(key)) return undefined
    const span = this.#found
    const cell = this.#places[key]! * STRIDE
    span.bytes = this.#sources.buffers[this.#cells[cell + 1]!]!
    span.start = this.#cells[cell + 2]!
    span.end = this.#cells[cell + 3]!
    return span
  }

  /** Counts the keys of the members; with `onlyFilled` not of those whose value is null or ''. */
  tally(into: KeyTally, onlyFilled: boolean): void {
    const cells = this.#cells
    const counts = into.countsOf()
    const last = this.count * STRIDE
    for (let cell = 0; cell < last; cell += STRIDE) {
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
    const first = this.#sources.buffers[cells[cell + 1]!]![start]
    return first !== (length === 2 ? QUOTE : NULL)
  }

  /** Calls `each` with every key and the raw span of its value. */
  visit(each: (key: Key, value: Buffer, start: number, end: number) => void): void {
    for (let i = 0; i < this.count; i++) {
      const [key, source, start, end] = this.#cells.subarray(i * STRIDE, i * STRIDE + STRIDE)
      each(key!, this.#sources.buffers[source!]!, start!, end!)
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
    if (this.count === 0) return
    const cells = this.#cells
    const { buffers, views } = this.#sources
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
      to = copyPiece(buffers[source]!, views[source]!, start, end, bytes, words, to)
    }
    writer.length = to
  }

  #lose(cell: number): void {
    this.lost.source = this.#sources.buffers[this.#cells[cell + 1]!]!
    this.lost.start = this.#cells[cell + 2]!
    this.lost.end = this.#cells[cell + 3]!
    this.lost.rank = this.#cells[cell + 5]!
  }

  #reach(key: Key): void {
    if ((this.count + 1) * STRIDE > this.#cells.length) this.#cells = grown(this.#cells)
    if (key < this.#stamps.length) return
    const size = Math.max(this.#stamps.length * 2, key + 1)
    this.#places = grown(this.#places, size)
    this.#stamps = grown(this.#stamps, size)
  }
}

const MOST_SOURCES = 16

/** The buffers that the members of an object are spans of, by number, each with a view to copy from. */
class Sources {
  readonly buffers: Buffer[] = []
  readonly views: DataView[] = []

  of(buffer: Buffer): number {
    const { buffers } = this
    for (let i = 0; i < buffers.length; i++) if (buffers[i] === buffer) return i
    this.views.push(viewOf(buffer))
    return buffers.push(buffer) - 1
  }

  /** Between two objects. A few buffers stay, since the next object most likely needs them. */
  trim(): void {
    if (this.buffers.length <= MOST_SOURCES) return
    this.buffers.length = 0
    this.views.length = 0
  }
}
