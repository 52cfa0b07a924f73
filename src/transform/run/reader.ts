import { closeSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { damaged } from '../work-file.ts'
import {
  ENTRY_BYTES,
  ENTRY_DOUBLES,
  ENTRY_WORDS,
  LENGTH_WORD,
  type LineKind,
  lineKind,
  linesBytes,
  type Segment,
} from './frame.ts'

/**
 * Reads the index of one segment in order, a block at a time. Code `unavailable` at the latest after the last block if the
 * bytes are not those that were written: entries that were read before may be bent.
 */
export class SegmentReader {
  instant = 0
  seq = 0
  kind: LineKind = 0
  /** The current line is [start, end) of the segment's lines. */
  start = 0
  end = 0
  /** The current entry begins at word `at` of these, until the next call of `next`. */
  readonly words: Uint32Array
  at = 0
  /** The place of the segment among those that are merged. */
  readonly number: number
  readonly #doubles: Float64Array
  readonly #block: Buffer
  readonly #lines: number
  readonly #index: CheckedBytes
  /** Entries of the block that were not read yet: [next, filled). */
  #next = 0
  #filled = 0

  /** `block` has room for an entry or more, and is filled again and again. */
  constructor(path: string, segment: Segment, number: number, block: Buffer) {
    const entries = Math.floor(block.length / ENTRY_BYTES)
    const lines = linesBytes(segment)
    this.number = number
    this.words = new Uint32Array(block.buffer, block.byteOffset, entries * ENTRY_WORDS)
    this.#doubles = new Float64Array(block.buffer, block.byteOffset, entries * ENTRY_DOUBLES)
    this.#block = block.subarray(0, entries * ENTRY_BYTES)
    this.#lines = lines
    const { offset, bytes, linesCrc, crc } = segment
    this.#index = new CheckedBytes(path, {
      offset: offset + lines,
      bytes: bytes - lines,
      crc: linesCrc,
      wanted: crc,
    })
  }

  /** Moves to the next line; false after the last. */
  next(): boolean {
    if (this.#next === this.#filled) {
      if (this.#index.left === 0) return false
      this.#filled = this.#index.fill(this.#block) / ENTRY_BYTES
      this.#next = 0
    }
    const entry = this.#next++
    const at = entry * ENTRY_WORDS
    this.at = at
    this.instant = this.#doubles[entry * ENTRY_DOUBLES]!
    this.seq = this.#doubles[entry * ENTRY_DOUBLES + 1]!
    this.kind = lineKind(this.words, at)
    this.start = this.end
    this.end += this.words[at + LENGTH_WORD]!
    if (this.end > this.#lines) throw damaged(this.#index.path)
    return true
  }

  /** The current entry, until the next call of `next`. */
  get entry(): Buffer {
    return this.#block.subarray(this.at * 4, this.at * 4 + ENTRY_BYTES)
  }
}

interface CheckedRange {
  readonly offset: number
  readonly bytes: number
  /** The CRC-32 of what is before them, 0 if they stand alone. */
  readonly crc: number
  /** That at their end. */
  readonly wanted: number
}

/** Bytes of a run file, from first to last. Code `unavailable` when the last are read if they are not as they were written. */
export class CheckedBytes {
  readonly path: string
  #offset: number
  left: number
  #crc: number
  readonly #wanted: number

  constructor(path: string, { offset, bytes, crc, wanted }: CheckedRange) {
    this.path = path
    this.#offset = offset
    this.left = bytes
    this.#crc = crc
    this.#wanted = wanted
  }

  /**
   * Reads the next bytes into the block, as many as it holds; returns their number. Opens the file only meanwhile: a merge of
   * many runs must not run out of descriptors.
   */
  fill(block: Buffer): number {
    const size = Math.min(this.left, block.length)
    const fd = openSync(this.path, 'r')
    try {
      for (let at = 0; at < size; ) {
        const got = readSync(fd, block, at, size - at, this.#offset + at)
        if (got === 0) throw damaged(this.path)
        at += got
      }
    } finally {
      closeSync(fd)
    }
    this.#crc = crc32(block.subarray(0, size), this.#crc)
    this.#offset += size
    this.left -= size
    if (this.left === 0 && this.#crc !== this.#wanted) throw damaged(this.path)
    return size
  }
}
