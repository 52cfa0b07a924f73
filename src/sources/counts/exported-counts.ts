import { PosthaulError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'
import type { ExportState } from '../export-state.ts'
import { gunzipped } from '../gzip.ts'
import type { WindowSpan } from '../window.ts'
import type { CountedBy } from './counted-by.ts'
import { countsWithin, daysOfPart, overlapsOf, type PartDays } from './overlaps.ts'
import { counted, MOST_DISTINCT, PartCounter } from './part-counter.ts'
import { loadCounts, type PartCounts, SLOT_MS, saveCounts } from './part-counts.ts'

/** A window of events that was exported. */
export interface CountedWindow {
  readonly name: string
  readonly span: WindowSpan
  readonly by: CountedBy
}

// Years of quarters of an hour, by event, fill memory. What is beyond this is read again each time.
const MOST_CELLS = 2_000_000

/** Where an export's parts are, and what is known of them. */
interface ExportPlace {
  readonly store: Store
  readonly state: ExportState
  readonly signal: AbortSignal
  /** An event can be in several parts. */
  readonly overlapping: boolean
}

/**
 * What the parts of an export hold, by event and time. A part whose counts are not known is read once. With `overlapping`
 * an event can be in several parts and counts once all the same: those parts are read again, together.
 */
export class ExportedCounts {
  readonly #windows: readonly CountedWindow[]
  readonly #store: Store
  readonly #state: ExportState
  readonly #signal: AbortSignal
  readonly #overlapping: boolean
  readonly #kept = new Map<string, PartCounts>()
  #cells = 0

  /** Days of overlapping parts that have too many events to tell copies apart. */
  uncertainDays = 0

  constructor(windows: readonly CountedWindow[], { store, state, signal, overlapping }: ExportPlace) {
    this.#overlapping = overlapping
    this.#windows = windows
    this.#store = store
    this.#state = state
    this.#signal = signal
  }

  /** Events by name, and how many parts are too large to tell copies apart. */
  async names(): Promise<{ names: Map<string, number>; uncertainParts: number }> {
    const names = new Map<string, number>()
    let uncertainParts = 0
    for await (const { counts, copies } of this.#parts()) {
      if (copies === null) uncertainParts++
      for (const [name, slots] of counts)
        names.set(name, [...slots.values()].reduce(plus, names.get(name) ?? 0))
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

  /** Events by name, and of each name by day. */
  async days(days: readonly WindowSpan[]): Promise<Map<string, Float64Array>> {
    const dayOfSlot = new Map<number, number>()
    for (const [day, { start, end }] of days.entries()) {
      for (let slot = Math.round(start / SLOT_MS); slot < Math.round(end / SLOT_MS); slot++)
        dayOfSlot.set(slot, day)
    }
    const sums = new Map<string, Float64Array>()
    for await (const { counts } of this.#overlapping ? this.#distinct() : this.#parts()) {
      for (const [name, slots] of counts) {
        const sum = sums.get(name) ?? new Float64Array(days.length)
        sums.set(name, sum)
        for (const [slot, count] of slots) {
          const day = dayOfSlot.get(slot)
          if (day !== undefined) sum[day]! += count
        }
      }
    }
    return sums
  }

  async *#parts(): AsyncGenerator<PartCounts> {
    for (const window of this.#windows) {
      if (this.#signal.aborted) throw interrupted()
      const known = this.#kept.get(window.name)
      const counts = known ?? (await this.#countsOf(window))
      if (!known && this.#cells < MOST_CELLS) {
        this.#kept.set(window.name, counts)
        this.#cells += [...counts.counts.values()].reduce((sum, slots) => sum + slots.size, 0)
      }
      yield counts
    }
  }

  /** The counts of all parts, each event once. */
  async *#distinct(): AsyncGenerator<PartCounts> {
    const days = new Map<string, PartDays>()
    let at = 0
    for await (const counts of this.#parts()) days.set(this.#windows[at++]!.name, daysOfPart(counts))
    const { overlaps, shares } = overlapsOf(days, MOST_DISTINCT)
    for await (const counts of this.#parts()) yield countsWithin(counts, (slot) => !shares(slot))
    for (const { from, until, parts } of overlaps) {
      const found = this.#windows.filter(({ name }) => parts.includes(name))
      const counter = new PartCounter(found[0]!.by, MOST_DISTINCT, (slot) => slot >= from && slot < until)
      for (const { name } of found) await this.#read(name, counter)
      const counts = counter.end()
      if (counts.copies === null) this.uncertainDays++
      yield counts
    }
  }

  /** A part's counts, from beside it or else from the part itself. */
  async #countsOf({ name, by }: CountedWindow): Promise<PartCounts> {
    const { sha256 } = this.#state.frozen(name)!
    const known = await loadCounts(this.#store, name, sha256)
    if (known) return known
    const counter = new PartCounter(by)
    await this.#read(name, counter)
    const counts = counter.end()
    await saveCounts(this.#store, name, sha256, counts)
    return counts
  }

  async #read(name: string, counter: PartCounter): Promise<void> {
    const { file } = this.#state.frozen(name)!
    const lines = gunzipped(this.#store.read(file), this.#store.address(file))
    for await (const _ of counted(lines, counter)) if (this.#signal.aborted) throw interrupted()
  }
}

function interrupted(): PosthaulError {
  return new PosthaulError('interrupted', { code: 'interrupted' })
}

function plus(a: number, b: number): number {
  return a + b
}
