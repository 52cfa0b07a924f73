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
