/** A power of two. */
const SLOTS = 2048

/** Names met lately, by 64 bits of hash: the last one for each slot. */
export class NameCache {
  readonly #hashes = new Uint32Array(2 * SLOTS)
  readonly #names = new Array<string | undefined>(SLOTS).fill(undefined)

  /** The name whose hash is in the two words at `at`, unless another one took its place. */
  find(words: Uint32Array, at: number): string | undefined {
    const slot = words[at]! & (SLOTS - 1)
    const isHere = this.#hashes[2 * slot] === words[at] && this.#hashes[2 * slot + 1] === words[at + 1]
    return isHere ? this.#names[slot] : undefined
  }

  keep(words: Uint32Array, at: number, name: string): void {
    const slot = words[at]! & (SLOTS - 1)
    this.#hashes[2 * slot] = words[at]!
    this.#hashes[2 * slot + 1] = words[at + 1]!
    this.#names[slot] = name
  }
}
