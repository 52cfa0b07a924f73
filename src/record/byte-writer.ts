import { KIB } from '../text/units.ts'
import { copyBytes, copyPiece, viewOf } from './bytes.ts'

const QUOTE = 0x22

// The bytes that a JSON string must escape.
const ESCAPES = new Uint8Array(128)
ESCAPES.fill(1, 0, 0x20)
ESCAPES[0x22] = 1
ESCAPES[0x5c] = 1

/** Copies shorter than this go byte by byte: a native call costs more than the loop. */
const SHORT = 64

/** A growing run of bytes, reused from record to record. */
export class ByteWriter {
  bytes: Buffer
  /** The same bytes, to write several at a step. */
  words: DataView
  length = 0

  /** A writer that holds ASCII text, to be appended to others. */
  static of(text: string): ByteWriter {
    const writer = new ByteWriter(text.length + 4)
    writer.ascii(text)
    return writer
  }

  constructor(capacity = 64 * KIB) {
    this.bytes = Buffer.allocUnsafe(capacity)
    this.words = viewOf(this.bytes)
  }

  /** Makes room for `more` bytes after `length`. */
  ensure(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2))
    this.bytes.copy(larger, 0, 0, this.length)
    this.bytes = larger
    this.words = viewOf(larger)
  }

  byte(value: number): void {
    this.ensure(1)
    this.bytes[this.length++] = value
  }

  copy(source: Buffer, start: number, end: number): void {
    const size = end - start
    this.ensure(size)
    const bytes = this.bytes
    let at = this.length
    if (size < SHORT) for (let i = start; i < end; i++) bytes[at++] = source[i]!
    else source.copy(bytes, at, start, end)
    this.length += size
  }

  /** Writes [start, end) of what another writer holds. */
  copyFrom({ bytes, words }: Pick<ByteWriter, 'bytes' | 'words'>, start: number, end: number): void {
    // copyBytes may write up to three bytes more.
    this.ensure(end - start + 4)
    this.length = copyPiece(bytes, words, start, end, this.bytes, this.words, this.length)
  }

  /** Writes all that another writer holds. */
  append({ bytes, words, length }: ByteWriter): void {
    // copyBytes may write up to three bytes more.
    this.ensure(length + 4)
    this.length = copyBytes(words, bytes.length, 0, length, this.words, this.length)
  }

  ascii(text: string): void {
    this.ensure(text.length)
    const bytes = this.bytes
    let at = this.length
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i)
    this.length = at
  }

  utf8(text: string): void {
    this.ensure(text.length * 3)
    this.length += this.bytes.write(text, this.length, 'utf8')
  }

  json(text: string): void {
    if (!this.plainJson(text)) this.utf8(JSON.stringify(text))
  }

  /** The same for ASCII text without escapes, as most is. For other text it writes nothing and returns false. */
  plainJson(text: string): boolean {
    this.ensure(text.length + 2)
    const bytes = this.bytes
    let at = this.length
    bytes[at++] = QUOTE
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      if (unit >= 0x80 || ESCAPES[unit] === 1) return false
      bytes[at++] = unit
    }
    bytes[at++] = QUOTE
    this.length = at
    return true
  }
}
