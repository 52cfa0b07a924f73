import type { InputFile } from '../inputs/input-file.ts'
import { type RecordReadOptions, readRecords } from '../inputs/read.ts'
import { AsRead, type RecordSink } from '../inputs/record-sink.ts'
import type { TakesChildren } from '../mapping/explode.ts'
import { FORGOTTEN, type Mapped, type MappedEvent } from '../mapping/mapped.ts'
import type { RecordCounts } from '../record/counts.ts'
import { countOne } from '../record/notes.ts'
import { type Reject, recordOf } from '../record/reject.ts'
import { type Refusal, tooLongRefusal } from '../record/rules.ts'
import type { Engine } from './engine.ts'

/** What became of a record, or of a child of one. The line of an event is good until the visitor returns. */
export type ItemOutcome =
  | MappedEvent
  | Extract<Mapped, { status: 'filtered' }>
  | ({ readonly status: 'rejected'; readonly distinctId?: string } & Reject)

const NO_BYTES: Buffer = Buffer.alloc(0)
const IS_FORGOTTEN: ItemOutcome = { status: 'filtered', reason: FORGOTTEN }

type Counted = Exclude<keyof RecordCounts, 'read'>

/** Bytes that a record, or a child of one, is bytes[start, end) of, as a line of JSON. */
class Span {
  bytes = NO_BYTES
  start = 0
  end = 0

  set(bytes: Buffer, start: number, end: number): void {
    this.bytes = bytes
    this.start = start
    this.end = end
  }

  get text(): string {
    return this.bytes.toString('utf8', this.start, this.end)
  }

  copy(): Buffer {
    return Buffer.from(this.bytes.subarray(this.start, this.end))
  }
}

/** A record, or a child of one, and its bytes where it was mapped. One object serves all: it is good until the visitor returns. */
export class RecordItem extends Span {
  /** The record that a child was cut out of; for a whole record itself. */
  readonly whole = new Span()
  /** The child's place in its record, from 1; undefined for a whole record. */
  child: number | undefined
  /** Undefined for records that come from no file. */
  input: InputFile | undefined
  /** Where the record begins in the input, and its number, as `readRecords` tells them. */
  offset = 0
  line = 0
  /** Makes the record as its file has it, see AsRead. */
  row: AsRead['row']
  /** False when it was given up before it was mapped. */
  isMapped = false
  /** The name that the source gives the event; undefined when it was given up before that was known. */
  source: string | undefined
}

/** What is done with records: they are written, tried, searched, counted. */
export interface RecordVisitor {
  /** Takes every record, and in place of one that becomes several events each child, in order. */
  take(outcome: ItemOutcome, item: RecordItem): void
  /** Looks at a record with the rows that are joined to it, before it is mapped; false to pass it over. */
  wants?(bytes: Buffer, start: number, end: number, item: RecordItem): boolean
  /** True when no more is wanted, the item under way included: the reading ends. */
  isFull?(item: RecordItem): boolean
}

type LoopOptions = Pick<RecordReadOptions, 'columns' | 'withTable' | 'range' | 'progress'> & {
  readonly stop: AbortSignal
}

/**
 * The one way from records to events: each record is read, cut into its children, joined with its rows, mapped, and handed
 * to the visitor. A record that can't be mapped and names someone who is to be forgotten is filtered, not rejected.
 */
export class RecordLoop implements RecordSink, TakesChildren {
  /** The records themselves, where one may become several events. */
  readonly records: RecordCounts = { read: 0, mapped: 0, rejected: 0, filtered: 0 }
  /** How the record has it that is given next. A reader of inputs sets it itself. */
  readonly asRead = new AsRead()
  readonly item = new RecordItem()
  readonly #engine: Engine
  readonly #visitor: RecordVisitor
  readonly #enough = new AbortController()
  /** Changes of the record under way that its reader made: of one that is not taken they don't count. */
  readonly #read = { not_finite: 0 }
  #full = false

  constructor(engine: Engine, visitor: RecordVisitor) {
    this.#engine = engine
    this.#visitor = visitor
  }

  /** True when the reading was ended before all records were taken. */
  get isEnded(): boolean {
    return this.#enough.signal.aborted
  }

  /** Ends the reading with the piece of the file that is under way. */
  end(): void {
    this.#enough.abort()
  }

  /** Reads inputs, one after the other. Resolves to the line ends that were read, see `readRecords`. Throws when stopped. */
  async read(inputs: readonly InputFile[], options: LoopOptions): Promise<number> {
    const stop = AbortSignal.any([this.#enough.signal, options.stop])
    let lines = 0
    for (const input of inputs) {
      if (this.isEnded) break
      this.item.input = input
      lines += await readRecords(input, this, { ...options, asRead: this.asRead, mends: this.#read, stop })
      // A stopped read ends early and without an error: what was read is not the whole input.
      options.stop.throwIfAborted()
    }
    return lines
  }

  /** Takes a record that is held already. `line` is its number. */
  give(record: Buffer, line = 1): void {
    this.line(record, 0, record.length, 0, line)
  }

  line(bytes: Buffer, start: number, end: number, offset: number, line: number): void {
    const { exploder, mapper } = this.#engine
    const changed = this.#read.not_finite
    if (!this.#begin(offset, line)) return
    this.item.whole.set(bytes, start, end)
    mapper.notes.mends.not_finite += changed
    const { records } = this
    const exploded = exploder?.explode(bytes, start, end, this)
    if (exploded === undefined || exploded.status === 'whole') records[this.#map(bytes, start, end)]++
    else if (exploded.status === 'children') records.mapped++
    else if (exploded.status === 'filtered') records[this.#hand(exploded)]++
    else {
      const { reason, message } = exploded
      const { text: record } = this.item.whole
      records[this.#refuse({ reason, message, record, offset, line })]++
    }
  }

  child(bytes: Buffer, start: number, end: number, child: number): void {
    this.#map(bytes, start, end, child)
  }

  refused(bytes: Buffer, start: number, end: number, child: number, { reason, message }: Refusal): void {
    const { offset, line } = this.item
    this.#refuse({ reason, message, record: bytes.toString('utf8', start, end), offset, line, child })
  }

  tooLong(offset: number, length: number, line: number): void {
    this.reject({ ...tooLongRefusal(length), record: null, offset, line })
  }

  reject(reject: Reject): void {
    if (this.#begin(reject.offset, reject.line)) this.records[this.#refuse(reject)]++
  }

  unusable(what: string): void {
    countOne(this.#engine.mapper.notes.unusable, what)
  }

  /** Begins a record; false when no more is wanted. */
  #begin(offset: number, line: number): boolean {
    const { item } = this
    // What the reader changed in a record that it then rejects is of no other record.
    this.#read.not_finite = 0
    item.offset = offset
    item.line = line
    item.row = this.asRead.row
    item.child = undefined
    if (this.#isFull()) return false
    this.records.read++
    return true
  }

  #isFull(): boolean {
    if (this.#full || !this.#visitor.isFull?.(this.item)) return this.#full
    this.end()
    this.#full = true
    return true
  }

  #map(bytes: Buffer, start: number, end: number, child?: number): Counted {
    const { mapper, joiner } = this.#engine
    const [visitor, item] = [this.#visitor, this.item]
    if (child !== undefined && this.#isFull()) return 'filtered'
    item.set(bytes, start, end)
    item.child = child
    const joined = joiner?.join(bytes, start, end)
    if (
      visitor.wants !== undefined &&
      !(joined ? visitor.wants(joined, 0, joined.length, item) : visitor.wants(bytes, start, end, item))
    )
      return 'filtered'
    const mapped = joined
      ? mapper.map(joined, 0, joined.length, bytes.subarray(start, end))
      : mapper.map(bytes, start, end)
    item.isMapped = true
    item.source = mapper.source
    if (mapped.status !== 'rejected') return this.#hand(mapped)
    const { offset, line } = item
    return this.#refuse({ ...mapped, ...recordOf(bytes, start, end), offset, line, child })
  }

  #refuse(reject: Reject): Counted {
    const { people } = this.#engine.options
    const isForgotten = people !== undefined && reject.record !== null && people.isNamedIn(reject.record)
    this.item.child = reject.child
    return this.#hand(isForgotten ? IS_FORGOTTEN : { ...reject, status: 'rejected' })
  }

  #hand(outcome: ItemOutcome): Counted {
    this.#visitor.take(outcome, this.item)
    this.item.isMapped = false
    this.item.source = undefined
    return outcome.status === 'event' ? 'mapped' : outcome.status
  }
}
