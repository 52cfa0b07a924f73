import type { Reject } from '../record/index.ts'
import { AsRead } from './as-read.ts'
import { type Foreign, MARK } from './decode.ts'
import type { RecordSink } from './record-sink.ts'

/** Rejects the records of decoded text that hold what its encoding doesn't: see `MARK`. */
export class EncodingSink implements RecordSink {
  readonly #sink: RecordSink
  readonly #encoding: Foreign
  readonly #asRead: AsRead

  constructor(sink: RecordSink, encoding: Foreign, asRead = new AsRead()) {
    this.#asRead = asRead
    this.#sink = sink
    this.#encoding = encoding
  }

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    const text = bytes.subarray(start, end)
    const message = this.#problem(text)
    if (message === undefined) this.#sink.line(bytes, start, end, offset, number)
    else {
      const row = this.#asRead.row?.()
      // What is kept of it is here, without its marks.
      this.#asRead.row = undefined
      this.#refuse(row ?? text, message, { offset, line: number, cells: row && true })
    }
  }

  tooLong(offset: number, length: number, number: number): void {
    this.#sink.tooLong(offset, length, number)
  }

  reject(reject: Reject): void {
    const text = reject.bytes === undefined ? undefined : Buffer.from(reject.bytes, 'base64')
    const message = text && this.#problem(text)
    if (message === undefined) this.#sink.reject(reject)
    else this.#refuse(text!, message, reject)
  }

  unusable(what: string): void {
    this.#sink.unusable(what)
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
    const hint = this.#encoding === 'windows-1252' ? '' : '; windows-1252 may have one'
    return `the byte ${byte} is no character of ${this.#encoding}${hint}`
  }

  /** Without its marks the record is the likeliest reading: looked at and run again, it becomes an event. */
  #refuse(
    text: Buffer,
    message: string,
    { line, offset, cells }: Pick<Reject, 'line' | 'offset' | 'cells'>,
  ): void {
    const record = Buffer.from(text.filter((byte) => byte !== MARK.utf8 && byte !== MARK.unknown)).toString()
    this.#sink.reject({ line, offset, reason: 'bad_encoding', message, record, cells })
  }
}

function characterAt(text: Buffer, at: number): string {
  return String.fromCodePoint(text.toString('utf8', at, at + 4).codePointAt(0) ?? 0xfffd)
}
