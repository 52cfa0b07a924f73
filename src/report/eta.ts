import { MS_PER_MINUTE } from '../units.ts'

/** How far a piece of work is. */
export interface Advance {
  readonly doneBytes: number
  readonly totalBytes: number
  /** Events that are done, where events are counted. */
  readonly events?: number
}

interface Sample {
  readonly at: number
  readonly bytes: number
  readonly events: number
}

const WINDOW_MS = MS_PER_MINUTE

/** Guesses when work ends: by bytes at the speed of the last minute, and never sooner than the rate cap allows. */
export class Eta {
  readonly #perSecond: number | undefined
  readonly #samples: Sample[] = []

  /** `perSecond`: the most events a second, when there is a cap. */
  constructor(perSecond?: number) {
    this.#perSecond = perSecond
  }

  /** Takes in how far the work is at `at` (milliseconds). */
  sample(at: number, { doneBytes, events = 0 }: Advance): void {
    this.#samples.push({ at, bytes: doneBytes, events })
    while (this.#samples.length > 2 && at - this.#samples[1]!.at >= WINDOW_MS) this.#samples.shift()
  }

  /** Events and bytes a second, lately. */
  get speed(): { readonly events: number; readonly bytes: number } {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (!first || !last || last.at <= first.at) return { events: 0, bytes: 0 }
    const seconds = (last.at - first.at) / 1000
    return { events: (last.events - first.events) / seconds, bytes: (last.bytes - first.bytes) / seconds }
  }

  /** Milliseconds left, or undefined while there is nothing to go by. */
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
