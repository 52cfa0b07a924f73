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
    if (others.every((count) => count === 0)) {
      return { ...about, days, series, undated: this.#undated, total: this.#total }
    }
    const last = { name: null, values: others, ...(otherNames && { names: otherNames }) }
    return { ...about, days, series: [...series, last], undated: this.#undated, total: this.#total }
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
