import { TABLE_MEMBER } from '../mapping/index.ts'
import { ByteWriter, lineOf, type Reject, recordOf } from '../record/index.ts'
import type { AsRead } from './as-read.ts'
import type { RecordSink } from './record-sink.ts'

const OPEN = 0x7b
const CLOSE = 0x7d
const COMMA = 0x2c

/**
 * Writes the table's name into every record as its first member: a member of that name that the record has itself comes
 * after it, and wins. Lines that are no objects pass unchanged.
 */
export class TableSink implements RecordSink {
  readonly #sink: RecordSink
  readonly #member: Buffer
  readonly #asRead: AsRead | undefined
  readonly #out = new ByteWriter()

  constructor(sink: RecordSink, table: string, asRead?: AsRead) {
    this.#asRead = asRead
    this.#sink = sink
    this.#member = Buffer.from(`{${JSON.stringify(TABLE_MEMBER)}:${JSON.stringify(table)}`)
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const brace = afterBlanks(bytes, start, end)
    if (bytes[brace] !== OPEN) {
      this.#sink.line(bytes, start, end, offset, number)
      return
    }
    const out = this.#out
    out.length = 0
    out.copy(this.#member, 0, this.#member.length)
    if (bytes[afterBlanks(bytes, brace + 1, end)] !== CLOSE) out.byte(COMMA)
    out.copy(bytes, brace + 1, end)
    const row = this.#asRead?.row
    if (row) this.#asRead!.row = () => this.#named(row())
    this.#sink.line(out.bytes, 0, out.length, offset, number)
  }

  tooLong(offset: number, length: number, number: number): void {
    this.#sink.tooLong(offset, length, number)
  }

  reject(reject: Reject): void {
    const isObject = reject.record !== null && /^\s*\{/.test(reject.record)
    // A cell that is no JSON: mended, the record runs again, of the same table.
    this.#sink.reject(isObject ? { ...reject, ...recordOf(this.#named(lineOf(reject)!)) } : reject)
  }

  unusable(what: string): void {
    this.#sink.unusable(what)
  }

  #named(line: Buffer): Buffer {
    const rest = line.toString('latin1').replace(/^\s*\{/, '')
    return Buffer.concat([this.#member, Buffer.from(`${/^\s*\}/.test(rest) ? '' : ','}${rest}`, 'latin1')])
  }
}

function afterBlanks(bytes: Buffer, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0d)) at++
  return at
}
