import { hashBytes, mixed } from '../record/bytes.ts'
import type { Id } from '../record/id.ts'

/** Once this number of ids is known, all are forgotten before the next unit. */
const KNOWN = 50_000
/** So many may be seen between two calls of `take`. */
const SEEN = 50_000

/** Seen in one record: an anonymous id beside the user it belongs to. */
export interface LinkSeen {
  readonly kind: 'link'
  readonly anonymous: string
  readonly user: string
  readonly instant: number
  readonly seq: number
}

/**
 * The anonymous ids that a worker has seen, over all its units, each with the earliest place it was seen at. Most
 * records tell of an id what an earlier one told already. Such a sighting is left out for good, whichever unit the
 * earlier one is in, and whatever became of that unit: the earliest sighting of all is left out nowhere, so the unit that
 * holds it brings it however often, in whatever order and by whichever worker units are mapped.
 */
export class FirstLinks {
  readonly #numbers = new IdNumbers()
  /** By an id's number. */
  readonly #instants: number[] = []
  readonly #seqs: number[] = []
  /** The round, from one call of `take` to the next, that an id was last seen in. */
  readonly #rounds: number[] = []
  #round = 0
  #count = 0
  readonly #fresh = new Map<number, LinkSeen>()

  /** True when `take` must be called before the next one is noted. */
  get isFull(): boolean {
    return this.#count === SEEN
  }

  note(anonymous: Id, user: Id, instant: number, seq: number): void {
    const known = this.#numbers.count
    const number = this.#numbers.of(anonymous)
    if (number === known) {
      this.#instants[number] = Number.POSITIVE_INFINITY
      this.#rounds[number] = -1
    }
    if (this.#rounds[number] !== this.#round) {
      this.#rounds[number] = this.#round
      this.#count++
    }
    const before = this.#instants[number]!
    // The very same record again counts as new: its unit is mapped once more.
    if (before < instant || (before === instant && this.#seqs[number]! < seq)) return
    this.#instants[number] = instant
    this.#seqs[number] = seq
    this.#fresh.set(number, { kind: 'link', anonymous: anonymous.text, user: user.text, instant, seq })
  }

  /** The sightings noted since the last call that are the earliest known of their ids. */
  take(): LinkSeen[] {
    const fresh = [...this.#fresh.values()]
    this.#fresh.clear()
    this.#round++
    this.#count = 0
    if (this.#numbers.count >= KNOWN) this.#numbers.clear()
    return fresh
  }
}

const NONE = -1

/** Numbers ids in the order in which they are met: 0, 1, 2 ... They are compared as bytes, so that few become strings. */
export class IdNumbers {
  #count = 0
  /** By hash, a number; NONE for a free slot. */
  #slots = new Int32Array(4096).fill(NONE)
  #hashes = new Int32Array(2048)
  /** Where each id begins in `#spelled`; the last entry is where the next one will. */
  #starts = new Uint32Array(2049)
  #spelled = Buffer.alloc(65_536)

  get count(): number {
    return this.#count
  }

  clear(): void {
    this.#slots.fill(NONE)
    this.#count = 0
  }

  /** The id's number: `count`, as it was before, for one that was not met yet. */
  of(id: Id): number {
    if (id.bytes !== undefined) return this.#of(id.bytes, id.start, id.end)
    const bytes = Buffer.from(id.text)
    return this.#of(bytes, 0, bytes.length)
  }

  #of(bytes: Buffer, start: number, end: number): number {
    const hash = mixed(hashBytes(bytes, start, end)) | 0
    const mask = this.#slots.length - 1
    let slot = hash & mask
    for (let number = this.#slots[slot]!; number !== NONE; number = this.#slots[slot]!) {
      if (this.#hashes[number] === hash && this.#isSpelled(number, bytes, start, end)) return number
      slot = (slot + 1) & mask
    }
    return this.#add(slot, hash, bytes.subarray(start, end))
  }

  #isSpelled(number: number, bytes: Buffer, start: number, end: number): boolean {
    const from = this.#starts[number]!
    if (this.#starts[number + 1]! - from !== end - start) return false
    for (let i = start, j = from; i < end; i++, j++) if (bytes[i] !== this.#spelled[j]) return false
    return true
  }

  #add(slot: number, hash: number, spelled: Buffer): number {
    const number = this.#count++
    const from = this.#starts[number]!
    const to = from + spelled.length
    if (to > this.#spelled.length) this.#spelled = Buffer.concat([this.#spelled, Buffer.alloc(to)])
    spelled.copy(this.#spelled, from)
    this.#hashes[number] = hash
    this.#starts[number + 1] = to
    this.#slots[slot] = number
    if (this.#count === this.#hashes.length) this.#grow()
    return number
  }

  /** Twice the room, in which half of the slots are free again. */
  #grow(): void {
    const room = 2 * this.#count
    const [hashes, starts] = [this.#hashes, this.#starts]
    this.#hashes = new Int32Array(room)
    this.#hashes.set(hashes)
    this.#starts = new Uint32Array(room + 1)
    this.#starts.set(starts)
    this.#slots = new Int32Array(2 * room).fill(NONE)
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.#count; number++) {
      let slot = hashes[number]! & mask
      while (this.#slots[slot] !== NONE) slot = (slot + 1) & mask
      this.#slots[slot] = number
    }
  }
}
