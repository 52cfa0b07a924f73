import { beginsWith, hashBytes } from './bytes.ts'
import type { Key } from './keys.ts'
import type { Tape } from './tape.ts'
import { decodeText, keyText } from './text.ts'
import { type ByteWriter, SHORT } from './writer.ts'

const QUOTE = 0x22
const COLON = 0x3a
const COMMA = 0x2c
const BACKSLASH = 0x5c

/** Integers kept per member: key and value, each as (source, start, end), the key's hash, and the rank. */
const STRIDE = 8

/** Sources that are searched for one put again; an older one is listed a second time. */
const NEWEST = 8

/** What became of a member that was put. */
export const PUT = { added: 0, replaced: 1, kept: 2, outranked: 3 } as const
export type Put = (typeof PUT)[keyof typeof PUT]

/**
 * An object under construction: an ordered list of members whose keys and values are spans of other buffers, copied
 * only when the object is written. A key put twice keeps its first place and its last value, as JSON.parse has it.
 */
export class Members {
  count = 0
  /** The value whose place the last put took, when that put said `outranked`. */
  readonly lost = { source: Buffer.alloc(0) as Buffer, start: 0, end: 0, rank: 0 }
  #cells = new Int32Array(STRIDE * 256)
  /** Those beyond #sourceCount are of earlier objects, kept since the next one is most likely made of the same. */
  readonly #sources: Buffer[] = []
  readonly #views: DataView[] = []
  #sourceCount = 0
  /** Open addressing: index + 1 of the member, valid when #stamps holds the current generation. */
  #slots = new Int32Array(1024)
  #stamps = new Int32Array(1024)
  #generation = 1

  clear(): void {
    if (this.count === 0) return
    this.count = 0
    this.#sourceCount = 0
    this.#generation++
  }

  /**
   * Puts a member; keys are raw JSON text without quotes. Where the key stands already, the lower rank wins; of equal
   * ranks, the last.
   */
  put(
    key: Buffer,
    keyStart: number,
    keyEnd: number,
    hash: number,
    value: Buffer,
    start: number,
    end: number,
    rank = 0,
  ): Put {
    const found = this.#find(key, keyStart, keyEnd, hash)
    const index = found < 0 ? this.#add(~found, key, keyStart, keyEnd, hash) : found
    const at = index * STRIDE
    const before = found < 0 ? rank : this.#cells[at + 7]!
    if (before < rank) return PUT.kept
    if (before > rank) this.#lose(at)
    this.#cells[at + 3] = this.#source(value)
    this.#cells[at + 4] = start
    this.#cells[at + 5] = end
    this.#cells[at + 7] = rank
    if (found < 0) return PUT.added
    return before > rank ? PUT.outranked : PUT.replaced
  }

  #lose(at: number): void {
    this.lost.source = this.#sources[this.#cells[at + 3]!]!
    this.lost.start = this.#cells[at + 4]!
    this.lost.end = this.#cells[at + 5]!
    this.lost.rank = this.#cells[at + 7]!
  }

  /** Puts a member of the scanned record under its own key. */
  putOwn(tape: Tape, bytes: Buffer, index: number, rank = 0): Put {
    const start = tape.start(index)
    const end = tape.end(index)
    if (tape.keyEscaped(index)) {
      // "a" and "\u0061" are one key: an escaped key goes by its shortest spelling.
      const key = canonicalKey(keyText(tape, bytes, index))
      return this.put(key, 0, key.length, hashBytes(key, 0, key.length), bytes, start, end, rank)
    }
    return this.put(
      bytes,
      tape.keyStart(index),
      tape.keyEnd(index),
      tape.hash(index),
      bytes,
      start,
      end,
      rank,
    )
  }

  /** Puts a member under a key of ours. */
  putKey(key: Key, value: Buffer, start: number, end: number, rank = 0): Put {
    return this.put(key.bytes, key.start, key.end, key.hash, value, start, end, rank)
  }

  has(key: Key): boolean {
    return this.#find(key.bytes, key.start, key.end, key.hash) >= 0
  }

  /** The value's text, decoded, when it is a string; undefined otherwise. */
  text(key: Key): string | undefined {
    const index = this.#find(key.bytes, key.start, key.end, key.hash)
    if (index < 0) return undefined
    const at = index * STRIDE
    const source = this.#sources[this.#cells[at + 3]!]!
    const [start, end] = [this.#cells[at + 4]!, this.#cells[at + 5]!]
    if (source[start] !== QUOTE) return undefined
    const text = source.toString('utf8', start + 1, end - 1)
    return text.includes('\\') ? decodeText(source, start + 1, end - 1, true) : text
  }

  /** True when the value's text may hold `word`: it does as written, or it has escapes that could hide it. */
  mayHold(key: Key, word: Buffer): boolean {
    const index = this.#find(key.bytes, key.start, key.end, key.hash)
    if (index < 0) return false
    const at = index * STRIDE
    const source = this.#sources[this.#cells[at + 3]!]!
    const end = this.#cells[at + 5]!
    for (let i = this.#cells[at + 4]!; i < end; i++) {
      if (source[i] === BACKSLASH || (source[i] === word[0] && beginsWith(source, i, end, word))) return true
    }
    return false
  }

  /** The value's JSON as written, or undefined. */
  json(key: Key): string | undefined {
    const index = this.#find(key.bytes, key.start, key.end, key.hash)
    if (index < 0) return undefined
    const at = index * STRIDE
    return this.#sources[this.#cells[at + 3]!]!.toString('utf8', this.#cells[at + 4]!, this.#cells[at + 5]!)
  }

  /** Calls `each` with the raw span of every key and value. */
  visit(
    each: (key: Buffer, keyStart: number, keyEnd: number, value: Buffer, start: number, end: number) => void,
  ): void {
    for (let i = 0; i < this.count; i++) {
      const [ks, k0, k1, vs, v0, v1] = this.#cells.subarray(i * STRIDE, i * STRIDE + STRIDE)
      each(this.#sources[ks!]!, k0!, k1!, this.#sources[vs!]!, v0!, v1!)
    }
  }

  /** Writes `"key":value` pairs separated by commas, with a comma before the first when `comma`. */
  write(writer: ByteWriter, comma: boolean): void {
    const cells = this.#cells
    const sources = this.#sources
    const count = this.count
    let room = 0
    for (let at = 0; at < count * STRIDE; at += STRIDE) {
      room += cells[at + 2]! - cells[at + 1]! + cells[at + 5]! - cells[at + 4]! + 4
    }
    // Room is made once and bytes are stored here, not through the writer: half the time of writing an event.
    writer.ensure(room + 4)
    const bytes = writer.bytes
    const words = writer.words
    const views = this.#views
    let to = writer.length
    for (let i = 0; i < count; i++) {
      const at = i * STRIDE
      if (comma || i > 0) bytes[to++] = COMMA
      const keySource = cells[at]!
      const valueSource = cells[at + 3]!
      const keyStart = cells[at + 1]!
      const keyEnd = cells[at + 2]!
      const keyBytes = sources[keySource]!
      let start = cells[at + 4]!
      let end = cells[at + 5]!
      const framed = keyStart > 0 && keyBytes[keyStart - 1] === QUOTE && keyBytes[keyEnd + 1] === COLON
      if (framed && keySource === valueSource && start === keyEnd + 2) {
        // Members that stand side by side in one source, untouched, are copied in one go.
        while (i + 1 < count && this.#follows(i + 1, valueSource, end)) {
          i++
          end = cells[i * STRIDE + 5]!
        }
        start = keyStart - 1
      } else {
        bytes[to++] = QUOTE
        to = copyWords(views[keySource]!, keyStart, keyEnd, words, to)
        bytes[to++] = QUOTE
        bytes[to++] = COLON
      }
      const source = sources[valueSource]!
      if (end - start > SHORT) {
        source.copy(bytes, to, start, end)
        to += end - start
      } else to = copyWords(views[valueSource]!, start, end, words, to)
    }
    writer.length = to
  }

  /** True when member `index` stands right behind `end` in `source`, with nothing but a comma and a colon around it. */
  #follows(index: number, source: number, end: number): boolean {
    const cells = this.#cells
    const at = index * STRIDE
    return (
      cells[at] === source &&
      cells[at + 3] === source &&
      cells[at + 1] === end + 2 &&
      cells[at + 4] === cells[at + 2]! + 2
    )
  }

  #add(slot: number, key: Buffer, keyStart: number, keyEnd: number, hash: number): number {
    const at = this.count * STRIDE
    if (at + STRIDE > this.#cells.length) {
      const larger = new Int32Array(this.#cells.length * 2)
      larger.set(this.#cells)
      this.#cells = larger
    }
    this.#cells[at] = this.#source(key)
    this.#cells[at + 1] = keyStart
    this.#cells[at + 2] = keyEnd
    this.#cells[at + 6] = hash
    this.#slots[slot] = this.count
    this.#stamps[slot] = this.#generation
    this.count++
    if (this.count * 2 > this.#slots.length) this.#rehash()
    return this.count - 1
  }

  /** The member's index, or the complement of the free slot where it belongs. */
  #find(key: Buffer, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1
    const cells = this.#cells
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      if (this.#stamps[slot] !== this.#generation) return ~slot
      const at = this.#slots[slot]! * STRIDE
      if (cells[at + 6] !== hash || cells[at + 2]! - cells[at + 1]! !== end - start) continue
      if (sameBytes(this.#sources[cells[at]!]!, cells[at + 1]!, key, start, end)) return at / STRIDE
    }
  }

  #rehash(): void {
    const size = this.#slots.length * 2
    this.#slots = new Int32Array(size)
    this.#stamps = new Int32Array(size)
    this.#generation = 1
    for (let i = 0; i < this.count; i++) {
      let slot = this.#cells[i * STRIDE + 6]! & (size - 1)
      while (this.#stamps[slot] === 1) slot = (slot + 1) & (size - 1)
      this.#slots[slot] = i
      this.#stamps[slot] = 1
    }
  }

  #source(buffer: Buffer): number {
    const sources = this.#sources
    const count = this.#sourceCount
    // Only the newest few: a record of many escaped keys, each a buffer of its own, must not cost their square.
    const from = Math.max(0, count - NEWEST)
    for (let i = count - 1; i >= from; i--) if (sources[i] === buffer) return i
    if (sources[count] !== buffer) {
      sources[count] = buffer
      this.#views[count] = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
    }
    return this.#sourceCount++
  }
}

/** A key's raw JSON text, without quotes, in its one canonical spelling. */
export function canonicalKey(text: string): Buffer {
  return Buffer.from(JSON.stringify(text).slice(1, -1))
}

function sameBytes(a: Buffer, aStart: number, b: Buffer, bStart: number, bEnd: number): boolean {
  for (let i = bStart, j = aStart; i < bEnd; i++, j++) if (a[j] !== b[i]) return false
  return true
}

/**
 * Copies [start, end) to `to`, four bytes at a step, and returns the index behind; up to three bytes behind that are
 * written too. An event is short keys and values: this takes a twentieth off the time of mapping a record.
 */
function copyWords(from: DataView, start: number, end: number, into: DataView, to: number): number {
  const ahead = to - start
  let at = start
  const last = Math.min(end, from.byteLength - 3)
  for (; at < last; at += 4) into.setInt32(at + ahead, from.getInt32(at, true), true)
  for (; at < end; at++) into.setUint8(at + ahead, from.getUint8(at))
  return end + ahead
}
