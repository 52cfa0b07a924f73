import { join } from 'node:path'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { compareUuids } from '../../record/uuid.ts'
import { KIB, MIB } from '../../text/units.ts'
import { damaged } from '../work-file.ts'
import { BufferPool } from './buffer-pool.ts'
import { ENTRY_BYTES, KEY_WORD, linesBytes, type Segment } from './frame.ts'
import { CheckedBytes, SegmentReader } from './reader.ts'

/** Memory for the blocks of all segments of one merge; a worker can have two merges under way. */
const MERGE_BYTES = 12 * MIB
const MIN_BLOCK = 16 * KIB
const MAX_BLOCK = MIB
/** About how many bytes of lines there are for a byte of their index. */
const LINES_TO_INDEX = 8

/** Merges the indexes of one day's segments; `next` moves to the line that is first by (instant, seq, kind, uuid). */
export class Merge {
  readonly pool: BufferPool
  /** What a block of lines should have. */
  readonly blockBytes: number
  /** A heap: the reader with the first line at its head. */
  readonly #heap: SegmentReader[] = []
  /** Of all others, the reader with the first line: until that is passed, the head stays. */
  #second: SegmentReader | undefined
  #started = false

  /** Owns the pool until the next merge is made in it. */
  constructor(folder: string, segments: readonly Segment[], pool: BufferPool = new BufferPool()) {
    pool.clear()
    this.pool = pool
    this.blockBytes = Math.max(MIN_BLOCK, Math.min(MAX_BLOCK, Math.floor(MERGE_BYTES / segments.length)))
    const indexBytes = Math.floor(this.blockBytes / LINES_TO_INDEX)
    for (const [number, segment] of segments.entries()) {
      const block = pool.block(Math.min(indexBytes, segment.events * ENTRY_BYTES))
      const reader = new SegmentReader(join(folder, segment.file), segment, number, block)
      if (reader.next()) this.#heap.push(reader)
    }
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  /** The reader at the next line, or undefined after the last one. */
  next(): SegmentReader | undefined {
    const heap = this.#heap
    const first = heap[0]
    if (this.#started && first) {
      if (!first.next()) {
        const last = heap.pop()!
        if (heap.length > 0) heap[0] = last
        this.#sink(0)
      } else if (this.#second && before(this.#second, first)) this.#sink(0)
    }
    this.#started = true
    return heap[0]
  }

  #sink(from: number): void {
    const heap = this.#heap
    const reader = heap[from]
    if (!reader) return
    let at = from
    for (;;) {
      let child = at * 2 + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++
      if (!before(heap[child]!, reader)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = reader
    this.#second = heap.length > 2 && before(heap[2]!, heap[1]!) ? heap[2] : heap[1]
  }
}

function before(a: SegmentReader, b: SegmentReader): boolean {
  if (a.instant !== b.instant) return a.instant < b.instant
  if (a.seq !== b.seq) return a.seq < b.seq
  if (a.kind !== b.kind) return a.kind < b.kind
  return compareUuids(a.words, a.at + KEY_WORD, b.words, b.at + KEY_WORD) < 0
}

/**
 * Copies merged lines into `out`: those that follow each other in a segment too, as one stretch. Code `unavailable`, at the
 * latest when `finish` is called, if the lines are not those that were written.
 */
export class LineCopy {
  readonly #out: ByteWriter
  readonly #lines: readonly SegmentLines[]
  /** The stretch that was added last, and is not copied yet: [from, to) of a segment's lines. */
  #number = 0
  #from = 0
  #to = 0

  /** Takes its blocks from the pool of the merge, and has them as long as that. */
  constructor(
    folder: string,
    segments: readonly Segment[],
    { pool, blockBytes }: Pick<Merge, 'pool' | 'blockBytes'>,
    out: ByteWriter,
  ) {
    this.#out = out
    this.#lines = segments.map((segment) => {
      const block = pool.block(Math.min(blockBytes, linesBytes(segment)))
      return new SegmentLines(join(folder, segment.file), segment, block)
    })
  }

  /** The bytes of `out`, once all that was added is copied. */
  get length(): number {
    return this.#out.length + this.#to - this.#from
  }

  /** Adds the reader's current line. */
  add({ number, start, end }: Pick<SegmentReader, 'number' | 'start' | 'end'>): void {
    if (start !== this.#to || number !== this.#number) {
      this.flush()
      this.#number = number
      this.#from = start
    }
    this.#to = end
  }

  flush(): void {
    if (this.#from === this.#to) return
    this.#lines[this.#number]!.copy(this.#from, this.#to, this.#out)
    this.#from = this.#to
  }

  /** Copies what was added, and checks lines that nobody wanted too. */
  finish(): void {
    this.flush()
    for (const lines of this.#lines) lines.finish()
  }
}

/** The lines of one segment, from first to last, a block at a time. */
class SegmentLines {
  readonly #bytes: CheckedBytes
  /** It holds [from, from + filled) of the lines. */
  readonly #block: Buffer
  #from = 0
  #filled = 0

  constructor(path: string, segment: Segment, block: Buffer) {
    const { offset, linesCrc } = segment
    this.#bytes = new CheckedBytes(path, { offset, bytes: linesBytes(segment), crc: 0, wanted: linesCrc })
    this.#block = block
  }

  /** Appends [from, to) of the lines; no call may go back. */
  copy(from: number, to: number, out: ByteWriter): void {
    for (let at = from; at < to; ) {
      while (at >= this.#from + this.#filled) this.#fill()
      const end = Math.min(this.#from + this.#filled, to)
      out.copy(this.#block, at - this.#from, end - this.#from)
      at = end
    }
  }

  finish(): void {
    while (this.#bytes.left > 0) this.#fill()
  }

  #fill(): void {
    if (this.#bytes.left === 0) throw damaged(this.#bytes.path)
    this.#from += this.#filled
    this.#filled = this.#bytes.fill(this.#block)
  }
}
