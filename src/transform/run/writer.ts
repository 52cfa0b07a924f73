import type { ByteWriter } from '../../record/byte-writer.ts'
import { dayOf } from '../../record/time.ts'
import { MIB } from '../../units.ts'
import { RunFile } from './file.ts'
import { FRAME_HEAD, type LineKind, type Segment } from './frame.ts'

/** Event lines held in memory before they are sorted and written as a run. */
const RUN_BYTES = 8 * MIB

/** A day with this many bytes in a run has a file of its own, which is removed once the day is sealed. */
const ALONE_BYTES = MIB

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

  /** `name` is unique among the writers of a folder. Without a folder the lines are dropped. */
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

  /** Writes what is held as a run; call it at the end too. The file survives a kill, no power cut: see journal.ts. */
  flush(): void {
    if (this.#count > 0 && this.#folder !== undefined) this.#writeRun(this.#folder)
    this.#count = 0
    this.lines.length = 0
  }

  #writeRun(folder: string): void {
    const order = this.#order()
    const name = `${this.#name}-${this.#runs++}`
    const shared = new RunFile(folder, `${name}.run`, this.lines)
    for (let from = 0; from < this.#count; ) {
      const { day, to, bytes } = this.#dayFrom(from, order)
      const alone = bytes >= ALONE_BYTES
      const file = alone ? new RunFile(folder, `${name}-${day}.run`, this.lines) : shared
      if (alone) shared.drain()
      const offset = file.length
      for (let i = from; i < to; i++) this.#frame(file, order ? order[i]! : i)
      const crc = file.takeCrc()
      this.segments.push({ day, file: file.name, offset, bytes, crc, events: to - from, alone })
      if (alone) file.close()
      from = to
    }
    shared.close()
  }

  /** The day that begins at `from`: where it ends in the order, and the bytes of its frames. */
  #dayFrom(from: number, order: Uint32Array | undefined): { day: number; to: number; bytes: number } {
    const day = dayOf(this.#instants[order ? order[from]! : from]!)
    let bytes = 0
    let to = from
    for (; to < this.#count; to++) {
      const line = order ? order[to]! : to
      if (dayOf(this.#instants[line]!) !== day) break
      bytes += FRAME_HEAD + this.#ends[line]! - this.#startOf(line)
    }
    return { day, to, bytes }
  }

  #startOf(line: number): number {
    return line === 0 ? 0 : this.#ends[line - 1]!
  }

  #frame(file: RunFile, line: number): void {
    const from = this.#startOf(line)
    const to = this.#ends[line]!
    const at = file.add(FRAME_HEAD + to - from)
    const { bytes, words } = this.lines
    words.setFloat64(at, this.#instants[line]!, true)
    words.setFloat64(at + 8, this.#seqs[line]!, true)
    words.setUint8(at + 16, this.#kinds[line]!)
    words.setUint32(at + 17, to - from, true)
    bytes.copyWithin(at + FRAME_HEAD, from, to)
  }

  /** Line numbers in frame order; undefined when the lines came in that order, as most exports do. */
  #order(): Uint32Array | undefined {
    const [instants, seqs, kinds] = [this.#instants, this.#seqs, this.#kinds]
    const { bytes } = this.lines
    const compare = (a: number, b: number) =>
      instants[a]! - instants[b]! ||
      seqs[a]! - seqs[b]! ||
      kinds[a]! - kinds[b]! ||
      bytes.compare(bytes, this.#startOf(b), this.#ends[b], this.#startOf(a), this.#ends[a])
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
