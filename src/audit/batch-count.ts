import { Batcher, type BatchLimits } from '../delivery/batcher.ts'
import { DRY_ENVELOPE } from '../delivery/dry-run.ts'
import { laneOf } from '../delivery/lane.ts'
import { START } from '../delivery/place.ts'
import type { Head } from '../record/head.ts'

/** How an import fills its batches. */
export interface Batching {
  readonly lanes: number
  readonly limits: BatchLimits
}

const SOURCE = { offset: 0, line: 1, file: undefined, record: undefined }

/** Counts the batches that an import makes of event lines, in their order. */
export class BatchCount {
  readonly #lanes: number
  readonly #batcher: Batcher
  #batches = 0

  constructor({ lanes, limits }: Batching) {
    this.#lanes = lanes
    const options = { lanes, limits, envelope: DRY_ENVELOPE, youngFrom: Number.POSITIVE_INFINITY }
    this.#batcher = new Batcher(options, (batch) => {
      this.#batches++
      this.#batcher.recycle(batch)
    })
  }

  add(line: Buffer, { instant, distinctIdStart, distinctIdEnd }: Head): void {
    const lane = laneOf(line, distinctIdStart, distinctIdEnd, this.#lanes)
    this.#batcher.event(lane, instant, START, line, 0, line.length, SOURCE)
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
