import { sum } from '../text/lists.ts'
import type { FateCounts, MeterReading } from './entry.ts'

interface Stage {
  /** The counts of its other windows. */
  before: FateCounts
  /** Those of its summary, which are exact. */
  told: FateCounts | undefined
  /** What each piece of its work says of itself, the last one that it has said if it is over. */
  readonly works: Map<string, () => MeterReading>
}

/** What becomes of events. `read` is the sum of the others, but for `unconfirmed`, a part of `written`. */
export const FATES = [
  'written',
  'rejected',
  'filtered',
  'duplicate',
  'earlier',
  'pending',
  'unconfirmed',
] as const

/** What the stages of a run have counted. A command that is no run of several is its own only stage. */
export class StageBook {
  readonly #stages = new Map<string, Stage>()
  /** The stage of what begins without one. */
  current = ''

  get stages(): readonly string[] {
    return [...this.#stages.keys()]
  }

  /** From here on all is about this stage. `before`: the counts of its other windows, of earlier runs too. */
  enter(name: string, before: FateCounts = {}): void {
    this.know(name, before)
    this.current = name
  }

  /** Takes what earlier runs counted. */
  know(name: string, before: FateCounts): void {
    this.#stages.set(name, { before, told: undefined, works: new Map() })
  }

  /** Begins a piece of work. Returns what ends it. */
  begin(work: string, read: () => MeterReading): () => void {
    const { works } = this.#stage
    works.set(work, read)
    return () => {
      const last = read()
      if (works.get(work) === read) works.set(work, () => last)
    }
  }

  /** Takes the counts of a summary. */
  tell(counts: FateCounts): void {
    this.#stage.told = counts
  }

  /** Where each piece of work stands. */
  get works(): MeterReading[] {
    return [...this.#stages.values()].flatMap(({ works }) => [...works.values()].map((read) => read()))
  }

  /** The events of a stage, by their fate. */
  events(name: string): FateCounts {
    const stage = this.#stages.get(name)
    if (!stage) return {}
    const now = stage.told ? [stage.told] : [...stage.works.values()].map((read) => read().counts)
    return sumOfFates([stage.before, ...now])
  }

  get #stage(): Stage {
    if (!this.#stages.has(this.current)) this.enter(this.current)
    return this.#stages.get(this.current)!
  }
}

export function sumOfFates(all: readonly FateCounts[]): FateCounts {
  const known = FATES.filter((fate) => all.some((counts) => counts[fate] !== undefined))
  return Object.fromEntries(known.map((fate) => [fate, sum(all.map((counts) => counts[fate] ?? 0))]))
}
