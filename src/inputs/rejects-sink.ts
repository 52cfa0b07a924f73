import { isUtf8 } from 'node:buffer'
import type { Encoding } from '../mapping/encoding.ts'
import { lineOf, parseReject, type Reject } from '../record/reject.ts'
import { decodedWhole, isSingleByte } from './decode.ts'
import type { RecordSink } from './record-sink.ts'

/**
 * Takes the records out of the lines of a rejects file, so that mended ones run again. Other lines pass unchanged. A
 * reject without a record is a reject again.
 */
export class RejectsSink implements RecordSink {
  readonly #sink: RecordSink

  readonly #encoding: Encoding

  /** `encoding`: of the bytes that rejects keep beside their record. */
  constructor(sink: RecordSink, encoding: Encoding = 'utf-8') {
    this.#sink = sink
    this.#encoding = encoding
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const reject = parseReject(bytes, start, end)
    if (!reject) this.#sink.line(bytes, start, end, offset, number)
    else if (reject.record === null) this.#sink.reject({ ...reject, line: number, offset })
    else {
      const kept = lineOf({ ...reject, record: onOneLine(reject.record) })!
      const record = isUtf8(kept) || !isSingleByte(this.#encoding) ? kept : decodedWhole(kept, this.#encoding)
      this.#sink.line(record, 0, record.length, offset, number)
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
function onOneLine(record: string): string {
  if (!/[\r\n]/.test(record)) return record
  try {
    JSON.parse(record)
  } catch {
    return record
  }
  return record.replace(/[\r\n]/g, ' ')
}
