import { ByteWriter } from '../record/byte-writer.ts'
import { uuidOffset } from '../record/head.ts'
import type { Refusal } from '../record/rules.ts'
import { lineOfPlainV1, V1Events } from './v1-event.ts'

const UUID_LENGTH = 36
const OPENING = '{"results":{"'
const OK = ByteWriter.of('":{"result":"ok"},"')

/** What the service answers if it stores every event of a request: an answer is known by its bytes sooner than by its text. */
export class V1Answer {
  readonly #bytes = new ByteWriter(0)

  constructor() {
    this.clear()
  }

  clear(): void {
    this.#bytes.length = 0
    this.#bytes.ascii(OPENING)
  }

  /** Adds the event whose uuid begins at `at`. */
  add(from: ByteWriter, at: number): void {
    this.#bytes.copyFrom(from, at, at + UUID_LENGTH)
    this.#bytes.append(OK)
  }

  /** The answer; it shares the memory of the next one. */
  get bytes(): Buffer {
    const answer = this.#bytes
    const { length } = answer
    // The comma and the quote before another uuid.
    answer.length -= 2
    answer.ascii('}}')
    const bytes = answer.bytes.subarray(0, answer.length)
    answer.length = length
    return bytes
  }
}

const WORDS = 9
/** Sets the bit that tells lower case from upper; digits and dashes have it already. */
const LOWER = 0x20202020

/** The uuids of some events in one buffer, to find one that comes twice. They are compared as text, in any case. */
export class UuidSet {
  /** Where each uuid is in the buffer, plus one; 0 is a free slot. */
  #slots = new Int32Array(4096)
  #count = 0

  clear(): void {
    if (this.#count === 0) return
    this.#slots.fill(0)
    this.#count = 0
  }

  /** Adds the uuid of 36 characters at `at`; false if it is there already. All must be in the same `words`. */
  add(words: DataView, at: number): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow(words)
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hashAt(words, at) & mask; ; slot = (slot + 1) & mask) {
      const other = slots[slot]!
      if (other === 0) {
        slots[slot] = at + 1
        this.#count++
        return true
      }
      if (isSame(words, other - 1, at)) return false
    }
  }

  #grow(words: DataView): void {
    const before = this.#slots
    this.#slots = new Int32Array(before.length * 2)
    this.#count = 0
    for (const place of before) if (place > 0) this.add(words, place - 1)
  }
}

function hashAt(words: DataView, at: number): number {
  let hash = 0
  for (let i = 0; i < WORDS; i++) {
    hash = Math.imul(hash ^ (words.getInt32(at + i * 4, true) | LOWER), 0x01000193)
    hash ^= hash >>> 15
  }
  return hash
}

function isSame(words: DataView, one: number, other: number): boolean {
  for (let i = 0; i < WORDS * 4; i += 4) {
    if ((words.getInt32(one + i, true) | LOWER) !== (words.getInt32(other + i, true) | LOWER)) return false
  }
  return true
}

const plain = new V1Events(false)

/**
 * Writes an event line that is known to have no property of `PLACES` in the form of Capture V1. Returns why V1 would drop
 * it, if it would: nothing is written then.
 */
export function writePlainV1(bytes: Buffer, start: number, end: number, to: ByteWriter): Refusal | undefined {
  const refusal = plain.readOf(bytes, start, end)
  if (refusal) return refusal
  plain.writePlain(to)
  return undefined
}

/**
 * The events of a batch in the form of Capture V1, written as the batch is filled: the lines are in the processor's cache
 * then, and its request needs no further copy of them. For lines that are known to have no property of `PLACES`.
 */
export class V1Form {
  readonly #uuids = new UuidSet()
  readonly #answer = new V1Answer()
  readonly #refusals = new Map<number, Refusal>()
  #isOneRequest = true
  #body = new ByteWriter(0)

  /** Makes it ready for another batch, whose events go into `body`. */
  begin(body: ByteWriter): void {
    this.#body = body
    this.#uuids.clear()
    this.#answer.clear()
    this.#refusals.clear()
    this.#isOneRequest = true
  }

  /** Appends an event line to the body, as it is if V1 would drop it. */
  add(index: number, bytes: Buffer, start: number, end: number): void {
    const body = this.#body
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
