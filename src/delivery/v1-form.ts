import { type ByteWriter, type Refusal, uuidOffset } from '../record/index.ts'
import { UuidSet } from './uuid-set.ts'
import { V1Answer } from './v1-answer.ts'
import { lineOfPlainV1, writePlainV1 } from './v1-event.ts'

/**
 * The events of a batch in the form of Capture V1, written as the batch is filled: the lines are in the processor's cache
 * then, and its request needs no further copy of them. For lines that are known to have no property of `PLACES`.
 */
export class V1Form {
  readonly #uuids = new UuidSet()
  readonly #answer = new V1Answer()
  readonly #refusals = new Map<number, Refusal>()
  #isOneRequest = true

  /** Makes it ready for another batch. */
  clear(): void {
    this.#uuids.clear()
    this.#answer.clear()
    this.#refusals.clear()
    this.#isOneRequest = true
  }

  /** Appends an event line to `body`, as it is if V1 would drop it. */
  add(index: number, bytes: Buffer, start: number, end: number, body: ByteWriter): void {
    const at = body.length
    const refusal = writePlainV1(bytes, start, end, body)
    if (refusal) {
      this.#refusals.set(index, refusal)
      this.#isOneRequest = false
      body.copy(bytes, start, end)
      return
    }
    const uuid = uuidOffset(at)
    if (!this.#uuids.add(body.words, uuid)) this.#isOneRequest = false
    this.#answer.add(body, uuid)
  }

  /** What the service answers if it stores every event; undefined if they can't go in one request. */
  get stored(): Buffer | undefined {
    return this.#isOneRequest ? this.#answer.bytes : undefined
  }

  /** Why V1 would drop an event. */
  refusalOf(index: number): Refusal | undefined {
    return this.#refusals.get(index)
  }

  /** The line of an event that is in `body` as [start, end). */
  lineOf(index: number, body: Buffer, start: number, end: number): Buffer {
    return this.#refusals.has(index) ? body.subarray(start, end) : lineOfPlainV1(body, start, end)
  }
}
