import { members as cutMembers } from '../record/cut.ts'
import { KIND, type Kind, type Tape, valueText } from '../record/tape.ts'
import { uuidV5, uuidV5OfBytes } from '../record/uuid.ts'
import type { RecordView } from './preset.ts'

/** The record under way as a preset's functions see it: slots by name, decoded when asked for. */
export class SlotView implements RecordView {
  /** Index on the tape of each slot's value; -1 for none. */
  readonly found: Int32Array
  readonly ranks: Int32Array
  readonly #slots: ReadonlyMap<string, number>
  /** The record: its members, and the bytes that they are spans of. */
  readonly tape: Tape
  bytes: Buffer = Buffer.alloc(0)
  /** Texts already decoded: a preset's functions ask for the same few several times. */
  readonly #texts: Array<string | undefined>

  constructor(slots: ReadonlyMap<string, number>, tape: Tape) {
    this.#slots = slots
    this.tape = tape
    this.found = new Int32Array(slots.size).fill(-1)
    this.ranks = new Int32Array(slots.size)
    this.#texts = new Array(slots.size).fill(undefined)
  }

  reset(bytes: Buffer): void {
    this.bytes = bytes
    // A loop: for so few, a call to fill costs more.
    for (let i = 0; i < this.found.length; i++) {
      this.found[i] = -1
      this.#texts[i] = undefined
    }
  }

  text(slot: string): string | undefined {
    const number = this.#slots.get(slot)
    const at = number === undefined ? -1 : this.found[number]!
    if (at < 0) return undefined
    let text = this.#texts[number!]
    if (text === undefined) {
      text = valueText(this.tape, this.bytes, at) ?? ''
      this.#texts[number!] = text
    }
    return text === '' ? undefined : text
  }

  uuidV5(namespace: string, slot: string): string | undefined {
    const at = this.at(slot)
    const tape = this.tape
    if (at < 0 || tape.kind(at) !== KIND.string || tape.escaped(at)) {
      const text = this.text(slot)
      return text === undefined ? undefined : uuidV5(namespace, text)
    }
    // Most ids are hashed as the record has them.
    const [start, end] = [tape.start(at) + 1, tape.end(at) - 1]
    return start === end ? undefined : uuidV5OfBytes(namespace, this.bytes, start, end)
  }

  kind(slot: string): Kind | undefined {
    const at = this.at(slot)
    return at < 0 ? undefined : this.tape.kind(at)
  }

  json(slot: string): string | undefined {
    const at = this.at(slot)
    return at < 0 ? undefined : this.bytes.toString('utf8', this.tape.start(at), this.tape.end(at))
  }

  entries(slot: string): ReadonlyArray<readonly [string, string]> {
    const at = this.at(slot)
    if (at < 0 || this.tape.kind(at) !== KIND.object) return []
    // Most records have these objects empty.
    if (this.tape.end(at) - this.tape.start(at) === 2) return []
    return cutMembers(this.bytes.toString('utf8', this.tape.start(at), this.tape.end(at)))
  }

  /** Index on the tape of a slot's value, or -1. */
  at(slot: string): number {
    const number = this.#slots.get(slot)
    return number === undefined ? -1 : this.found[number]!
  }
}
