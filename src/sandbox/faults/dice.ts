import { type Fault, isOfEvents, parseFault } from './fault.ts'

/** The faults in which a project is over its quota, however that is said. */
const OVER: ReadonlySet<string> = new Set(['quota', 'quota-said'])

/** Where a fault can strike: a door, or one kind of request of the project API. */
export type Place = NonNullable<Fault['on']> | 'download-order' | 'download-link'

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
      roll: seededRandom(seed * 1_000_003 + at),
      struck: 0,
    }))
  }

  /** True while a fault has the project over its quota. */
  isOverQuota(stored: number): boolean {
    return this.#dice.some((die) => OVER.has(die.fault.kind) && isOpen(die, stored))
  }

  /**
   * The fault that strikes this request, or this event of one, if any. `stored`: the events that were stored before. All dice
   * that can strike are rolled, and the first that hits counts.
   */
  strike(on: Place, stored: number, ofEvents = false): Fault | undefined {
    const [hit] = this.#dice
      .filter(({ fault }) => isOfEvents(fault) === ofEvents && strikesOn(fault, on))
      .filter(({ fault, roll }) => roll() < fault.rate)
      .filter((die) => isOpen(die, stored))
    if (hit) hit.struck++
    return hit?.fault
  }
}

function isOpen({ fault, struck }: Die, stored: number): boolean {
  return stored >= (fault.after ?? 0) && struck < (fault.times ?? Number.POSITIVE_INFINITY)
}

function strikesOn(fault: Fault, place: Place): boolean {
  const own = placeOf(fault)
  return own === place || (own === 'ingest' && (place === 'batch' || place === 'v1'))
}

function placeOf({ kind, of, on = 'ingest' }: Fault): Place {
  if (kind === 'too-many-downloads') return 'download-order'
  if (kind === 'download-expired') return of === 'file' ? 'download-link' : 'download'
  return on
}

/** Uniform numbers from 0 to 1, seeded (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
