import { hashBytes, type Id, mixed } from '../record/index.ts'

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
    return this.#add(slot, hash, bytes, start, end)
  }

  #isSpelled(number: number, bytes: Buffer, start: number, end: number): boolean {
    const from = this.#starts[number]!
    if (this.#starts[number + 1]! - from !== end - start) return false
    for (let i = start, j = from; i < end; i++, j++) if (bytes[i] !== this.#spelled[j]) return false
    return true
  }

  #add(slot: number, hash: number, bytes: Buffer, start: number, end: number): number {
    const number = this.#count++
    const from = this.#starts[number]!
    const to = from + end - start
    if (to > this.#spelled.length) this.#spelled = Buffer.concat([this.#spelled, Buffer.alloc(to)])
    bytes.copy(this.#spelled, from, start, end)
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
