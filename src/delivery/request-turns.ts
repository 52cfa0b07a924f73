import type { BatchLimits } from './batcher.ts'
import { type Pace, ratePerSecond } from './pacer.ts'

/**
 * Counts the requests of an import that follow one another. Lanes send at the same time, but a day begins only after the one
 * before it was answered: of a file that goes back and forth in time hardly two requests are under way at once.
 */
export class RequestTurns {
  readonly #lanes: { events: number; bytes: number; turns: number }[]
  readonly #limits: Pick<BatchLimits, 'events' | 'bytes'>
  #epoch: number | undefined
  #day: number | undefined
  #days = 0
  #past = 0

  constructor(lanes: number, limits: Pick<BatchLimits, 'events' | 'bytes'>) {
    this.#lanes = Array.from({ length: lanes }, () => ({ events: 0, bytes: 0, turns: 0 }))
    this.#limits = limits
  }

  /** How many requests follow one another. */
  get total(): number {
    return this.#past + Math.max(...this.#lanes.map(({ turns }) => turns))
  }

  /** Counts a request of a lane. `epoch` grows with each change of the day. */
  request(lane: number, epoch: number): void {
    if (epoch !== this.#epoch) {
      this.#past = this.total
      for (const one of this.#lanes) one.turns = 0
      this.#epoch = epoch
    }
    this.#lanes[lane]!.turns++
  }

  /** Counts an event line of so many bytes, as one that goes into a request. */
  event(lane: number, day: number, bytes: number): void {
    if (day !== this.#day) {
      this.#day = day
      this.#days++
      for (const one of this.#lanes) one.events = 0
    }
    const open = this.#lanes[lane]!
    const isFull = open.events >= this.#limits.events || open.bytes + bytes + 1 > this.#limits.bytes
    if (open.events === 0 || isFull) {
      this.request(lane, this.#days)
      open.events = 0
      open.bytes = 0
    }
    open.events++
    open.bytes += bytes + 1
  }
}

/** What an import sends. */
interface Load {
  readonly events: number
  /** Requests that follow one another. */
  readonly turns: number
  /** How long the service takes to answer, in milliseconds; undefined where nobody has measured it. */
  readonly answerMs: number | undefined
}

/** The least time of an import, in milliseconds: by the cap of events, or by the requests that wait for one another. */
export function leastSendMs(pace: Pace, { events, turns, answerMs = 0 }: Load): number {
  return Math.max((events / ratePerSecond(pace)) * 1000, turns * answerMs)
}
