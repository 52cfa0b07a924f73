import { type Head, headId, uuidOffset } from '../record/head.ts'
import { BufferPool } from '../transform/run/buffer-pool.ts'
import { SeenEvents } from '../transform/seal/dedupe.ts'

/** Indexes of the pairs of hex digits in a uuid's 36 characters, each half from its last byte to its first. */
const PAIRS = [16, 14, 11, 9, 6, 4, 2, 0, 34, 32, 30, 28, 26, 24, 21, 19]

/**
 * What the two halves of a uuid, read as in a fingerprint and added, leave when divided by `of`. It cuts a set of any
 * uuids into even shares, which the service can compute too. `at` is the index of the uuid's first character, in lower
 * case.
 */
export function uuidShare(bytes: Uint8Array, at: number, of: number): number {
  let total = 0
  for (let half = 0; half < 16; half += 8) {
    let rest = 0
    for (let i = half; i < half + 8; i++) {
      const pair = at + PAIRS[i]!
      rest = (rest * 256 + nibble(bytes[pair]!) * 16 + nibble(bytes[pair + 1]!)) % of
    }
    total += rest
  }
  return total % of
}

function nibble(code: number): number {
  return code <= 0x39 ? code - 0x30 : code - 0x57
}

const UUID_LENGTH = 36

/** What tells events of one day apart: uuid, name and distinct id. Each `of…` overwrites the last. */
export class EventKey {
  bytes = Buffer.alloc(1024)
  length = 0

  /** Of an event line. `event` is its name in the service. */
  ofLine(line: Buffer, head: Head, event: string): this {
    this.#name(event, headId(line, head))
    const uuid = uuidOffset(0)
    line.copy(this.bytes, 0, uuid, uuid + UUID_LENGTH)
    return this
  }

  /** Of an event in the service. */
  ofId(uuid: string, event: string, distinctId: string): this {
    this.#name(event, distinctId)
    this.bytes.write(uuid, 0, 'latin1')
    return this
  }

  /** The share that the event's uuid is in. */
  share(of: number): number {
    return uuidShare(this.bytes, 0, of)
  }

  #name(event: string, distinctId: string): void {
    // The service stores no NUL.
    const name = `${event}\0${distinctId.replaceAll('\0', '\ufffd')}`
    const needed = UUID_LENGTH + 3 * name.length
    if (needed > this.bytes.length) this.bytes = Buffer.alloc(2 * needed)
    this.length = UUID_LENGTH + this.bytes.write(name, UUID_LENGTH)
  }
}

/** A set of events of one day, without the events themselves: 56 bytes each at most. */
export class EventSet {
  size = 0
  readonly #seen = new SeenEvents(1024, new BufferPool())

  /** Adds an event. False if it is in the set already. */
  add({ bytes, length }: EventKey): boolean {
    if (this.#seen.count(bytes, 0, UUID_LENGTH, length) > 0) return false
    this.size++
    return true
  }

  has({ bytes, length }: EventKey): boolean {
    return this.#seen.has(bytes, 0, UUID_LENGTH, length)
  }
}
