/** What is wrong with Avro data. `at` is a byte of the block, or of the file, that is being read. */
export class AvroFault extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.name = 'AvroFault'
    this.at = at
  }
}

/** Reads the numbers and lengths of Avro's binary form out of a block that is whole in memory. */
export class Cursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  end = 0
  /** Objects open around the value under way. */
  depth = 0

  reset(bytes: Buffer): void {
    this.bytes = bytes
    this.at = 0
    this.end = bytes.length
    this.depth = 0
  }

  /** Moves past `count` bytes; returns where they begin. */
  skip(count: number): number {
    const start = this.at
    if (count < 0 || count > this.end - start)
      throw new AvroFault('a value reaches over the end of its block', start)
    this.at = start + count
    return start
  }

  byte(): number {
    return this.bytes[this.skip(1)]!
  }

  /** A length, a count or an index: what does not fit into 53 bits is damage. */
  size(): number {
    const start = this.at
    const value = this.long()
    if (typeof value === 'bigint') throw new AvroFault('a length is beyond all bounds', start)
    return value
  }

  /** A 64-bit integer, exact: a bigint where a number would round. */
  long(): number | bigint {
    const { bytes, end } = this
    let at = this.at
    let value = 0
    let scale = 1
    // Seven bytes hold 49 bits, which a number takes.
    for (let i = 0; i < 7; i++) {
      if (at >= end) throw new AvroFault('a number reaches over the end of its block', this.at)
      const byte = bytes[at++]!
      value += (byte & 0x7f) * scale
      if (byte < 0x80) {
        this.at = at
        return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      }
      scale *= 128
    }
    return this.#rest(BigInt(value), at)
  }

  #rest(low: bigint, from: number): number | bigint {
    let at = from
    let value = low
    for (let shift = 49n; shift <= 63n; shift += 7n) {
      if (at >= this.end) throw new AvroFault('a number reaches over the end of its block', this.at)
      const byte = this.bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte >= 0x80) continue
      this.at = at
      const exact = BigInt.asIntN(64, (value >> 1n) ^ -(value & 1n))
      const small = Number(exact)
      return Number.isSafeInteger(small) ? small : exact
    }
    throw new AvroFault('a number has too many bytes', this.at)
  }
}
