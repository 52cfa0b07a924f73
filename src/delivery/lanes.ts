import { MIB } from '../text/units.ts'
import type { ArrivalWatch } from './arrival-watch.ts'
import type { Batch } from './batch.ts'
import type { Sent } from './route.ts'
import type { Sender } from './sender.ts'

// Enough for a few full batches under way. More only costs memory.
const QUEUE_BYTES = 16 * MIB
const QUEUE_BATCHES = 64

interface Queue {
  readonly toSend: Batch[]
  /** Sent, and not acknowledged: a refusal in it or before it is in doubt. */
  readonly held: Sent[]
}

/** The lanes' queues: closed batches in order, until they are acknowledged. */
export class Lanes {
  readonly #queues: readonly Queue[]
  #bytes = 0
  #batches = 0
  #closed = false
  #waiting: (() => void)[] = []
  readonly #halt: AbortSignal

  /** After `halt` aborts, every wait ends. */
  constructor(count: number, halt: AbortSignal) {
    this.#queues = Array.from({ length: count }, () => ({ toSend: [], held: [] }))
    this.#halt = halt
    halt.addEventListener('abort', () => this.#wake())
  }

  get count(): number {
    return this.#queues.length
  }

  /** True if reading on would only fill memory. */
  get full(): boolean {
    return this.#bytes > QUEUE_BYTES || this.#batches > QUEUE_BATCHES * this.count
  }

  /** Records in the queues, including those under way and those held. */
  get records(): number {
    return this.#queues
      .flatMap(({ toSend, held }) => [...held.map(({ batch }) => batch), ...toSend])
      .reduce((sum, batch) => sum + batch.records, 0)
  }

  /** Events that the service took and that are not acknowledged, because their batches are held. */
  get takenAndHeld(): number {
    return this.#queues
      .flatMap(({ held }) => held)
      .reduce((sum, { batch, refused }) => sum + batch.events - refused.length, 0)
  }

  push(batch: Batch): void {
    this.#queues[batch.lane]!.toSend.push(batch)
    this.#bytes += batch.heldBytes
    this.#batches++
    this.#wake()
  }

  /** No more batches will come. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  /** The lane's next batch to send, when its day may be sent; undefined if no more will come, or after a halt. */
  async next(lane: number): Promise<Batch | undefined> {
    const { toSend } = this.#queues[lane]!
    while (!this.#halt.aborted) {
      const [batch] = toSend
      if (batch && this.#queues.every(({ toSend: [other] }) => !other || other.epoch >= batch.epoch))
        return batch
      if (!batch && this.#closed) return undefined
      await this.#change()
    }
    return undefined
  }

  /** The lane's next batch is sent. It is held until `release` gives it out. */
  hold(lane: number, sent: Sent): void {
    const { toSend, held } = this.#queues[lane]!
    toSend.shift()
    held.push(sent)
    this.#wake()
  }

  /** Takes out the lane's first held batch, to be acknowledged, if the refusals in it are confirmed. */
  release(lane: number, confirmed: number): Sent | undefined {
    const { held } = this.#queues[lane]!
    const [sent] = held
    if (!sent || sent.lastRefusal > confirmed) return undefined
    held.shift()
    this.#bytes -= sent.batch.heldBytes
    this.#batches--
    this.#wake()
    return sent
  }

  /**
   * Resolves to true when nothing goes on by itself: all batches are sent, some are held, and no more come before they
   * are acknowledged. Resolves to false when all is acknowledged and no more will come, or after a halt.
   */
  async stalled(): Promise<boolean> {
    while (!this.#halt.aborted) {
      const isSent = this.#queues.every(({ toSend }) => toSend.length === 0)
      const isHeld = this.#queues.some(({ held }) => held.length > 0)
      if (isSent && isHeld && (this.#closed || this.full)) return true
      if (isSent && !isHeld && this.#closed) return false
      await this.#change()
    }
    return false
  }

  /** Resolves when the queues have room for more, or after a halt. */
  async room(): Promise<void> {
    while (this.full && !this.#halt.aborted) await this.#change()
  }

  /** Each lane's first batch that is not acknowledged. `open` holds the batches that are not closed yet. */
  first(open: readonly (Batch | undefined)[]): (Batch | undefined)[] {
    return this.#queues.map(({ toSend, held }, lane) => held[0]?.batch ?? toSend[0] ?? open[lane])
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

interface DispatchOptions {
  readonly lanes: Lanes
  readonly sender: Sender
  readonly watch: Pick<ArrivalWatch, 'cleared'> | undefined
  readonly halt: AbortSignal
  /** Counts what became of a batch, and records it. No await before it is counted: a snapshot must see all or nothing. */
  readonly acknowledge: (sent: Sent) => Promise<void>
  /** Stops the run, because of an error. */
  readonly stop: (error: unknown) => void
}

/**
 * Sends what comes into the lanes, and acknowledges each batch once no refusal in it is in doubt, each lane in its order.
 * Ends when all is acknowledged, or after a halt; what is held then is not acknowledged, and the next run sends it again.
 */
export async function dispatch(options: DispatchOptions): Promise<void> {
  const { lanes, sender, watch, halt, acknowledge, stop } = options
  const settle = async () => {
    const saves: Promise<void>[] = []
    for (let lane = 0; lane < lanes.count; lane++) {
      for (;;) {
        const sent = lanes.release(lane, sender.confirmed)
        if (!sent) break
        saves.push(acknowledge(sent))
      }
    }
    await Promise.all(saves)
  }
  const sendLane = async (lane: number) => {
    for (;;) {
      const batch = await lanes.next(lane)
      await watch?.cleared(halt)
      const sent = batch && (await sender.send(batch, halt))
      if (!sent) return
      lanes.hold(lane, sent)
      await settle()
    }
  }
  const unstall = async () => {
    while (await lanes.stalled()) {
      await sender.check(halt)
      await settle()
    }
  }
  const sending = Array.from({ length: lanes.count }, (_, lane) => sendLane(lane))
  await Promise.all([...sending, unstall()].map((work) => work.catch(stop)))
  // The part of a batch that was taken before a halt confirms refusals before it.
  await settle().catch(stop)
}
