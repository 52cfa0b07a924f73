const LEAST_SLOTS = 1 << 12

/**
 * A set of hashes of 64 bits in two halves, of bounded size. Among a few million, two different records have one hash
 * with a chance of less than one in a million.
 */
export class DistinctSet {
  readonly #most: number
  #low = new Int32Array(LEAST_SLOTS)
  #high = new Int32Array(LEAST_SLOTS)
  #size = 0

  constructor(most: number) {
    this.#most = most
  }

  /** True when the set has room for no more. */
  get full(): boolean {
    return this.#size >= this.#most
  }

  /** Adds a hash; false if the set has it already. */
  add(low: number, high: number): boolean {
    // An empty slot is 0, 0.
    const first = low === 0 && high === 0 ? 1 : low
    const slot = this.#find(first, high)
    if (this.#low[slot] !== 0 || this.#high[slot] !== 0) return false
    this.#low[slot] = first
    this.#high[slot] = high
    if (++this.#size * 4 > this.#low.length * 3) this.#grow()
    return true
  }

  /** Where the hash is, or the free slot where it belongs. */
  #find(low: number, high: number): number {
    const mask = this.#low.length - 1
    let slot = low & mask
    while (
      (this.#low[slot] !== 0 || this.#high[slot] !== 0) &&
      (this.#low[slot] !== low || this.#high[slot] !== high)
    ) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const [low, high] = [this.#low, this.#high]
    this.#low = new Int32Array(low.length * 2)
    this.#high = new Int32Array(low.length * 2)
    for (const [from, half] of low.entries()) {
      if (half === 0 && high[from] === 0) continue
      const slot = this.#find(half, high[from]!)
      this.#low[slot] = half
      this.#high[slot] = high[from]!
    }
  }
}

/** A hash of 64 bits over spans of bytes, in which it counts where one span ends and the next begins. */
export class SpanHash {
  low = 0
  high = 0

  reset(): void {
    this.low = 0x2f0b4a37
    this.high = 0x5bd1e995
  }

  add(bytes: Buffer, start: number, end: number): void {
    let { low, high } = this
    for (let i = start; i < end; i++) {
      low = Math.imul(low ^ bytes[i]!, 0x9e3779b1)
      high = Math.imul(high ^ bytes[i]!, 0x5f356495)
    }
    const length = end - start
    // The halves are mixed, so that each depends on all bits of both.
    this.low = Math.imul(low ^ (high >>> 15) ^ length, 0x85ebca6b)
    this.high = Math.imul(high ^ (this.low >>> 13) ^ length, 0xc2b2ae35)
  }
}
