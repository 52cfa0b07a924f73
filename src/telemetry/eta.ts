import { MS_PER_MINUTE } from '../text/units.ts'
import type { FateCounts } from './entry.ts'

/** How much of a piece of work is done. */
export interface Advance {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Events that are done, if events are counted. */
  readonly events?: number
  /** The same by their fate. */
  readonly counts?: FateCounts
}

interface Sample {
  readonly at: number
  readonly bytes: number
  readonly events: number
}

const WINDOW_MS = MS_PER_MINUTE

/** Estimates the time left from the bytes left and the speed of the last minute. The rate cap is a lower bound. */
export class Eta {
  readonly #perSecond: number | undefined
  readonly #samples: Sample[] = []
  #movedAt: number | undefined
  #lastAt = 0

  /** `perSecond`: the most events a second, when there is a cap. */
  constructor(perSecond?: number) {
    this.#perSecond = perSecond
  }

  /** Records how much is done at the time `at` (milliseconds). */
  sample(at: number, { doneBytes, events = 0 }: Advance): void {
    this.#lastAt = at
    if (doneBytes !== this.#samples.at(-1)?.bytes) this.#movedAt = at
    // Another piece of work has begun.
    if (doneBytes < (this.#samples.at(-1)?.bytes ?? 0)) this.#samples.length = 0
    this.#samples.push({ at, bytes: doneBytes, events })
    while (this.#samples.length > 2 && at - this.#samples[1]!.at >= WINDOW_MS) this.#samples.shift()
  }

  /** Milliseconds since more was done. */
  get stillMs(): number {
    return this.#lastAt - (this.#movedAt ?? this.#lastAt)
  }

  /** Events and bytes a second over the last minute. */
  get speed(): { readonly events: number; readonly bytes: number } {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (!first || !last || last.at <= first.at) return { events: 0, bytes: 0 }
    const seconds = (last.at - first.at) / 1000
    return { events: (last.events - first.events) / seconds, bytes: (last.bytes - first.bytes) / seconds }
  }

  /** Milliseconds left, or undefined while nothing is known about the speed. */
  left({ doneBytes, totalBytes, events = 0 }: Advance): number | undefined {
    const bytesLeft = Math.max(0, totalBytes - doneBytes)
    const speed = this.speed.bytes
    const bySpeed = speed > 0 ? (bytesLeft * 1000) / speed : undefined
    const eventsLeft = doneBytes > 0 ? (bytesLeft / doneBytes) * events : 0
    const byCap =
      this.#perSecond !== undefined && eventsLeft > 0 ? (eventsLeft * 1000) / this.#perSecond : undefined
    return bySpeed === undefined ? byCap : Math.max(bySpeed, byCap ?? 0)
  }
}
