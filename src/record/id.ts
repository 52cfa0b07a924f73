import type { ByteWriter } from './byte-writer.ts'
import { beginsWith } from './bytes.ts'
import { cleanDistinctId, MAX_DISTINCT_ID, type Refusal } from './rules.ts'
import { plainText } from './text.ts'

const QUOTE = 0x22

/**
 * A distinct_id or an anonymous id on its way from the record to its line. Most ids are short, of printable ASCII without
 * blanks and escapes: such a *plain* one stays in the record's bytes, and becomes a string only where something asks for its
 * text. Any other id is text from the start.
 *
 * The bytes are the record's own: they are good until the next record is read.
 */
export class Id {
  /** The bytes of a plain id are [start, end) of these; undefined for text. */
  readonly bytes: Buffer | undefined
  readonly start: number
  readonly end: number
  #text: string | undefined

  private constructor(bytes: Buffer | undefined, start: number, end: number, text: string | undefined) {
    this.bytes = bytes
    this.start = start
    this.end = end
    this.#text = text
  }

  static ofText(text: string): Id {
    return new Id(undefined, 0, 0, text)
  }

  /** The id in [start, end), which holds no escapes; undefined when it isn't plain. */
  static plain(bytes: Buffer, start: number, end: number): Id | undefined {
    return isPlain(bytes, start, end) ? new Id(bytes, start, end, undefined) : undefined
  }

  get text(): string {
    this.#text ??= plainText(this.bytes!, this.start, this.end)
    return this.#text
  }

  /** The id without the words it begins with; the same id when it begins otherwise. Nothing after them leaves the empty text. */
  without(prefix: Buffer): Id {
    const { bytes, start, end } = this
    if (bytes !== undefined) {
      if (!beginsWith(bytes, start, end, prefix)) return this
      const from = start + prefix.length
      return from === end ? Id.ofText('') : new Id(bytes, from, end, undefined)
    }
    const words = prefix.toString('latin1')
    return this.text.startsWith(words) ? Id.ofText(this.text.slice(words.length)) : this
  }

  equals(other: Id): boolean {
    if (this === other) return true
    const { bytes, start, end } = this
    if (bytes === undefined || other.bytes === undefined) return this.text === other.text
    if (end - start !== other.end - other.start) return false
    for (let i = start, j = other.start; i < end; i++, j++) if (bytes[i] !== other.bytes[j]) return false
    return true
  }

  write(writer: ByteWriter): void {
    const { bytes, start, end } = this
    if (bytes === undefined) {
      writer.json(this.text)
      return
    }
    writer.byte(QUOTE)
    writer.copy(bytes, start, end)
    writer.byte(QUOTE)
  }
}

/** An id as the service will store it, or why it can't be sent: see `cleanDistinctId`. */
export function cleanId(id: Id): Id | Refusal {
  if (id.bytes !== undefined) return id
  const text = cleanDistinctId(id.text)
  if (typeof text !== 'string') return text
  return text === id.text ? id : Id.ofText(text)
}

/** True for printable ASCII without blanks, quotes and backslashes that is no longer than the service takes. */
function isPlain(bytes: Buffer, start: number, end: number): boolean {
  if (end === start || end - start > MAX_DISTINCT_ID) return false
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!
    if (byte <= 0x20 || byte >= 0x7f || byte === 0x22 || byte === 0x5c) return false
  }
  return true
}
