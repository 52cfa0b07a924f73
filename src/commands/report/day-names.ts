import { loadCounts, OTHER_EVENTS, type PartCounts, SLOT_MS } from '../../sources/counts/part-counts.ts'
import type { RawManifest } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import { mostFirst } from '../../text/words.ts'
import { boundLabels } from './bounds.ts'
import type { DaysPart } from './report-data.ts'

/** Names that have a series of their own. */
export const MOST_SERIES = 8

/** More days than this are counted as months: 32 years. */
const MOST_DAYS = 12_000

const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Counts by day and name in memory that depends on neither: a number a day for each of a few names and for all others. */
export class DayNames {
  readonly #names: ReadonlyMap<string, number>
  readonly #mostDays: number
  #days = new Map<string, Float64Array>()
  #undated = 0
  #total = 0
  /** True once days are counted as months. */
  byMonth = false

  /** `names` have a series each, in this order. `mostDays`: for tests. */
  constructor(names: readonly string[], mostDays = MOST_DAYS) {
    this.#names = new Map(names.map((name, at) => [name, at]))
    this.#mostDays = mostDays
  }

  /** Counts events of a UTC day. `name` null: of several names together. */
  add(day: string, name: string | null, count: number): void {
    this.#total += count
    if (!DAY.test(day)) {
      this.#undated += count
      return
    }
    const at = name === null ? undefined : this.#names.get(name)
    this.#rowOf(this.byMonth ? monthOf(day) : day)[at ?? this.#names.size]! += count
    if (!this.byMonth && this.#days.size > this.#mostDays) this.#toMonths()
  }

  /** `otherNames`: how many names have no series, if that is known. */
  part(about: Pick<DaysPart, 'place' | 'meaning' | 'unit'>, otherNames?: number): DaysPart {
    const days = [...this.#days.keys()].sort()
    const rows = days.map((day) => this.#days.get(day)!)
    const labels = boundLabels(this.#names.keys())
    const series = [...this.#names].map(([name, at]) => ({
      name: labels.get(name)!,
      values: rows.map((row) => row[at]!),
    }))
    const others = rows.map((row) => row[this.#names.size]!)
    const last = { name: null, values: others, ...(otherNames && { names: otherNames }) }
    const all = others.every((count) => count === 0) ? series : [...series, last]
    return { ...about, days, series: all, undated: this.#undated, total: this.#total }
  }

  #rowOf(day: string): Float64Array {
    const known = this.#days.get(day)
    if (known) return known
    const row = new Float64Array(this.#names.size + 1)
    this.#days.set(day, row)
    return row
  }

  #toMonths(): void {
    const days = this.#days
    this.#days = new Map()
    this.byMonth = true
    for (const [day, counts] of days) {
      const row = this.#rowOf(monthOf(day))
      for (const [at, count] of counts.entries()) row[at]! += count
    }
  }
}

function monthOf(day: string): string {
  return `${day.slice(0, 7)}-01`
}

/** Names that are told apart while the most frequent are looked for. */
const MOST_NAMES = 10_000

/** A raw dataset. */
interface RawDataset {
  readonly store: Store
  readonly manifest: RawManifest
}

/** Records by day: of each window, and by name where the export counted them. */
export async function sourceDays(datasets: readonly RawDataset[]): Promise<DaysPart> {
  const names = await namesIn(datasets)
  const days = new DayNames(names.slice(0, MOST_SERIES))
  let [counted, uncounted] = [0, 0]
  for (const { store, manifest } of datasets) {
    for (const part of manifest.parts) {
      const day = part.window.slice(0, 10)
      const counts = await countsOf(store, part)
      const left = part.events - addCounted(days, counts, part.events)
      if (counts) counted++
      else uncounted++
      if (left > 0) days.add(day, null, left)
    }
  }
  const how = counted === 0 ? 'as the windows of the export hold them' : 'as the export counted them'
  const some = counted > 0 && uncounted > 0 ? `; ${uncounted} windows were not counted by name` : ''
  const others = counted === 0 || uncounted > 0 ? undefined : Math.max(0, names.length - MOST_SERIES)
  const meaning = `Records of the source, ${how}${some}.`
  return days.part({ place: 'source', unit: 'records', meaning }, others)
}

/** Adds at most `most` records to their days, and returns how many: counts of more are not the part's own. */
function addCounted(days: DayNames, counts: PartCounts | undefined, most: number): number {
  let added = 0
  for (const [name, slots] of counts?.counts ?? []) {
    for (const [slot, count] of slots) {
      const taken = Math.min(most - added, count)
      added += taken
      days.add(dayOf(slot), name === OTHER_EVENTS ? null : name, taken)
    }
  }
  return added
}

/** The names, most frequent first. */
async function namesIn(datasets: readonly RawDataset[]): Promise<string[]> {
  const sums = new Map<string, number>()
  for (const { store, manifest } of datasets) {
    for (const part of manifest.parts) {
      for (const [name, slots] of (await countsOf(store, part))?.counts ?? []) {
        if (name === OTHER_EVENTS || (!sums.has(name) && sums.size >= MOST_NAMES)) continue
        const count = [...slots.values()].reduce((sum, n) => sum + n, 0)
        sums.set(name, (sums.get(name) ?? 0) + count)
      }
    }
  }
  return mostFirst([...sums]).map(([name]) => name)
}

async function countsOf(
  store: Store,
  { window, sha256 }: RawManifest['parts'][number],
): Promise<PartCounts | undefined> {
  return loadCounts(store, window, sha256).catch(() => undefined)
}

function dayOf(slot: number): string {
  return new Date(slot * SLOT_MS).toISOString().slice(0, 10)
}
