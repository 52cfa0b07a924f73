/** What is wrong with Avro data. `at` is a byte of the file, or of the block, that is being read. */
export class AvroFault extends Error {
  readonly at: number | undefined

  constructor(message: string, at?: number) {
    super(message)
    this.name = 'AvroFault'
    this.at = at
  }
}

/** Reads the numbers and lengths of Avro's binary form out of bytes that are in memory. */
export class Cursor {
  bytes: Buffer = Buffer.alloc(0)
  at = 0
  end = 0

  reset(bytes: Buffer): void {
    this.bytes = bytes
    this.at = 0
    this.end = bytes.length
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
    const value = this.long()
    if (typeof value === 'bigint') throw new AvroFault('a length is beyond all bounds', this.at)
    return value
  }

  /** A 64-bit integer, exact: a bigint where a number would round. Seven bits a byte, the sign in the lowest. */
  long(): number | bigint {
    let value = 0
    let scale = 1
    // Seven bytes hold 49 bits, which a number takes.
    for (let i = 0; i < 7; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
      scale *= 128
    }
    let large = BigInt(value)
    for (let shift = 49n; shift <= 63n; shift += 7n) {
      const byte = this.byte()
      large |= BigInt(byte & 0x7f) << shift
      if (byte >= 0x80) continue
      const exact = BigInt.asIntN(64, (large >> 1n) ^ -(large & 1n))
      return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
    }
    throw new AvroFault('a number has too many bytes', this.at)
  }
}
