import { KIB, MIB } from '../text/units.ts'

/** Receives framed lines. `bytes` is valid only during the call: copy what must outlive it. */
export interface LineSink {
  /** One line without its line end. `offset` is the place of its first byte in the stream, `number` counts from 1. */
  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void
  /** A line over the cap: skipped without being held. `length` is its size in bytes. */
  tooLong(offset: number, length: number, number: number): void
}

/** A place between two lines of a stream: the byte offset and the number (from 1) of the line that begins there. */
export interface LinePlace {
  readonly offset: number
  readonly number: number
}

/** The longest line that is read, in bytes with its CR: far more than the service takes, far less than memory holds. */
export const MAX_LINE_BYTES = 16 * MIB

const LF = 0x0a
const CR = 0x0d

/**
 * Cuts a byte stream into lines at 0x0A alone: U+2028 stays inside its record. A byte order mark at the stream's
 * start, CR before LF and blank lines are cut away. Holds at most one line of `maxBytes`.
 */
export class LineFramer {
  readonly #sink: LineSink
  readonly #maxBytes: number
  /** The beginning of a line whose end has not come yet; its bytes are the first #heldLength of it. */
  #held: Buffer = Buffer.alloc(0)
  #heldLength = 0
  /** Bytes of an overlong line seen so far; 0 when the line is of ordinary length. */
  #skipped = 0
  #lineOffset: number
  #number: number
  #position: number

  /** `from` is the place of the first byte pushed, for readers that start inside a file. */
  constructor(sink: LineSink, maxBytes: number = MAX_LINE_BYTES, from: LinePlace = { offset: 0, number: 1 }) {
    this.#sink = sink
    this.#maxBytes = maxBytes
    this.#position = from.offset
    this.#lineOffset = from.offset
    this.#number = from.number
  }

  /** Where the first line begins that is not delivered yet. Another reader can go on from there. */
  get next(): LinePlace {
    return { offset: this.#lineOffset, number: this.#number }
  }

  /** True when the stream so far ends inside a line. */
  get torn(): boolean {
    return this.#lineOffset !== this.#position
  }

  push(chunk: Buffer): void {
    let start = 0
    for (;;) {
      const end = chunk.indexOf(LF, start)
      if (end === -1) break
      if (this.#heldLength > 0 || this.#skipped > 0) this.#finish(chunk, start, end)
      else this.#deliver(chunk, start, end)
      start = end + 1
      this.#lineOffset = this.#position + start
      this.#number++
    }
    this.#hold(chunk, start)
    this.#position += chunk.length
  }

  /** Delivers the last line when the stream does not end in LF. Text appended later still belongs to its number. */
  end(): void {
    if (this.torn) this.#finish(Buffer.alloc(0), 0, 0)
    this.#lineOffset = this.#position
  }

  #finish(chunk: Buffer, start: number, end: number): void {
    this.#hold(chunk.subarray(0, end), start)
    const { length, skipped } = { length: this.#heldLength, skipped: this.#skipped }
    this.#heldLength = 0
    this.#skipped = 0
    if (skipped > 0) this.#sink.tooLong(this.#lineOffset, skipped, this.#number)
    else this.#deliver(this.#held, 0, length)
  }

  #hold(chunk: Buffer, start: number): void {
    const length = chunk.length - start
    if (length <= 0) return
    const total = this.#heldLength + length
    if (this.#skipped > 0 || total > this.#maxBytes) {
      this.#skipped = (this.#skipped || this.#heldLength) + length
      this.#heldLength = 0
      return
    }
    if (this.#held.length < total) {
      const grown = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(total * 2, 64 * KIB)))
      this.#held.copy(grown, 0, 0, this.#heldLength)
      this.#held = grown
    }
    chunk.copy(this.#held, this.#heldLength, start)
    this.#heldLength = total
  }

  #deliver(bytes: Buffer, start: number, end: number): void {
    // With its CR, as #hold measures: a line's length must not depend on where the stream is cut into chunks.
    if (end - start > this.#maxBytes) {
      this.#sink.tooLong(this.#lineOffset, end - start, this.#number)
      return
    }
    let first = start
    let last = end
    if (
      this.#lineOffset === 0 &&
      bytes[first] === 0xef &&
      bytes[first + 1] === 0xbb &&
      bytes[first + 2] === 0xbf
    ) {
      first += 3
    }
    if (last > first && bytes[last - 1] === CR) last--
    if (!isBlank(bytes, first, last)) this.#sink.line(bytes, first, last, this.#lineOffset, this.#number)
  }
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== CR) return false
  }
  return true
}
