import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { damaged } from '../work-file.ts'
import { FRAME_HEAD, type LineKind, type Segment } from './frame.ts'

/**
 * Reads the frames of one segment in order, a block at a time. Code `unavailable` at the latest after the last block if
 * the bytes are not those that were written: frames that were read before may be bent.
 */
export class SegmentReader {
  instant = 0
  seq = 0
  kind: LineKind = 0
  /** The current line is `bytes[start, end)`, until the next call of `next`. */
  bytes: Buffer
  #words: DataView
  start = 0
  end = 0
  readonly #path: string
  #offset: number
  #left: number
  readonly #wanted: number
  #crc = 0
  /** Bytes of `bytes` that hold frames not yet read: [at, filled). */
  #at = 0
  #filled = 0

  /** `block` is filled again and again; a larger frame gets a block of its own. */
  constructor(path: string, segment: Segment, block: Buffer) {
    this.#path = path
    this.#offset = segment.offset
    this.#left = segment.bytes
    this.#wanted = segment.crc
    this.bytes = block
    this.#words = viewOf(block)
  }

  /** Moves to the next frame; false after the last. */
  next(): boolean {
    if (!this.#have(FRAME_HEAD)) return false
    const words = this.#words
    const at = this.#at
    this.instant = words.getFloat64(at, true)
    this.seq = words.getFloat64(at + 8, true)
    this.kind = words.getUint8(at + 16) as LineKind
    const length = words.getUint32(at + 17, true)
    // Asked first: room for a length that is none could be 4 GB.
    if (length > this.#left + this.#filled - at) throw damaged(this.#path)
    if (!this.#have(FRAME_HEAD + length)) throw damaged(this.#path)
    this.start = this.#at + FRAME_HEAD
    this.end = this.start + length
    this.#at = this.end
    return true
  }

  #have(needed: number): boolean {
    if (this.#filled - this.#at >= needed) return true
    if (this.#left === 0) return false
    const rest = this.#filled - this.#at
    const size = Math.max(this.bytes.length, needed)
    if (size > this.bytes.length) {
      const larger = Buffer.allocUnsafe(size)
      this.bytes.copy(larger, 0, this.#at, this.#filled)
      this.bytes = larger
      this.#words = viewOf(larger)
    } else this.bytes.copyWithin(0, this.#at, this.#filled)
    this.#at = 0
    this.#filled = rest
    this.#fill()
    return this.#filled >= needed
  }

  /** Opens the file only while it reads a block: a merge of many runs must not run out of descriptors. */
  #fill(): void {
    const fd = openSync(this.#path, 'r')
    try {
      while (this.#left > 0 && this.#filled < this.bytes.length) {
        const wanted = Math.min(this.#left, this.bytes.length - this.#filled)
        const got = readSync(fd, this.bytes, this.#filled, wanted, this.#offset)
        if (got === 0) throw damaged(this.#path)
        this.#crc = crc32(this.bytes.subarray(this.#filled, this.#filled + got), this.#crc)
        this.#filled += got
        this.#offset += got
        this.#left -= got
      }
    } finally {
      closeSync(fd)
    }
    if (this.#left === 0 && this.#crc !== this.#wanted) throw damaged(this.#path)
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}
