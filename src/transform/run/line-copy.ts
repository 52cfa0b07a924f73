import { join } from 'node:path'
import type { ByteWriter } from '../../record/byte-writer.ts'
import { damaged } from '../work-file.ts'
import { linesBytes, type Segment } from './frame.ts'
import type { Merge } from './merge.ts'
import { CheckedBytes, type SegmentReader } from './reader.ts'

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

  /** Copies what was added. */
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
