import { Random } from '../../bench/generate/random.ts'

/** What the service, or the network before it, does wrong with a request. */
export const FAULTS = [
  '429 with Retry-After 0',
  '429 with Retry-After 1',
  '500',
  '502 with a web page',
  '503',
  '504 with nothing',
  'reset before the body is read',
  'reset within the body',
  'reset after the body',
  'answer lost after storing',
  'answer in drips',
  'slow reading',
  '200 with a web page',
  '200 with nothing',
  '200 with cut JSON',
  'answer cut off within',
] as const

export type Fault = (typeof FAULTS)[number]

/** Says by a seed which requests suffer, and what. */
export class Dice {
  readonly counts: Partial<Record<Fault, number>> = {}
  readonly #share: number
  readonly #random: Random

  constructor(share: number, seed: number) {
    this.#share = share
    this.#random = new Random(seed)
  }

  throw(): Fault | undefined {
    if (this.#random.next() >= this.#share) return undefined
    const fault = this.#random.pick(FAULTS)
    this.counts[fault] = (this.counts[fault] ?? 0) + 1
    return fault
  }
}
