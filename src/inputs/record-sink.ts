import { isUtf8 } from 'node:buffer'
import { type ColumnMapping, type Encoding, NO_COLUMNS } from '../mapping/columns.ts'
import { TABLE_MEMBER } from '../mapping/side-table.ts'
import { cellTyper, onOneLine } from '../mapping/typed-text.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { isJson } from '../record/json-values.ts'
import type { LineSink } from '../record/lines.ts'
import type { Mends } from '../record/mend.ts'
import { lineOf, parseReject, type Reject, recordOf } from '../record/reject.ts'
import { decodedWhole, type Foreign, MARK } from './decode.ts'

/**
 * Receives the records of an input, each as one line of JSON, and what could not become a line. The calls of `line`,
 * `tooLong` and `reject` together are the records read. A sink that throws stops the reading.
 */
export interface RecordSink extends LineSink {
  /** A record that the reader itself cannot turn into a line. */
  reject(reject: Reject): void
  /** Counts what a rule of the mapping file could not use: `columns.AMOUNT holds no number`. */
  unusable(what: string): void
}

/** Hands on all that it is given. What changes records extends it by what it changes. */
abstract class PassingSink implements RecordSink {
  protected readonly sink: RecordSink

  constructor(sink: RecordSink) {
    this.sink = sink
  }

  abstract line(bytes: Buffer, start: number, end: number, offset: number, number: number): void

  tooLong(offset: number, length: number, number: number): void {
    this.sink.tooLong(offset, length, number)
  }

  reject(reject: Reject): void {
    this.sink.reject(reject)
  }

  unusable(what: string): void {
    this.sink.unusable(what)
  }
}

/**
 * The record that a reader hands over, as its file has it. A mapping file can give the columns of a table types, by which
 * cells become numbers and times: what a person is shown, and what is kept of a reject, is the text that was read.
 */
export class AsRead {
  /**
   * Makes the record with the text of its cells. Set during `line` of a sink, for a row whose cells were converted;
   * undefined for every other record, which is as its file has it.
   */
  row: (() => Buffer) | undefined
}

/** Rejects the records of decoded text that hold what its encoding doesn't: see `MARK`. */
export class EncodingSink extends PassingSink {
  readonly #encoding: Foreign
  readonly #asRead: AsRead

  constructor(sink: RecordSink, encoding: Foreign, asRead = new AsRead()) {
    super(sink)
    this.#asRead = asRead
    this.#encoding = encoding
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const text = bytes.subarray(start, end)
    const message = this.#problem(text)
    if (message === undefined) this.sink.line(bytes, start, end, offset, number)
    else {
      const row = this.#asRead.row?.()
      // What is kept of it is here, without its marks.
      this.#asRead.row = undefined
      this.#refuse(row ?? text, message, { offset, line: number, cells: row && true })
    }
  }

  override reject(reject: Reject): void {
    const text = reject.bytes === undefined ? undefined : Buffer.from(reject.bytes, 'base64')
    const message = text && this.#problem(text)
    if (message === undefined) this.sink.reject(reject)
    else this.#refuse(text!, message, reject)
  }

  #problem(text: Buffer): string | undefined {
    const utf8 = text.indexOf(MARK.utf8)
    const unknown = text.indexOf(MARK.unknown)
    if (utf8 < 0 && unknown < 0) return undefined
    if (unknown < 0) {
      return `${JSON.stringify(characterAt(text, utf8 + 1))} is in UTF-8 here, and the file is read as ${this.#encoding}`
    }
    const character = characterAt(text, unknown + 1)
    if (character === '\uFFFD') return `half of a surrogate pair: the text is not ${this.#encoding}`
    const byte = `0x${character.charCodeAt(0).toString(16).toUpperCase()}`
    return `the byte ${byte} is no character of ${this.#encoding}`
  }

  /** Without its marks the record is the likeliest reading: looked at and run again, it becomes an event. */
  #refuse(
    text: Buffer,
    message: string,
    { line, offset, cells }: Pick<Reject, 'line' | 'offset' | 'cells'>,
  ): void {
    const record = Buffer.from(text.filter((byte) => byte !== MARK.utf8 && byte !== MARK.unknown)).toString()
    this.sink.reject({ line, offset, reason: 'bad_encoding', message, record, cells })
  }
}

function characterAt(text: Buffer, at: number): string {
  return String.fromCodePoint(text.toString('utf8', at, at + 4).codePointAt(0) ?? 0xfffd)
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const NULL = Buffer.from('null')
/** What Python's json and pandas, and the readers of Parquet and Avro, write for numbers that JSON doesn't have. */
const WORDS = ['NaN', 'Infinity', '-Infinity'].map((word) => Buffer.from(word))

/** Reads NaN, Infinity and -Infinity as null, and counts them. All else, text above all, passes as it is. */
export class PythonJsonSink extends PassingSink {
  readonly #mends: Pick<Mends, 'not_finite'>
  readonly #out = new ByteWriter()

  constructor(sink: RecordSink, mends: Pick<Mends, 'not_finite'>) {
    super(sink)
    this.#mends = mends
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const out = this.#out
    const changed = withNulls(bytes.subarray(start, end), out)
    this.#mends.not_finite += changed
    if (changed === 0) this.sink.line(bytes, start, end, offset, number)
    else this.sink.line(out.bytes, 0, out.length, offset, number)
  }
}

/** Writes a line into `out` with null for each number that JSON doesn't have. Returns their count; with 0 `out` may hold anything. */
export function withNulls(line: Buffer, out: ByteWriter): number {
  if (!line.includes('NaN') && !line.includes('Infinity')) return 0
  out.length = 0
  let count = 0
  let copied = 0
  for (let at = 0; at < line.length; at++) {
    if (line[at] === QUOTE) at = stringEnd(line, at)
    else {
      const word = WORDS.find((one) => isValue(line, at, one))
      if (!word) continue
      out.copy(line, copied, at)
      out.copy(NULL, 0, NULL.length)
      copied = at + word.length
      at = copied - 1
      count++
    }
  }
  out.copy(line, copied, line.length)
  return count
}

/** Index of the closing quote. */
function stringEnd(line: Buffer, at: number): number {
  let i = at + 1
  while (i < line.length && line[i] !== QUOTE) i += line[i] === BACKSLASH ? 2 : 1
  return i
}

/** True if a word is a whole value there: other text that begins like it stays no JSON. */
function isValue(line: Buffer, at: number, word: Buffer): boolean {
  const end = at + word.length
  if (line[at] !== word[0] || line.compare(word, 0, word.length, at, Math.min(end, line.length)) !== 0)
    return false
  const before = line.toString('latin1', Math.max(0, at - 1), at)
  const after = line.toString('latin1', end, end + 1)
  return /^[\s:,[]?$/.test(before) && /^[\s,\]}]?$/.test(after)
}

/**
 * Takes the records out of the lines of a rejects file, so that mended ones run again. Other lines pass unchanged. A
 * reject without a record is a reject again. A row of a table is kept as it was read, and gets its columns' types here.
 */
export class RejectsSink extends PassingSink {
  readonly #encoding: Encoding
  readonly #asRead: AsRead
  readonly #typed: ReturnType<typeof cellTyper>

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
    super(sink)
    this.#encoding = encoding
    this.#asRead = asRead
    this.#typed = cellTyper(columns, (what) => sink.unusable(what))
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const reject = parseReject(bytes, start, end)
    if (!reject) this.sink.line(bytes, start, end, offset, number)
    else if (reject.record === null) this.sink.reject({ ...reject, line: number, offset })
    else {
      const kept = lineOf({ ...reject, record: joined(reject.record) })!
      const record = this.#encoding === 'windows-1252' && !isUtf8(kept) ? decodedWhole(kept) : kept
      const typed = reject.cells ? this.#typed(record) : record
      this.#asRead.row = reject.cells ? () => kept : undefined
      this.sink.line(typed, 0, typed.length, offset, number)
      this.#asRead.row = undefined
    }
  }
}

/** Joins a record that was mended over several lines into one. Text that is no JSON stays: it is rejected again. */
function joined(record: string): string {
  return /[\r\n]/.test(record) && isJson(record) ? onOneLine(record) : record
}

const OPEN = 0x7b
const CLOSE = 0x7d
const COMMA = 0x2c

/**
 * Writes the table's name into every record as its first member: a member of that name that the record has itself comes
 * after it, and wins. Lines that are no objects pass unchanged.
 */
export class TableSink extends PassingSink {
  readonly #member: Buffer
  readonly #asRead: AsRead | undefined
  readonly #out = new ByteWriter()

  constructor(sink: RecordSink, table: string, asRead?: AsRead) {
    super(sink)
    this.#asRead = asRead
    this.#member = Buffer.from(`{${JSON.stringify(TABLE_MEMBER)}:${JSON.stringify(table)}`)
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const brace = afterBlanks(bytes, start, end)
    if (bytes[brace] !== OPEN) {
      this.sink.line(bytes, start, end, offset, number)
      return
    }
    const out = this.#out
    out.length = 0
    out.copy(this.#member, 0, this.#member.length)
    if (bytes[afterBlanks(bytes, brace + 1, end)] !== CLOSE) out.byte(COMMA)
    out.copy(bytes, brace + 1, end)
    const row = this.#asRead?.row
    if (row) this.#asRead!.row = () => this.#named(row())
    this.sink.line(out.bytes, 0, out.length, offset, number)
  }

  override reject(reject: Reject): void {
    const isObject = reject.record !== null && /^\s*\{/.test(reject.record)
    // A cell that is no JSON: mended, the record runs again, of the same table.
    this.sink.reject(isObject ? { ...reject, ...recordOf(this.#named(lineOf(reject)!)) } : reject)
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
