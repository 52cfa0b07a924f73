import type { Segment } from './frame.ts'

/**
 * Words of 32 bits that a segment takes: its piece, the number of its file, offset, bytes, the two checksums, twice its events
 * and whether it is alone, and the segment of the same day that was added before it. Segments are in blocks.
 */
const WORDS = 8
const BLOCK = 4096
const NONE = 0xffff_ffff

/**
 * The segments of a whole transform, by day. Each piece of the work has one for every day it met, so a history of 3,000 days
 * has half a million: as objects they take 160 bytes each, here 32.
 */
export class SegmentTable {
  /** Bytes of all segments. */
  bytes = 0
  readonly #blocks: Uint32Array[] = []
  #count = 0
  /** Names of files. Those that follow each other are mostly the same. */
  readonly #files: string[] = []
  readonly #days = new Map<number, { events: number; last: number }>()

  /** Adds the segments of a piece. Each piece once, in any order: its number is its place among the others. */
  add(piece: number, segments: readonly Segment[]): void {
    for (const segment of segments) this.#addOne(piece, segment)
  }

  /** All days, in order. */
  get days(): number[] {
    return [...this.#days.keys()].sort((a, b) => a - b)
  }

  /** How many events a day has. */
  eventsOf(day: number): number {
    return this.#days.get(day)?.events ?? 0
  }

  /** A day's segments: those of the first piece first, each piece's in its own order. */
  of(day: number): Segment[] {
    const found: { readonly piece: number; readonly segment: Segment }[] = []
    for (let row = this.#days.get(day)?.last ?? NONE; row !== NONE; ) {
      const words = this.#blocks[Math.floor(row / BLOCK)]!
      const at = (row % BLOCK) * WORDS
      const doubled = words[at + 6]!
      const segment = {
        day,
        file: this.#files[words[at + 1]!]!,
        offset: words[at + 2]!,
        bytes: words[at + 3]!,
        crc: words[at + 4]!,
        linesCrc: words[at + 5]!,
        events: doubled >>> 1,
        alone: (doubled & 1) === 1,
      }
      found.push({ piece: words[at]!, segment })
      row = words[at + 7]!
    }
    // They were found from the last to the first, and the sort keeps the order of those of one piece.
    return found
      .reverse()
      .sort((a, b) => a.piece - b.piece)
      .map(({ segment }) => segment)
  }

  #addOne(piece: number, { day, file, offset, bytes, crc, linesCrc, events, alone }: Segment): void {
    const known = this.#days.get(day)
    if (this.#files.at(-1) !== file) this.#files.push(file)
    const row = this.#count++
    if (row % BLOCK === 0) this.#blocks.push(new Uint32Array(BLOCK * WORDS))
    // A run is of 8 MiB and a line, and has no more than 32,768 lines: sizes and the doubled number of events fit into a word.
    const words = this.#blocks.at(-1)!
    const at = (row % BLOCK) * WORDS
    words[at] = piece
    words[at + 1] = this.#files.length - 1
    words[at + 2] = offset
    words[at + 3] = bytes
    words[at + 4] = crc
    words[at + 5] = linesCrc
    words[at + 6] = 2 * events + (alone ? 1 : 0)
    words[at + 7] = known?.last ?? NONE
    this.#days.set(day, { events: (known?.events ?? 0) + events, last: row })
    this.bytes += bytes
  }
}
