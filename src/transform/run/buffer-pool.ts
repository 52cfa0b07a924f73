import { ByteWriter } from '../../record/byte-writer.ts'
import { MIB } from '../../text/units.ts'

/** Tables up to this size are kept for the next day. */
const KEPT_TABLE_BYTES = 16 * MIB

/**
 * Memory that serves one day after another. New buffers for each day would wait for the garbage collector, and add up
 * to a hundred megabytes.
 */
export class BufferPool {
  /** For what is written. */
  readonly out = new ByteWriter(0)
  readonly #blocks: Buffer[] = []
  #table: Buffer = Buffer.alloc(0)
  #taken = 0

  /** Takes all blocks back. */
  clear(): void {
    this.#taken = 0
  }

  /** A block of at least `size` bytes. */
  block(size: number): Buffer {
    const at = this.#taken++
    let block = this.#blocks[at]
    if (block === undefined || block.length < size) {
      block = Buffer.allocUnsafeSlow(size)
      this.#blocks[at] = block
    }
    return block
  }

  /** A table of `size` zero bytes, in place of the one before. */
  table(size: number): Buffer {
    if (size > KEPT_TABLE_BYTES) return Buffer.alloc(size)
    if (this.#table.length < size) this.#table = Buffer.allocUnsafeSlow(size)
    return this.#table.subarray(0, size).fill(0)
  }
}
