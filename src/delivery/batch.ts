import { ByteWriter } from '../record/byte-writer.ts'
import { headUuid } from '../record/head.ts'
import { addNotes, countOne, emptyNotes, type Notes } from '../record/notes.ts'
import { formatReject, type Reject } from '../record/reject.ts'
import { type IdCounts, idOfLine } from './distinct-id.ts'
import { EventTable, type SourcePlace } from './event-table.ts'
import type { Place } from './place.ts'
import { V1Form } from './v1-form.ts'

const COMMA = 0x2c

/** The bytes before and after the events of every request. The event lines go between them, joined by commas. */
export interface Envelope {
  readonly prefix: Buffer
  readonly suffix: Buffer
  /** The events are written in the form of Capture V1. */
  readonly inV1Form?: true
}

/** Where a record is in the input, and its bytes before the mapper changed them. */
export interface BatchSource extends SourcePlace {
  /** Undefined when the event's own bytes are the record. */
  readonly record: { readonly bytes: Buffer; readonly start: number; readonly end: number } | undefined
}

/** Where a batch stands among the others. */
interface BatchPlace {
  readonly lane: number
  /** Rises with each change of day in the input. A batch waits until all batches of lower epochs are acknowledged. */
  readonly epoch: number
  /** Where its first record begins. The lane's records before that place are in earlier batches. */
  readonly from: Place
}

/**
 * Records of one lane that are acknowledged together: the events of one request, and the records between them that are
 * rejected or left out.
 */
export class Batch implements BatchPlace {
  readonly lane: number
  readonly epoch: number
  readonly from: Place
  /** The rejects found while reading, as lines of the rejects file, in order. */
  readonly rejects: string[] = []
  readonly reasons: Record<string, number> = {}
  /** Events so recent that the service may bill them as live ones. */
  young = 0
  /** Records left out on purpose, by reason. */
  readonly filtered: Record<string, number> = {}
  #filteredCount = 0
  notes: Notes | undefined
  /** How many of its events each distinct_id has, by the hash of the id. Empty where no cap is kept for ids. */
  readonly ids = new Map<number, number>()
  #rejectBytes = 0
  /** The memory the batch is written into. The batch must not be used after its buffers go to another. */
  readonly buffers: BatchBuffers
  readonly #envelope: Envelope
  readonly #body: ByteWriter
  readonly #table: EventTable
  readonly #originals = new ByteWriter(0)
  /** Of a batch whose events are in the form of Capture V1; undefined if they are lines. */
  readonly v1Form: V1Form | undefined
  #sealed = false
  #packed: Promise<Buffer> | undefined

  /** `buffers` can be reused once the batch is acknowledged. `from` is copied. */
  constructor({ lane, epoch, from }: BatchPlace, envelope: Envelope, buffers: BatchBuffers = newBuffers()) {
    this.lane = lane
    this.epoch = epoch
    this.from = { ...from }
    this.buffers = buffers
    this.#envelope = envelope
    this.#body = buffers.body
    this.#table = buffers.table
    this.#body.length = 0
    this.#table.clear()
    if (envelope.inV1Form) {
      this.v1Form = buffers.v1Form ??= new V1Form()
      this.v1Form.begin(this.#body)
    }
    this.#body.copy(envelope.prefix, 0, envelope.prefix.length)
  }

  get events(): number {
    return this.#table.count
  }

  /** All records read into the batch: events, rejects and those left out on purpose. */
  get records(): number {
    return this.events + this.rejects.length + this.#filteredCount
  }

  /** Bytes of the request body if the batch were sealed now. */
  get bodyBytes(): number {
    return this.#sealed ? this.#body.length : this.#body.length + this.#envelope.suffix.length
  }

  /** Bytes the batch holds in memory, roughly. */
  get heldBytes(): number {
    return this.#body.length + this.#originals.length + this.#rejectBytes
  }

  /** Appends an event line. */
  add(bytes: Buffer, start: number, end: number, source: BatchSource): void {
    if (this.events > 0) this.#body.byte(COMMA)
    const { record } = source
    if (record) this.#originals.copy(record.bytes, record.start, record.end)
    this.#table.add(this.#body.length, source, this.#originals.length)
    if (this.v1Form) this.v1Form.add(this.events - 1, bytes, start, end)
    else this.#body.copy(bytes, start, end)
  }

  /** Appends a record that will not be sent. */
  addReject(reject: Reject): void {
    const text = formatReject(reject)
    this.rejects.push(text)
    this.#rejectBytes += text.length
    countOne(this.reasons, reject.reason)
  }

  /** Counts a record that is left out on purpose. */
  addFiltered(reason: string): void {
    countOne(this.filtered, reason)
    this.#filteredCount++
  }

  addNotes(notes: Notes): void {
    this.notes ??= emptyNotes()
    addNotes(this.notes, notes)
  }

  /** Closes the body. No event can be added after that. */
  seal(): void {
    this.#body.copy(this.#envelope.suffix, 0, this.#envelope.suffix.length)
    this.#sealed = true
  }

  /** The request body of events [first, last). A part of the batch gets an envelope of its own. */
  body(first = 0, last = this.events): Buffer {
    const whole = this.#body.bytes.subarray(0, this.#body.length)
    if (first === 0 && last === this.events) return whole
    const { prefix, suffix } = this.#envelope
    return Buffer.concat([prefix, whole.subarray(this.#table.start(first), this.endOf(last - 1)), suffix])
  }

  /** The whole body packed. The first call starts the work; later calls share its result. */
  packed(pack: (body: Buffer) => Promise<Buffer>): Promise<Buffer> {
    if (!this.#packed) {
      this.#packed = pack(this.body())
      // If the run stops first, no one awaits this promise, and its failure must not end the process.
      this.#packed.catch(() => undefined)
    }
    return this.#packed
  }

  /** The reject of an event that the service refuses. */
  rejectOf(index: number, reason: string, message: string): Reject {
    const table = this.#table
    const { offset, line, file } = table.source(index)
    const originalEnd = table.originalEnd(index)
    const originalStart = index === 0 ? 0 : table.originalEnd(index - 1)
    const record =
      originalEnd > originalStart
        ? this.#originals.bytes.toString('utf8', originalStart, originalEnd)
        : this.textOf(index)
    return { line, offset, reason, message, record, ...(file !== undefined && { file }) }
  }

  /** Where the record of an event is. */
  sourceOf(index: number): SourcePlace {
    return this.#table.source(index)
  }

  /** The line of an event. */
  textOf(index: number): string {
    return this.#lineOf(index).toString('utf8')
  }

  #lineOf(index: number): Buffer {
    const { bytes } = this.#body
    const [start, end] = [this.startOf(index), this.endOf(index)]
    return this.v1Form?.lineOf(index, bytes, start, end) ?? bytes.subarray(start, end)
  }

  /** The same of some of its events. */
  idsOf(indexes: Iterable<number>): IdCounts {
    const ids = new Map<number, number>()
    if (this.ids.size === 0) return ids
    const { bytes } = this.#body
    for (const index of indexes) {
      const id = idOfLine(bytes, this.startOf(index), this.endOf(index))
      ids.set(id, (ids.get(id) ?? 0) + 1)
    }
    return ids
  }

  /** The uuid of an event, as its line has it. */
  uuidOf(index: number): string {
    return headUuid(this.#body.bytes, this.startOf(index))
  }

  /** The event lines, or their forms, with other bytes before and after them. `startOf` and `endOf` are indexes into them. */
  get lines(): ByteWriter {
    return this.#body
  }

  /** Index of the first byte of an event's line. */
  startOf(index: number): number {
    return this.#table.start(index)
  }

  /** A batch of one of the events, in other memory. */
  only(index: number, buffers: BatchBuffers): Batch {
    const one = new Batch(this, this.#envelope, buffers)
    const line = this.#lineOf(index)
    one.add(line, 0, line.length, { ...this.sourceOf(index), record: undefined })
    for (const [id, events] of this.idsOf([index])) one.ids.set(id, events)
    one.seal()
    return one
  }

  /** Index after the last byte of an event's line, in a batch that is closed. */
  endOf(index: number): number {
    return index + 1 < this.events
      ? this.#table.start(index + 1) - 1
      : this.#body.length - this.#envelope.suffix.length
  }
}

/** Memory that one batch after another is written into. */
export interface BatchBuffers {
  readonly body: ByteWriter
  readonly table: EventTable
  /** Made for the first batch that is written in that form. */
  v1Form?: V1Form
}

/** New buffers, for when there are none to reuse. */
export function newBuffers(): BatchBuffers {
  return { body: new ByteWriter(), table: new EventTable() }
}
