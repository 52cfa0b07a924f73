import { join } from 'node:path'
import { KIB, MIB } from '../../units.ts'
import { BufferPool } from './buffer-pool.ts'
import type { Segment } from './frame.ts'
import { SegmentReader } from './reader.ts'

/** Memory for the blocks of all segments of one merge; a worker can have two merges under way. */
const MERGE_BYTES = 12 * MIB
const MIN_BLOCK = 16 * KIB
const MAX_BLOCK = MIB

/** Merges the segments of one day; `next` moves to the frame that is first by (instant, seq, kind, line). */
export class Merge {
  /** A heap: the reader with the first frame at its head. */
  readonly #heap: SegmentReader[] = []
  #started = false

  /** Owns the pool until the next merge is made in it. */
  constructor(folder: string, segments: readonly Segment[], pool: BufferPool = new BufferPool()) {
    pool.clear()
    const block = Math.max(MIN_BLOCK, Math.min(MAX_BLOCK, Math.floor(MERGE_BYTES / segments.length)))
    for (const segment of segments) {
      const reader = new SegmentReader(
        join(folder, segment.file),
        segment,
        pool.block(Math.min(block, segment.bytes)),
      )
      if (reader.next()) this.#heap.push(reader)
    }
    for (let i = (this.#heap.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  /** The reader at the next frame, or undefined after the last one. */
  next(): SegmentReader | undefined {
    const heap = this.#heap
    if (this.#started && heap.length > 0 && !heap[0]!.next()) {
      const last = heap.pop()!
      if (heap.length > 0) heap[0] = last
    }
    this.#started = true
    if (heap.length > 1) this.#sink(0)
    return heap[0]
  }

  #sink(from: number): void {
    const heap = this.#heap
    const reader = heap[from]!
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
  }
}

function before(a: SegmentReader, b: SegmentReader): boolean {
  if (a.instant !== b.instant) return a.instant < b.instant
  if (a.seq !== b.seq) return a.seq < b.seq
  if (a.kind !== b.kind) return a.kind < b.kind
  return a.bytes.compare(b.bytes, b.start, b.end, a.start, a.end) < 0
}
