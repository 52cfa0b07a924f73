import { ByteWriter } from '../record/byte-writer.ts'
import type { Key } from '../record/keys.ts'
import type { Members, Span } from '../record/members.ts'
import { KIB } from '../text/units.ts'

const QUOTE = 0x22

/** Values made for one event. Members point into it, so what is written stays where it is until `clear`. */
export class Scratch {
  #writer = new ByteWriter(16 * KIB)
  /** Where the value written last is: [start, end) of `bytes`. */
  start = 0

  get bytes(): Buffer {
    return this.#writer.bytes
  }

  get end(): number {
    return this.#writer.length
  }

  clear(): void {
    this.#writer.length = 0
  }

  json(json: string): void {
    this.#begin(json.length * 3)
    this.#writer.utf8(json)
  }

  /** Writes text as a JSON string, ASCII without escapes. For other text it writes nothing and returns false. */
  plainText(text: string): boolean {
    this.#begin(text.length + 2)
    return this.#writer.plainJson(text)
  }

  /** Writes text at [start, end), which JSON spells as it is, as a JSON string. */
  quoted(bytes: Buffer, start: number, end: number): void {
    this.#begin(end - start + 2)
    this.#writer.byte(QUOTE)
    this.#writer.copy(bytes, start, end)
    this.#writer.byte(QUOTE)
  }

  /** Puts the value written last. */
  putInto(members: Members, key: Key): void {
    members.put(key, this.bytes, this.start, this.end)
  }

  /** Makes room for `size` bytes. */
  #begin(size: number): void {
    const writer = this.#writer
    // A new writer: members still point into the old buffer, which growing in place would replace.
    if (writer.length + size > writer.bytes.length)
      this.#writer = new ByteWriter(Math.max(writer.bytes.length, size * 2))
    this.start = this.#writer.length
  }
}

/** A text, and where a buffer has it as JSON, quotes included. */
export interface Spelling extends Readonly<Span> {
  readonly text: string
}

const POOL_BYTES = 64 * KIB

/** One buffer for many spellings: an event that takes its values from few buffers is the fastest to write. */
let pool = Buffer.alloc(POOL_BYTES)
let used = 0

/** Spells a text as JSON, for code that puts it into many events. */
export function spell(text: string): Spelling {
  const json = JSON.stringify(text)
  const size = json.length * 3
  if (size > POOL_BYTES) {
    const bytes = Buffer.from(json)
    return { text, bytes, start: 0, end: bytes.length }
  }
  if (used + size > POOL_BYTES) {
    // The full one lives as long as a spelling in it is known.
    pool = Buffer.alloc(POOL_BYTES)
    used = 0
  }
  const start = used
  used += pool.write(json, start, 'utf8')
  return { text, bytes: pool, start, end: used }
}
