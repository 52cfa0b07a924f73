import { members as cutMembers } from '../record/cut.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { valueText } from '../record/text.ts'
import type { RecordView } from './preset.ts'

/** The record under way as a preset's functions see it: slots by name, decoded when asked for. */
export class SlotView implements RecordView {
  /** Index on the tape of each slot's value; -1 for none. */
  readonly found: Int32Array
  readonly ranks: Int32Array
  readonly #slots: ReadonlyMap<string, number>
  readonly #tape: Tape
  #bytes: Buffer = Buffer.alloc(0)

  constructor(slots: ReadonlyMap<string, number>, tape: Tape) {
    this.#slots = slots
    this.#tape = tape
    this.found = new Int32Array(slots.size).fill(-1)
    this.ranks = new Int32Array(slots.size)
  }

  reset(bytes: Buffer): void {
    this.#bytes = bytes
    this.found.fill(-1)
  }

  text(slot: string): string | undefined {
    const at = this.#at(slot)
    if (at < 0) return undefined
    const text = valueText(this.#tape, this.#bytes, at)
    return text === '' ? undefined : text
  }

  json(slot: string): string | undefined {
    const at = this.#at(slot)
    return at < 0 ? undefined : this.#bytes.toString('utf8', this.#tape.start(at), this.#tape.end(at))
  }

  entries(slot: string): ReadonlyArray<readonly [string, string]> {
    const at = this.#at(slot)
    if (at < 0 || this.#tape.kind(at) !== KIND.object) return []
    return cutMembers(this.#bytes.toString('utf8', this.#tape.start(at), this.#tape.end(at)))
  }

  #at(slot: string): number {
    const number = this.#slots.get(slot)
    return number === undefined ? -1 : this.found[number]!
  }
}
