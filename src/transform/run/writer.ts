import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { dayOf } from '../../record/time.ts'
import { ByteWriter } from '../../record/writer.ts'
import { FRAME_HEAD, type LineKind, type Segment } from './frame.ts'

/** Event lines held in memory before they are sorted and written as a run. */
const RUN_BYTES = 24 * 1024 * 1024

const INITIAL_LINES = 16 * 1024

/** Collects event lines in any order and writes them as sorted run files. */
export class RunWriter {
  /** Lines are appended here, each closed by `add`. */
  readonly lines: ByteWriter
  readonly segments: Segment[] = []
  readonly #folder: string | undefined
  readonly #name: string
  #runs = 0
  #count = 0
  #instants = new Float64Array(INITIAL_LINES)
  #seqs = new Float64Array(INITIAL_LINES)
  #kinds = new Uint8Array(INITIAL_LINES)
  /** Where each line ends in `lines`; it begins where the one before ends. */
  #ends = new Float64Array(INITIAL_LINES)

  /** `name` is unique among the writers of a folder. Without a folder the lines are let go. */
  constructor(folder: string | undefined, name: string, lines: ByteWriter) {
    this.#folder = folder
    this.#name = name
    this.lines = lines
  }

  /** Takes what was appended to `lines` since the last call as one event line. */
  add(instant: number, seq: number, kind: LineKind): void {
    if (this.#count === this.#instants.length) this.#grow()
    const at = this.#count++
    this.#instants[at] = instant
    this.#seqs[at] = seq
    this.#kinds[at] = kind
    this.#ends[at] = this.lines.length
    if (this.lines.length >= RUN_BYTES) this.flush()
  }

  /** Writes what is held as a run; call it once more at the end. A kill can't take it away; a power cut can, see journal.ts. */
  flush(): void {
    if (this.#count > 0 && this.#folder !== undefined) this.#writeFile(this.#folder)
    this.#count = 0
    this.lines.length = 0
  }

  #writeFile(folder: string): void {
    const file = `${this.#name}-${this.#runs++}.run`
    const fd = openSync(join(folder, file), 'w')
    try {
      this.#writeRun(fd, file)
    } finally {
      closeSync(fd)
    }
  }

  #writeRun(fd: number, file: string): void {
    const order = this.#order()
    const out = new ByteWriter(1 << 20)
    let written = 0
    let day = Number.NaN
    let [start, events] = [0, 0]
    for (let i = 0; i < this.#count; i++) {
      const line = order ? order[i]! : i
      const lineDay = dayOf(this.#instants[line]!)
      if (lineDay !== day) {
        const at = written + out.length
        if (events > 0) this.segments.push({ day, file, offset: start, bytes: at - start, events })
        ;[day, start, events] = [lineDay, at, 0]
      }
      events++
      this.#frame(out, line)
      if (out.length >= 1 << 20) {
        written += writeAll(fd, out.bytes, out.length)
        out.length = 0
      }
    }
    written += writeAll(fd, out.bytes, out.length)
    this.segments.push({ day, file, offset: start, bytes: written - start, events })
  }

  #frame(out: ByteWriter, line: number): void {
    const from = line === 0 ? 0 : this.#ends[line - 1]!
    const to = this.#ends[line]!
    out.ensure(FRAME_HEAD)
    let at = out.bytes.writeDoubleLE(this.#instants[line]!, out.length)
    at = out.bytes.writeDoubleLE(this.#seqs[line]!, at)
    out.bytes[at] = this.#kinds[line]!
    out.length = out.bytes.writeUInt32LE(to - from, at + 1)
    out.copy(this.lines.bytes, from, to)
  }

  /** Line numbers in frame order; undefined when the lines came in that order, as most exports do. */
  #order(): Uint32Array | undefined {
    const [instants, seqs, kinds] = [this.#instants, this.#seqs, this.#kinds]
    const compare = (a: number, b: number) =>
      instants[a]! - instants[b]! || seqs[a]! - seqs[b]! || kinds[a]! - kinds[b]!
    let sorted = true
    for (let i = 1; i < this.#count && sorted; i++) sorted = compare(i - 1, i) <= 0
    if (sorted) return undefined
    const order = new Uint32Array(this.#count)
    for (let i = 0; i < order.length; i++) order[i] = i
    return order.sort(compare)
  }

  #grow(): void {
    const size = this.#instants.length * 2
    const larger = <T extends Float64Array | Uint8Array>(from: T, to: T): T => {
      to.set(from)
      return to
    }
    this.#instants = larger(this.#instants, new Float64Array(size))
    this.#seqs = larger(this.#seqs, new Float64Array(size))
    this.#ends = larger(this.#ends, new Float64Array(size))
    this.#kinds = larger(this.#kinds, new Uint8Array(size))
  }
}

function writeAll(fd: number, bytes: Buffer, length: number): number {
  for (let at = 0; at < length; ) at += writeSync(fd, bytes, at, length - at)
  return length
}
