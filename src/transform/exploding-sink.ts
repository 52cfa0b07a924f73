import type { RecordSink } from '../inputs/record-sink.ts'
import type { Exploder, TakesChildren } from '../mapping/explode.ts'
import type { Mapped } from '../mapping/mapped.ts'
import type { RecordCounts } from '../record/counts.ts'
import type { Reject } from '../record/reject.ts'
import type { Refusal } from '../record/rules.ts'

/** What becomes of a record that is no event. */
export type NoEvent = Exclude<Mapped['status'], 'event'>

/** Takes records that are one event each. */
export interface EventSink extends RecordSink {
  /** `child` is its place in the record, when that becomes several events. */
  line(
    bytes: Buffer,
    start: number,
    end: number,
    offset: number,
    line: number,
    child?: number,
  ): Mapped['status']
  /** A record that is left out on purpose. */
  leaveOut(reason: string): void
  /** A record that can't be an event. It is filtered, not rejected, when it is of someone who is to be forgotten. */
  reject(reject: Reject): NoEvent
  /** True when it wants no more records. */
  isFull?(): boolean
}

/** Cuts records into their children, and counts the records; the sink counts their children. */
export class ExplodingSink implements RecordSink, TakesChildren {
  readonly records: RecordCounts = { read: 0, mapped: 0, rejected: 0, filtered: 0 }
  readonly #exploder: Exploder
  readonly #sink: EventSink
  /** Where the record under way is. */
  #offset = 0
  #line = 0

  constructor(exploder: Exploder, sink: EventSink) {
    this.#exploder = exploder
    this.#sink = sink
  }

  line(bytes: Buffer, start: number, end: number, offset: number, line: number): void {
    if (this.#sink.isFull?.()) return
    const { records } = this
    this.#offset = offset
    this.#line = line
    records.read++
    const exploded = this.#exploder.explode(bytes, start, end, this)
    if (exploded.status === 'children') records.mapped++
    else if (exploded.status === 'whole') {
      const status = this.#sink.line(bytes, start, end, offset, line)
      records[status === 'event' ? 'mapped' : status]++
    } else if (exploded.status === 'filtered') {
      records.filtered++
      this.#sink.leaveOut(exploded.reason)
    } else if (exploded.status === 'rejected') {
      const { reason, message } = exploded
      const record = bytes.toString('utf8', start, end)
      records[this.#sink.reject({ reason, message, record, offset, line })]++
    }
  }

  child(bytes: Buffer, start: number, end: number, child: number): void {
    this.#sink.line(bytes, start, end, this.#offset, this.#line, child)
  }

  refused(bytes: Buffer, start: number, end: number, child: number, { reason, message }: Refusal): void {
    const [offset, line] = [this.#offset, this.#line]
    this.#sink.reject({ reason, message, record: bytes.toString('utf8', start, end), offset, line, child })
  }

  tooLong(offset: number, length: number, line: number): void {
    this.records.read++
    this.records.rejected++
    this.#sink.tooLong(offset, length, line)
  }

  reject(reject: Reject): void {
    this.records.read++
    this.records[this.#sink.reject(reject)]++
  }

  unusable(what: string): void {
    this.#sink.unusable(what)
  }
}
