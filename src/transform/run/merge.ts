import { join } from 'node:path'
import { compareUuids } from '../../record/uuid.ts'
import { KIB, MIB } from '../../text/units.ts'
import { BufferPool } from './buffer-pool.ts'
import { ENTRY_BYTES, KEY_WORD, type Segment } from './frame.ts'
import { SegmentReader } from './reader.ts'

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
