import { ByteWriter } from '../record/byte-writer.ts'
import { addNotes, emptyNotes, type Notes } from '../record/notes.ts'
import { formatReject, type Reject } from '../record/reject.ts'
import { EventTable, type SourcePlace } from './event-table.ts'
import type { Place } from './place.ts'

const COMMA = 0x2c

/** What frames the events of every request; between the two stand event lines, joined by commas. */
export interface Envelope {
  readonly prefix: Buffer
  readonly suffix: Buffer
}

/** Where a record stood and what it looked like before it was completed. */
export interface Source extends SourcePlace {
  /** Undefined when the event's own bytes are the record. */
  readonly record: { readonly bytes: Buffer; readonly start: number; readonly end: number } | undefined
}

/** Records of one lane that are acknowledged together: the events of one request, and the rejects among them. */
export class Batch {
  readonly lane: number
  /** Rises with each change of day in the input: a batch waits until all of lower epochs are acknowledged. */
  readonly epoch: number
  /** Where its first record begins; all of the lane before that is in earlier batches. */
  readonly from: Place
  /** Rejects that reading found, in order. */
  readonly rejects: string[] = []
  readonly reasons: Record<string, number> = {}
  /** Events that happened a short while ago: the service may bill them as live ones. */
  young = 0
  /** Records left out on purpose, by reason. */
  readonly filtered: Record<string, number> = {}
  #filteredCount = 0
  notes: Notes | undefined
  #rejectBytes = 0
  /** What it was given to be written into. Nothing may be asked of the batch once another has it. */
  readonly buffers: BatchBuffers
  readonly #envelope: Envelope
  readonly #body: ByteWriter
  readonly #table: EventTable
  readonly #originals = new ByteWriter(0)
  #sealed = false
  #packed: Promise<Buffer> | undefined

  /** The owner of `buffers` may have them back once the batch is acknowledged. `from` is copied. */
  constructor(
    lane: number,
    epoch: number,
    from: Place,
    envelope: Envelope,
    buffers: BatchBuffers = newBuffers(),
  ) {
    this.lane = lane
    this.epoch = epoch
    this.from = { ...from }
    this.buffers = buffers
    this.#envelope = envelope
    this.#body = buffers.body
    this.#table = buffers.table
    this.#body.length = 0
    this.#table.clear()
    this.#body.copy(envelope.prefix, 0, envelope.prefix.length)
  }

  get events(): number {
    return this.#table.count
  }

  /** All that was read for it: events, rejects and what is left out. */
  get records(): number {
    return this.events + this.rejects.length + this.#filteredCount
  }

  /** Bytes of the request body when the batch is sealed as it is. */
  get bodyBytes(): number {
    return this.#sealed ? this.#body.length : this.#body.length + this.#envelope.suffix.length
  }

  /** Bytes the batch holds in memory, about. */
  get heldBytes(): number {
    return this.#body.length + this.#originals.length + this.#rejectBytes
  }

  /** Appends an event line. */
  add(bytes: Buffer, start: number, end: number, source: Source): void {
    if (this.events > 0) this.#body.byte(COMMA)
    const { record } = source
    if (record) this.#originals.copy(record.bytes, record.start, record.end)
    this.#table.add(this.#body.length, source, this.#originals.length)
    this.#body.copy(bytes, start, end)
  }

  /** Appends a record that will not be sent. */
  addReject(reject: Reject): void {
    const text = formatReject(reject)
    this.rejects.push(text)
    this.#rejectBytes += text.length
    this.reasons[reject.reason] = (this.reasons[reject.reason] ?? 0) + 1
  }

  /** Counts a record that is left out on purpose. */
  addFiltered(reason: string): void {
    this.filtered[reason] = (this.filtered[reason] ?? 0) + 1
    this.#filteredCount++
  }

  addNotes(notes: Notes): void {
    this.notes ??= emptyNotes()
    addNotes(this.notes, notes)
  }

  /** Closes the body; no event can be added after that. */
  seal(): void {
    this.#body.copy(this.#envelope.suffix, 0, this.#envelope.suffix.length)
    this.#sealed = true
  }

  /** The request body of events [first, last), framed anew when they are not all. */
  body(first = 0, last = this.events): Buffer {
    const whole = this.#body.bytes.subarray(0, this.#body.length)
    if (first === 0 && last === this.events) return whole
    const { prefix, suffix } = this.#envelope
    return Buffer.concat([prefix, whole.subarray(this.#table.start(first), this.#endOf(last - 1)), suffix])
  }

  /** The whole body packed; the work begins with the first call. */
  packed(pack: (body: Buffer) => Promise<Buffer>): Promise<Buffer> {
    if (!this.#packed) {
      this.#packed = pack(this.body())
      // Whoever waits for it meets the failure; a run that stops first has nobody who waits.
      this.#packed.catch(() => undefined)
    }
    return this.#packed
  }

  /** The reject that an event becomes when the service refuses it. */
  rejectOf(index: number, reason: string, message: string): Reject {
    const table = this.#table
    const { offset, line, file } = table.source(index)
    const originalEnd = table.originalEnd(index)
    const originalStart = index === 0 ? 0 : table.originalEnd(index - 1)
    const record =
      originalEnd > originalStart
        ? this.#originals.bytes.toString('utf8', originalStart, originalEnd)
        : this.#body.bytes.toString('utf8', table.start(index), this.#endOf(index))
    return { line, offset, reason, message, record, ...(file !== undefined && { file }) }
  }

  #endOf(index: number): number {
    return index + 1 < this.events
      ? this.#table.start(index + 1) - 1
      : this.#body.length - this.#envelope.suffix.length
  }
}

/** Memory that serves one batch after another. */
export interface BatchBuffers {
  readonly body: ByteWriter
  readonly table: EventTable
}

/** Fresh buffers, for a batch that has none to take over. */
export function newBuffers(): BatchBuffers {
  return { body: new ByteWriter(), table: new EventTable() }
}
