import type { ByteWriter } from '../../record/byte-writer.ts'
import { dayOf } from '../../record/time.ts'
import { MIB } from '../../units.ts'
import { RunFile } from './file.ts'
import { FRAME_HEAD, type LineKind, type Segment } from './frame.ts'
import { inOrder, MOST_FRAMES } from './frame-order.ts'

/** Event lines held in memory before they are sorted and written as a run. */
const RUN_BYTES = 8 * MIB

/** A day with this many bytes in a run has a file of its own, which is removed once the day is sealed. */
const ALONE_BYTES = MIB

/** Where the frames in memory are: a megabyte that each writer of a worker uses again. */
export class FrameTable {
  readonly instants = new Float64Array(MOST_FRAMES)
  readonly starts = new Uint32Array(MOST_FRAMES + 1)
}

/** Collects event lines in any order and writes them as sorted run files. */
export class RunWriter {
  /** Lines are appended here, each closed by `add`. Before each is room for the head of its frame. */
  readonly lines: ByteWriter
  readonly segments: Segment[] = []
  readonly #folder: string | undefined
  readonly #name: string
  #runs = 0
  #count = 0
  readonly #instants: Float64Array
  /** Where each frame begins in `lines`; the last entry is where the next one will. */
  readonly #starts: Uint32Array

  /**
   * `name` is unique among the writers of a folder. Without a folder the lines are dropped. Only one writer at a time has
   * `lines` and the table.
   */
  constructor(
    folder: string | undefined,
    name: string,
    lines: ByteWriter,
    { instants, starts }: FrameTable = new FrameTable(),
  ) {
    this.#instants = instants
    this.#starts = starts
    this.#folder = folder
    this.#name = name
    this.lines = lines
    this.#clear()
  }

  /** Takes what was appended to `lines` since the last call as one event line. */
  add(instant: number, seq: number, kind: LineKind): void {
    const { lines } = this
    const { words, length } = lines
    const start = this.#starts[this.#count]!
    words.setFloat64(start, instant, true)
    words.setFloat64(start + 8, seq, true)
    words.setUint8(start + 16, kind)
    words.setUint32(start + 17, length - start - FRAME_HEAD, true)
    this.#instants[this.#count++] = instant
    this.#starts[this.#count] = length
    if (length >= RUN_BYTES || this.#count === MOST_FRAMES) this.flush()
    else this.#reserveHead()
  }

  /** Writes what is held as a run; call it at the end too. The file survives a kill, no power cut: see journal.ts. */
  flush(): void {
    if (this.#count > 0 && this.#folder !== undefined) this.#writeRun(this.#folder)
    this.#clear()
  }

  #clear(): void {
    this.#count = 0
    this.lines.length = 0
    this.#reserveHead()
  }

  #reserveHead(): void {
    this.lines.ensure(FRAME_HEAD)
    this.lines.length += FRAME_HEAD
  }

  #writeRun(folder: string): void {
    const name = `${this.#name}-${this.#runs++}`
    const shared = new RunFile(folder, `${name}.run`, this.lines)
    for (const [day, frames] of this.#byDay()) {
      const bytes = this.#bytesOf(frames)
      const alone = bytes >= ALONE_BYTES
      const file = alone ? new RunFile(folder, `${name}-${day}.run`, this.lines) : shared
      if (alone) shared.drain()
      const offset = file.length
      this.#addFrames(file, inOrder(day, frames, this.#instants, this.#starts, this.lines))
      const crc = file.takeCrc()
      this.segments.push({ day, file: file.name, offset, bytes, crc, events: frames.length, alone })
      if (alone) file.close()
    }
    shared.close()
  }

  /** The numbers of each day's frames, the days in order. */
  #byDay(): Array<[number, number[]]> {
    const days = new Map<number, number[]>()
    for (let frame = 0; frame < this.#count; frame++) {
      const day = dayOf(this.#instants[frame]!)
      const frames = days.get(day)
      if (frames) frames.push(frame)
      else days.set(day, [frame])
    }
    return [...days].sort(([a], [b]) => a - b)
  }

  /** Apart from `#writeRun`: this loop would make all of that hot, to be compiled again and again with what it calls. */
  #bytesOf(frames: readonly number[]): number {
    let bytes = 0
    for (const frame of frames) bytes += this.#starts[frame + 1]! - this.#starts[frame]!
    return bytes
  }

  /** Adds frames in this order: those that follow each other in `lines` too, as one piece. */
  #addFrames(file: RunFile, order: Uint32Array): void {
    for (let i = 0; i < order.length; ) {
      const first = order[i]!
      let next = first + 1
      while (++i < order.length && order[i] === next) next++
      file.add(this.#starts[first]!, this.#starts[next]!)
    }
  }
}
