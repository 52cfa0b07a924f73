/** A span of whole UTC days that a chart shows as one bar or one column. */
export interface DayBin {
  /** First and last day, `YYYY-MM-DD`: of a week or a month that the days end in, only up to the first and the last of them. */
  readonly from: string
  readonly to: string
  /** Milliseconds since the epoch: the first instant of the whole week or month, and the first one after it. */
  readonly start: number
  readonly end: number
}

export interface DayBins {
  /** What one bin is, for a sentence: `a bar is a week`. */
  readonly size: string
  readonly bins: readonly DayBin[]
  /** The place of a day in `bins`; undefined for what is no day between the first and the last. */
  indexOf(day: string): number | undefined
}

interface Size {
  readonly name: string
  keyOf(day: number): number
  /** The first day of a key. */
  startOf(key: number): number
}

const DAY_MS = 86_400_000
const SIZES: readonly Size[] = [
  { name: 'day', keyOf: (day) => day, startOf: (key) => key },
  // Day 4 of the epoch, 5 January 1970, was a Monday.
  { name: 'week', keyOf: (day) => Math.floor((day + 3) / 7), startOf: (key) => key * 7 - 3 },
  ...[1, 3, 12, 120, 1200].map((months, at) => ({
    name: ['month', 'quarter', 'year', 'decade', 'century'][at]!,
    keyOf: (day: number) => Math.floor(monthOf(day) / months),
    startOf: (key: number) => dayOfMonth(key * months),
  })),
]

/** Cuts the span of `days` into at most `most` equal bins: days if they are few, else weeks, months, quarters, years. */
export function dayBins(days: readonly string[], most: number): DayBins {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const day of days) {
    const at = dayNumber(day)
    if (at === undefined) continue
    first = Math.min(first, at)
    last = Math.max(last, at)
  }
  if (first > last) return { size: 'day', bins: [], indexOf: () => undefined }
  const count = (size: Size) => size.keyOf(last) - size.keyOf(first) + 1
  const size = SIZES.find((one) => count(one) <= most) ?? SIZES.at(-1)!
  const firstKey = size.keyOf(first)
  const bins = Array.from({ length: count(size) }, (_, at): DayBin => {
    const [start, end] = [size.startOf(firstKey + at), size.startOf(firstKey + at + 1)]
    const [from, to] = [Math.max(start, first), Math.min(end - 1, last)]
    return { from: dayText(from), to: dayText(to), start: start * DAY_MS, end: end * DAY_MS }
  })
  return {
    size: size.name,
    bins,
    indexOf(day) {
      const at = dayNumber(day)
      return at === undefined || at < first || at > last ? undefined : size.keyOf(at) - firstKey
    },
  }
}

/**
 * A number for each bin: the values of its days, added up over all series. A day without a value has none of it. `places`: of
 * the days, as `indexOf` tells them.
 */
export function addedUp(
  bins: readonly DayBin[],
  places: readonly (number | undefined)[],
  series: readonly { readonly values: readonly (number | null)[] }[],
): number[] {
  const sums = bins.map(() => 0)
  for (const { values } of series)
    for (const [at, place] of places.entries()) if (place !== undefined) sums[place]! += values[at] ?? 0
  return sums
}

/** A bin in words: `2024-03-01`, or `2024-03-04 to 2024-03-10`. */
export function binText({ from, to }: DayBin): string {
  return from === to ? from : `${from} to ${to}`
}

function dayNumber(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined
  const ms = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(ms) ? undefined : ms / DAY_MS
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, -14)
}

function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function dayOfMonth(month: number): number {
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const date = new Date(0)
  date.setUTCFullYear(Math.floor(month / 12), ((month % 12) + 12) % 12, 1)
  return date.getTime() / DAY_MS
}
