import { ByteWriter } from '../record/byte-writer.ts'
import { keyOf } from '../record/keys.ts'
import { Scanner } from '../record/scan.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { decodeText } from '../record/text.ts'

/** Rewrites top-level members that are strings holding a JSON object into the object they hold. */
export class Unpacker {
  /** By key: 1 for the members that may be packed. An array, since every member of every record is looked up. */
  readonly #isPacked: Uint8Array
  readonly #scanner = new Scanner()
  readonly #writer = new ByteWriter()

  constructor(names: readonly string[]) {
    const packed = names.map(keyOf)
    this.#isPacked = new Uint8Array(Math.max(-1, ...packed) + 1)
    for (const key of packed) this.#isPacked[key] = 1
  }

  /** The record with its packed members opened, valid until the next call; undefined when it has none. */
  unpack(tape: Tape, bytes: Buffer, start: number, end: number): Buffer | undefined {
    const writer = this.#writer
    let copied = start
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      if (this.#isPacked[tape.key(i)] !== 1) continue
      if (tape.kind(i) !== KIND.string || tape.end(i) - tape.start(i) < 4) continue
      const text = decodeText(bytes, tape.start(i) + 1, tape.end(i) - 1, tape.escaped(i))
      const inner = Buffer.from(text)
      if (!this.#scanner.scan(inner, 0, inner.length)) continue
      // Valid JSON has line breaks only between values. Inside a line they would end it.
      for (let at = 0; at < inner.length; at++) if (inner[at] === 0x0a || inner[at] === 0x0d) inner[at] = 0x20
      if (copied === start) writer.length = 0
      writer.copy(bytes, copied, tape.start(i))
      writer.copy(inner, 0, inner.length)
      copied = tape.end(i)
    }
    if (copied === start) return undefined
    writer.copy(bytes, copied, end)
    return writer.bytes.subarray(0, writer.length)
  }
}
