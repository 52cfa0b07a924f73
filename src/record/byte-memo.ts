import { hashBytes } from './bytes.ts'

/** Of longer texts only the first, middle and last bytes are hashed: whole ones are compared anyway. */
const HASHED_WHOLE = 12

/**
 * Remembers what a pure function makes of bytes: the last result for each slot, which the bytes' hash chooses. Comparing
 * bytes takes a quarter of the time of decoding them to look a text up.
 */
export class ByteMemo<Result> {
  readonly #compute: (bytes: Buffer, start: number, end: number) => Result
  readonly #longest: number
  readonly #mask: number
  readonly #results: Array<Result | undefined>
  readonly #hashes: Int32Array
  /** The length and the bytes of what each slot holds. An empty slot has a length that nothing kept has. */
  readonly #lengths: Uint16Array
  readonly #spelled: Buffer

  /** `slots` is a power of two. Of more than `longest` bytes, below 65,535, nothing is remembered. */
  constructor(
    compute: (bytes: Buffer, start: number, end: number) => Result,
    { slots, longest }: { readonly slots: number; readonly longest: number },
  ) {
    this.#compute = compute
    this.#longest = longest
    this.#mask = slots - 1
    this.#results = new Array<Result | undefined>(slots).fill(undefined)
    this.#hashes = new Int32Array(slots)
    this.#lengths = new Uint16Array(slots).fill(longest + 1)
    this.#spelled = Buffer.alloc(slots * longest)
  }

  /** What the function makes of [start, end). */
  of(bytes: Buffer, start: number, end: number): Result {
    const length = end - start
    if (length > this.#longest) return this.#compute(bytes, start, end)
    const hash = hashOf(bytes, start, end)
    const slot = (hash ^ (hash >>> 16)) & this.#mask
    const spelled = this.#spelled
    const at = slot * this.#longest
    if (this.#hashes[slot] === hash && this.#lengths[slot] === length) {
      let i = 0
      while (i < length && spelled[at + i] === bytes[start + i]) i++
      if (i === length) return this.#results[slot] as Result
    }
    const result = this.#compute(bytes, start, end)
    this.#results[slot] = result
    this.#hashes[slot] = hash
    this.#lengths[slot] = length
    for (let i = 0; i < length; i++) spelled[at + i] = bytes[start + i]!
    return result
  }
}

function hashOf(bytes: Buffer, start: number, end: number): number {
  if (end - start <= HASHED_WHOLE) return hashBytes(bytes, start, end)
  let hash = wordAt(bytes, start)
  hash = Math.imul(hash ^ wordAt(bytes, (start + end) >> 1), 0x85ebca6b)
  hash ^= hash >>> 15
  hash = Math.imul(hash ^ wordAt(bytes, end - 4), 0xc2b2ae35)
  return hash ^ (end - start)
}

function wordAt(bytes: Buffer, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}
