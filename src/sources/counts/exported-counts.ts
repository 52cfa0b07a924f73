import { assertGoing } from '../../errors.ts'
import type { Store } from '../../store/store.ts'
import { sum } from '../../text/lists.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import type { ExportState } from '../export-state.ts'
import { gunzipped } from '../line-tally.ts'
import type { CountedBy } from '../source.ts'
import type { WindowSpan } from '../window.ts'
import { counted, MOST_DISTINCT, PartCounter } from './part-counter.ts'
import { loadCounts, type PartCounts, SLOT_MS, saveCounts } from './part-counts.ts'

const SLOTS_PER_DAY = MS_PER_DAY / SLOT_MS

/**
 * Finds the days whose copies must be told apart over parts, and groups them, oldest first, so that no group of several
 * days has more than `most` events, as slots [from, until). `shares`: whether a slot is of such a day.
 */
function overlapsOf(parts: ReadonlyMap<string, ReturnType<typeof daysOfPart>>, most: number) {
  const holders = new Map<number, { count: number; told: boolean; readonly parts: string[] }>()
  for (const [part, { days, told }] of parts) {
    for (const [day, count] of days) {
      const found = holders.get(day) ?? { count: 0, told: true, parts: [] }
      found.count += count
      found.told &&= told
      found.parts.push(part)
      holders.set(day, found)
    }
  }
  const shared = [...holders]
    .filter(([, { parts, told }]) => parts.length > 1 || !told)
    .sort(([a], [b]) => a - b)
  const overlaps: { from: number; until: number; count: number; parts: Set<string> }[] = []
  for (const [day, { count, parts }] of shared) {
    const last = overlaps.at(-1)
    const [from, until] = [day * SLOTS_PER_DAY, (day + 1) * SLOTS_PER_DAY]
    // A gap between the days is a day that is not shared: it is counted elsewhere.
    if (last?.until === from && last.count + count <= most) {
      last.until = until
      last.count += count
      for (const part of parts) last.parts.add(part)
    } else overlaps.push({ from, until, count, parts: new Set(parts) })
  }
  const days = new Set(shared.map(([day]) => day))
  return { overlaps, shares: (slot: number) => days.has(Math.floor(slot / SLOTS_PER_DAY)) }
}

/** A part's events by day since the epoch, and whether its own counts tell copies apart. */
function daysOfPart({ counts, copies }: PartCounts) {
  const days = new Map<number, number>()
  for (const slots of counts.values()) {
    for (const [slot, count] of slots) {
      const day = Math.floor(slot / SLOTS_PER_DAY)
      days.set(day, (days.get(day) ?? 0) + count)
    }
  }
  return { days, told: copies !== null }
}

function countsWithin(part: PartCounts, within: (slot: number) => boolean): PartCounts {
  const counts = [...part.counts].map(([name, slots]): [string, Map<number, number>] => [
    name,
    new Map([...slots].filter(([slot]) => within(slot))),
  ])
  return { ...part, counts: new Map(counts) }
}

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
  readonly overlapping: boolean
}

/**
 * What the parts of an export hold, by event and time. A part whose counts are not known is read once. With `overlapping`
 * an event can be in several parts and counts once all the same: those parts are read again, together.
 */
export class ExportedCounts {
  readonly #windows: readonly CountedWindow[]
  readonly #place: ExportPlace
  readonly #kept = new Map<string, PartCounts>()
  #cells = 0

  /** Days of overlapping parts that have too many events to tell copies apart. */
  uncertainDays = 0

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
    for await (const { counts } of this.#place.overlapping ? this.#distinct() : this.#parts()) {
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

  /** The counts of all parts, each event once. */
  async *#distinct(): AsyncGenerator<PartCounts> {
    const days = new Map<string, ReturnType<typeof daysOfPart>>()
    let at = 0
    for await (const counts of this.#parts()) days.set(this.#windows[at++]!.name, daysOfPart(counts))
    const { overlaps, shares } = overlapsOf(days, MOST_DISTINCT)
    for await (const counts of this.#parts()) yield countsWithin(counts, (slot) => !shares(slot))
    for (const { from, until, parts } of overlaps) {
      const found = this.#windows.filter(({ name }) => parts.has(name))
      const counter = new PartCounter(found[0]!.by, MOST_DISTINCT, (slot) => slot >= from && slot < until)
      for (const { name } of found) await this.#read(name, counter)
      const counts = counter.end()
      if (counts.copies === null) this.uncertainDays++
      yield counts
    }
  }

  /** A part's counts, from beside it or else from the part itself. */
  async #countsOf({ name, by }: CountedWindow): Promise<PartCounts> {
    const { store, state } = this.#place
    const { sha256, lines } = state.frozen(name)!
    if (lines === 0) return { counts: new Map(), copies: 0, unread: 0 }
    const known = await loadCounts(store, name, sha256)
    if (known) return known
    const counter = new PartCounter(by)
    await this.#read(name, counter)
    const counts = counter.end()
    await saveCounts(store, name, sha256, counts)
    return counts
  }

  async #read(name: string, counter: PartCounter): Promise<void> {
    const { store, state } = this.#place
    const { file } = state.frozen(name)!
    for await (const _ of counted(gunzipped(store.read(file), store.address(file)), counter)) this.#goOn()
  }

  #goOn(): void {
    assertGoing(this.#place.signal)
  }
}
