import { MIB } from '../units.ts'
import type { Batch } from './batch.ts'

// Enough for a few full batches under way. More only costs memory.
const QUEUE_BYTES = 16 * MIB
const QUEUE_BATCHES = 64

/** The lanes' queues: closed batches in order, until they are acknowledged. */
export class Lanes {
  readonly #queues: Batch[][]
  #bytes = 0
  #batches = 0
  #closed = false
  #waiting: (() => void)[] = []
  readonly #halt: AbortSignal

  /** After `halt` aborts, every wait ends. */
  constructor(count: number, halt: AbortSignal) {
    this.#queues = Array.from({ length: count }, () => [])
    this.#halt = halt
    halt.addEventListener('abort', () => this.#wake())
  }

  /** True if reading on would only fill memory. */
  get full(): boolean {
    return this.#bytes > QUEUE_BYTES || this.#batches > QUEUE_BATCHES * this.#queues.length
  }

  /** Records in the queues, including those under way. */
  get records(): number {
    return this.#queues.flat().reduce((sum, batch) => sum + batch.records, 0)
  }

  push(batch: Batch): void {
    this.#queues[batch.lane]!.push(batch)
    this.#bytes += batch.heldBytes
    this.#batches++
    this.#wake()
  }

  /** No more batches will come. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** The lane's next batch, when its day may be sent; undefined if no more will come, or after a halt. */
  async next(lane: number): Promise<Batch | undefined> {
    const queue = this.#queues[lane]!
    while (!this.#halt.aborted) {
      const batch = queue[0]
      if (batch && this.#queues.every(([other]) => other === undefined || other.epoch >= batch.epoch))
        return batch
      if (!batch && this.#closed) return undefined
      await this.#change()
    }
    return undefined
  }

  /** Removes the lane's first batch, which is acknowledged. */
  shift(lane: number): void {
    const batch = this.#queues[lane]!.shift()
    if (!batch) return
    this.#bytes -= batch.heldBytes
    this.#batches--
    this.#wake()
  }

  /** Resolves when the queues have room for more, or after a halt. */
  async room(): Promise<void> {
    while (this.full && !this.#halt.aborted) await this.#change()
  }

  /** Each lane's first batch that is not acknowledged. `open` holds the batches that are not closed yet. */
  first(open: readonly (Batch | undefined)[]): (Batch | undefined)[] {
    return this.#queues.map((queue, lane) => queue[0] ?? open[lane])
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
