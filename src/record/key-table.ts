import { hashBytes } from './bytes.ts'

/** A fixed set of keys, found by their bytes and hash without decoding. Keys are raw JSON text without quotes. */
export class KeyTable {
  readonly #keys: readonly Buffer[]
  readonly #hashes: Int32Array
  readonly #slots: Int16Array
  readonly #mask: number

  constructor(keys: readonly Buffer[]) {
    let size = 4
    while (size < keys.length * 2) size *= 2
    this.#keys = keys
    this.#hashes = new Int32Array(keys.length)
    this.#slots = new Int16Array(size).fill(-1)
    this.#mask = size - 1
    for (const [index, key] of keys.entries()) {
      const hash = hashBytes(key, 0, key.length)
      this.#hashes[index] = hash
      let slot = hash & this.#mask
      while (this.#slots[slot] !== -1) slot = (slot + 1) & this.#mask
      this.#slots[slot] = index
    }
  }

  /** The key's index in the list given at construction, or -1. */
  find(bytes: Buffer, start: number, end: number, hash: number): number {
    for (let slot = hash & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = this.#slots[slot]!
      if (index === -1) return -1
      if (this.#hashes[index] === hash && isKey(this.#keys[index]!, bytes, start, end)) return index
    }
  }
}

function isKey(key: Buffer, bytes: Buffer, start: number, end: number): boolean {
  if (key.length !== end - start) return false
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[start + i]) return false
  return true
}
