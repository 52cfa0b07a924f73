import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { sum } from '../../text/lists.ts'
import type { ExportState } from '../export-state.ts'
import { gunzipped } from '../line-tally.ts'
import type { CountedBy } from '../source.ts'
import type { WindowSpan } from '../window.ts'
import { counted, PartCounter } from './part-counter.ts'
import { loadCounts, type PartCounts, SLOT_MS, saveCounts } from './part-counts.ts'

interface CountedWindow {
  readonly name: string
  readonly span: WindowSpan
  readonly by: CountedBy
}

// Years of quarters of an hour, by event, fill memory. What is beyond this is read again each time.
const MOST_CELLS = 2_000_000

interface ExportPlace {
  readonly store: Store
  readonly state: ExportState
  readonly signal: AbortSignal
}

/** What the parts of an export hold, by event and time. A part whose counts are not known is read once. */
export class ExportedCounts {
  readonly #windows: readonly CountedWindow[]
  readonly #place: ExportPlace
  readonly #kept = new Map<string, PartCounts>()
  #cells = 0

  constructor(windows: readonly CountedWindow[], place: ExportPlace) {
    this.#windows = windows
    this.#place = place
  }

  /** Events by name, and how many parts are too large to tell copies apart. */
  async names(): Promise<{ names: Map<string, number>; uncertainParts: number }> {
    const names = new Map<string, number>()
    let uncertainParts = 0
    for await (const { counts, copies } of this.#parts()) {
      if (copies === null) uncertainParts++
      for (const [name, slots] of counts) names.set(name, (names.get(name) ?? 0) + sum([...slots.values()]))
    }
    return { names, uncertainParts }
  }

  /** Events of the given names by quarter of an hour. */
  async slots(names: ReadonlySet<string | null>): Promise<Map<number, number>> {
    const sums = new Map<number, number>()
    for await (const { counts } of this.#parts()) {
      for (const [name, slots] of counts) {
        if (!names.has(name)) continue
        for (const [slot, count] of slots) sums.set(slot, (sums.get(slot) ?? 0) + count)
      }
    }
    return sums
  }

  async days(days: readonly WindowSpan[]): Promise<Map<string, Float64Array>> {
    const dayOfSlot = new Map<number, number>()
    for (const [day, { start, end }] of days.entries()) {
      for (let slot = Math.round(start / SLOT_MS); slot < Math.round(end / SLOT_MS); slot++)
        dayOfSlot.set(slot, day)
    }
    const sums = new Map<string, Float64Array>()
    for await (const { counts } of this.#parts()) {
      for (const [name, slots] of counts) {
        const ofDays = sums.get(name) ?? new Float64Array(days.length)
        sums.set(name, ofDays)
        for (const [slot, count] of slots) {
          const day = dayOfSlot.get(slot)
          if (day !== undefined) ofDays[day]! += count
        }
      }
    }
    return sums
  }

  async *#parts(): AsyncGenerator<PartCounts> {
    for (const window of this.#windows) {
      this.#goOn()
      const known = this.#kept.get(window.name)
      const counts = known ?? (await this.#countsOf(window))
      if (!known && this.#cells < MOST_CELLS) {
        this.#kept.set(window.name, counts)
        this.#cells += sum([...counts.counts.values()], (slots) => slots.size)
      }
      yield counts
    }
  }

  /** A part's counts, from beside it or else from the part itself. */
  async #countsOf({ name, by }: CountedWindow): Promise<PartCounts> {
    const { store, state } = this.#place
    const { file, sha256, lines } = state.frozen(name)!
    if (lines === 0) return { counts: new Map(), copies: 0, unread: 0 }
    const known = await loadCounts(store, name, sha256)
    if (known) return known
    const counter = new PartCounter(by)
    for await (const _ of counted(gunzipped(store.read(file), store.address(file)), counter)) this.#goOn()
    const counts = counter.end()
    await saveCounts(store, name, sha256, counts)
    return counts
  }

  #goOn(): void {
    if (this.#place.signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
  }
}
