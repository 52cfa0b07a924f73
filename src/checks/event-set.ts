import type { Head } from '../record/head.ts'
import { uuidOffset } from '../record/head.ts'
import { uuidShare } from '../record/uuid-share.ts'
import { BufferPool } from '../transform/run/buffer-pool.ts'
import { SeenEvents } from '../transform/seal/dedupe.ts'

const UUID_LENGTH = 36

/** What tells events of one day apart: uuid, name and distinct id. Each `of…` overwrites the last. */
export class EventKey {
  bytes = Buffer.alloc(1024)
  length = 0

  /** Of an event line. `event` is its name in the service. */
  ofLine(line: Buffer, { distinctIdStart, distinctIdEnd }: Head, event: string): this {
    const distinctId = JSON.parse(line.toString('utf8', distinctIdStart, distinctIdEnd)) as string
    this.#name(event, distinctId)
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
