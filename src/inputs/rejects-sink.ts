import { isUtf8 } from 'node:buffer'
import { type ColumnMapping, type Encoding, NO_COLUMNS } from '../mapping/index.ts'
import { isJson, lineOf, parseReject, type Reject } from '../record/index.ts'
import { AsRead } from './as-read.ts'
import { decodedWhole, isSingleByte } from './decode.ts'
import type { RecordSink } from './record-sink.ts'
import { onOneLine, TypedRecord } from './typed-record.ts'

/**
 * Takes the records out of the lines of a rejects file, so that mended ones run again. Other lines pass unchanged. A
 * reject without a record is a reject again. A row of a table is kept as it was read, and gets its columns' types here.
 */
export class RejectsSink implements RecordSink {
  readonly #sink: RecordSink

  readonly #encoding: Encoding
  readonly #asRead: AsRead
  readonly #typed: TypedRecord

  /** `encoding`: of the bytes that rejects keep beside their record. */
  constructor(
    sink: RecordSink,
    {
      encoding = 'utf-8',
      columns = NO_COLUMNS,
      asRead = new AsRead(),
    }: {
      readonly encoding?: Encoding
      readonly columns?: ColumnMapping | undefined
      readonly asRead?: AsRead | undefined
    } = {},
  ) {
    this.#sink = sink
    this.#encoding = encoding
    this.#asRead = asRead
    this.#typed = new TypedRecord(columns, (what) => sink.unusable(what))
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const reject = parseReject(bytes, start, end)
    if (!reject) this.#sink.line(bytes, start, end, offset, number)
    else if (reject.record === null) this.#sink.reject({ ...reject, line: number, offset })
    else {
      const kept = lineOf({ ...reject, record: joined(reject.record) })!
      const record = isUtf8(kept) || !isSingleByte(this.#encoding) ? kept : decodedWhole(kept, this.#encoding)
      const typed = reject.cells ? this.#typed.convert(record) : record
      this.#asRead.row = reject.cells ? () => kept : undefined
      this.#sink.line(typed, 0, typed.length, offset, number)
      this.#asRead.row = undefined
    }
  }

  tooLong(offset: number, length: number, number: number): void {
    this.#sink.tooLong(offset, length, number)
  }

  reject(reject: Reject): void {
    this.#sink.reject(reject)
  }

  unusable(what: string): void {
    this.#sink.unusable(what)
  }
}

/** Joins a record that was mended over several lines into one. Text that is no JSON stays: it is rejected again. */
function joined(record: string): string {
  return /[\r\n]/.test(record) && isJson(record) ? onOneLine(record) : record
}
