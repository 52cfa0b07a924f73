import { Batcher, type BatchLimits } from '../delivery/batcher.ts'
import { ID_BURST, laneOf } from '../delivery/distinct-id.ts'
import { DRY_ENVELOPE } from '../delivery/dry-run.ts'
import type { Pace } from '../delivery/pacer.ts'
import { START } from '../delivery/place.ts'
import type { Head } from '../record/head.ts'

/** How an import fills its batches. */
export interface Batching {
  readonly pace: Pace
  readonly limits: BatchLimits
}

const SOURCE = { offset: 0, line: 1, file: undefined, record: undefined }

/** Counts the batches that an import makes of event lines, in their order. */
export class BatchCount {
  readonly #lanes: number
  readonly #batcher: Batcher
  #batches = 0

  constructor({ pace, limits }: Batching) {
    const { lanes } = pace
    this.#lanes = lanes
    const most = { ...limits, ofId: ID_BURST }
    const options = { lanes, limits: most, envelope: DRY_ENVELOPE, youngFrom: Number.POSITIVE_INFINITY }
    this.#batcher = new Batcher(options, (batch) => {
      this.#batches++
      this.#batcher.recycle(batch)
    })
  }

  add(line: Buffer, head: Head): void {
    const lane = laneOf(line, head.distinctIdStart, head.distinctIdEnd, this.#lanes)
    this.#batcher.event(lane, START, { head, bytes: line, start: 0, end: line.length, source: SOURCE })
  }

  /** How often an event had an earlier day than the event before it. */
  get daysBack(): number {
    return this.#batcher.daysBack
  }

  /** The number of them. No line can be added after that. */
  total(): number {
    this.#batcher.flush()
    return this.#batches
  }
}
