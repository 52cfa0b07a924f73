import { ByteWriter } from '../../record/writer.ts'

/**
 * Memory that serves one day after another: fresh buffers for each would wait for the collector, which sees no need
 * to hurry, and add up to a hundred megabytes.
 */
export class Room {
  /** For what is written. */
  readonly out = new ByteWriter(0)
  readonly #blocks: Buffer[] = []
  #taken = 0

  /** Takes all blocks back. */
  clear(): void {
    this.#taken = 0
  }

  /** A block of so many bytes or more. */
  block(size: number): Buffer {
    const at = this.#taken++
    let block = this.#blocks[at]
    if (block === undefined || block.length < size) {
      block = Buffer.allocUnsafeSlow(size)
      this.#blocks[at] = block
    }
    return block
  }
}
