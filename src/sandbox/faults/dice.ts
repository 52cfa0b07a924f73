import type { Fault } from './fault.ts'
import { parseFault } from './parse.ts'

/** What faults need to know about a request. */
export interface Target {
  readonly on: 'ingest' | 'api'
  /** Events stored before this request. */
  readonly stored: number
}

interface Die {
  readonly fault: Fault
  readonly roll: () => number
  struck: number
}

/** Decides which requests go wrong: the same seed and order of requests give the same faults. */
export class FaultDice {
  readonly #dice: Die[]

  constructor(faults: readonly (string | Fault)[], seed: number) {
    this.#dice = faults.map((fault, at) => ({
      fault: typeof fault === 'string' ? parseFault(fault) : fault,
      // Every fault has random numbers of its own, so that adding a fault does not change when the others strike.
      roll: random(seed * 1_000_003 + at),
      struck: 0,
    }))
  }

  /** The fault that strikes this request, if any; the first listed wins. */
  strike({ on, stored }: Target): Fault | undefined {
    let hit: Die | undefined
    for (const die of this.#dice) {
      const { fault } = die
      if ((fault.on ?? 'ingest') !== on) continue
      const unlucky = die.roll() < fault.rate
      const open = stored >= (fault.after ?? 0) && die.struck < (fault.times ?? Number.POSITIVE_INFINITY)
      if (unlucky && open) hit ??= die
    }
    if (hit) hit.struck++
    return hit?.fault
  }
}

/** Uniform numbers from 0 to 1, seeded (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
