import type { Notes } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { MIB, MICROS_PER_DAY } from '../text/units.ts'
import { Batch, type BatchBuffers, type Envelope, newBuffers } from './batch.ts'
import { idOfLine } from './distinct-id.ts'
import type { LineReader } from './line-reader.ts'
import type { Place } from './place.ts'

/** The event line bytes[start, end), and its time in microseconds. */
type EventLine = Pick<LineReader, 'bytes' | 'start' | 'end' | 'source'> & {
  readonly head: Pick<LineReader['head'], 'instant'>
}

/** Of a request's body before gzip: the service takes 20 MiB even if gzip saves nothing. */
export const BATCH_BYTES = 8 * MIB

/** How large a batch may become. */
export interface BatchLimits {
  readonly events: number
  /** Of the request body, before gzip. */
  readonly bytes: number
  /** Events of one distinct_id; any number if left out. */
  readonly ofId?: number
}

interface BatcherOptions {
  readonly lanes: number
  readonly limits: BatchLimits
  readonly envelope: Envelope
  /** Events from this instant on (microseconds) are counted as young. */
  readonly youngFrom: number
}

/**
 * The most records in a batch that are not sent. Rejects take memory, and the checkpoint moves on only when a batch is
 * acknowledged.
 */
const MOST_UNSENT = 10_000

/** Gathers records into batches. A batch holds one lane and one UTC day, and keeps to the limits. */
export class Batcher {
  readonly #limits: BatchLimits
  readonly #around: Pick<BatcherOptions, 'envelope'>
  readonly #emit: (batch: Batch) => void
  readonly #youngFrom: number
  /** The batches that are still open, by lane. */
  readonly open: (Batch | undefined)[]
  #epoch = 0
  #day: number | undefined
  /** How often an event had an earlier day than the event before it. */
  daysBack = 0
  /** Buffers of acknowledged batches. New ones for every batch would be hundreds of MB to collect. */
  readonly #spare: BatchBuffers[] = []

  /** `emit` is called with each batch when it is closed. `around` is asked for the envelope of each new batch. */
  constructor(
    options: BatcherOptions,
    emit: (batch: Batch) => void,
    around: Pick<BatcherOptions, 'envelope'> = options,
  ) {
    const { lanes, limits, youngFrom } = options
    this.open = new Array<Batch | undefined>(lanes).fill(undefined)
    this.#limits = limits
    this.#around = around
    this.#youngFrom = youngFrom
    this.#emit = emit
  }

  /** Appends an event line. `at` and the line's source are copied. */
  event(lane: number, at: Place, line: EventLine, notes?: Notes): void {
    const { bytes, start, end, source } = line
    const { instant } = line.head
    const day = Math.floor(instant / MICROS_PER_DAY)
    if (day !== this.#day) {
      this.flush()
      if (this.#day !== undefined && day < this.#day) this.daysBack++
      this.#day = day
      this.#epoch++
    }
    const { ofId } = this.#limits
    const id = ofId === undefined ? 0 : idOfLine(bytes, start, end)
    const open = this.open[lane]
    const full =
      open &&
      ((ofId !== undefined && (open.ids.get(id) ?? 0) >= ofId) ||
        open.events >= this.#limits.events ||
        (open.events > 0 && open.bodyBytes + end - start + 1 > this.#limits.bytes) ||
        open.heldBytes > 2 * this.#limits.bytes + 16 * MIB)
    if (full) this.#close(lane)
    const batch = this.#of(lane, at)
    batch.add(bytes, start, end, source)
    if (ofId !== undefined) batch.ids.set(id, (batch.ids.get(id) ?? 0) + 1)
    if (instant >= this.#youngFrom) batch.young++
    if (notes) batch.addNotes(notes)
  }

  /** Appends a record that can't be sent. */
  reject(lane: number, at: Place, reject: Reject, notes?: Notes): void {
    const batch = this.#of(lane, at)
    batch.addReject(reject)
    this.#unsent(lane, batch, notes)
  }

  /** Counts a record that is left out on purpose. */
  filtered(lane: number, at: Place, reason: string, notes?: Notes): void {
    const batch = this.#of(lane, at)
    batch.addFiltered(reason)
    this.#unsent(lane, batch, notes)
  }

  /** Closes every open batch. */
  flush(): void {
    for (let lane = 0; lane < this.open.length; lane++) this.#close(lane)
  }

  /** Takes back the memory of an acknowledged batch, for another batch. */
  recycle(batch: Batch): void {
    this.#spare.push(batch.buffers)
  }

  #unsent(lane: number, batch: Batch, notes: Notes | undefined): void {
    if (notes) batch.addNotes(notes)
    const unsent = batch.records - batch.events
    if (unsent >= MOST_UNSENT || batch.heldBytes > this.#limits.bytes) this.#close(lane)
  }

  #of(lane: number, at: Place): Batch {
    const open = this.open[lane]
    if (open) return open
    const batch = new Batch(
      { lane, epoch: this.#epoch, from: at },
      this.#around.envelope,
      this.#spare.pop() ?? newBuffers(),
    )
    this.open[lane] = batch
    return batch
  }

  #close(lane: number): void {
    const batch = this.open[lane]
    if (!batch) return
    this.open[lane] = undefined
    batch.seal()
    this.#emit(batch)
  }
}
