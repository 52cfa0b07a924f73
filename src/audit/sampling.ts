import type { InputCell } from './verify-input.ts'

/** The most days that a sample reads, besides those of names that no other day has. */
const MOST_DAYS = 100

/** Which events of an input are compared value by value. */
export interface Sampling {
  readonly days: ReadonlySet<string>
  /** True for an event to compare. To be asked of each event of the days, in their order. */
  takes(day: string, name: string): boolean
}

/**
 * Chooses `most` events of these cells, or all: of days spread over the whole span and of every name, from the first to
 * the last of each cell. It is the same choice each time.
 */
export function sampling(cells: readonly InputCell[], most: number): Sampling {
  const total = cells.reduce((sum, { events }) => sum + events.count, 0)
  if (most >= total) return { days: new Set(cells.map(({ day }) => day)), takes: () => true }
  const chosen = spread(chosenCells(cells), most)
  const share = Math.max(1, Math.floor(most / Math.max(1, chosen.length)))
  const places = new Map<string, { readonly at: ReadonlySet<number>; seen: number }>()
  let left = most
  for (const [n, { day, event, events }] of chosen.entries()) {
    // What small cells leave over goes to the later ones.
    const fair = Math.max(share, Math.floor(left / (chosen.length - n)))
    const at = new Set(placesIn(events.count, fair))
    left -= at.size
    places.set(keyOf(day, event), { at, seen: 0 })
  }
  return {
    days: new Set(chosen.map(({ day }) => day)),
    takes(day, name) {
      const place = places.get(keyOf(day, name)) ?? places.get(keyOf(day, null))
      return place?.at.has(place.seen++) ?? false
    },
  }
}

/** The cells of some days, and one cell of each name that those days don't have. */
function chosenCells(cells: readonly InputCell[]): readonly InputCell[] {
  const days = new Set(spread([...new Set(cells.map(({ day }) => day))], MOST_DAYS))
  const chosen = cells.filter(({ day }) => days.has(day))
  const names = new Set(chosen.map(({ event }) => event))
  for (const cell of cells) {
    if (names.has(cell.event)) continue
    names.add(cell.event)
    chosen.push(cell)
  }
  return chosen
}

/** At most `most` of the items, evenly spread, with the first and the last. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  return placesIn(items.length, most).map((at) => items[at]!)
}

/** At most `most` of the numbers below `count`, evenly spread. */
function placesIn(count: number, most: number): number[] {
  const length = Math.min(count, Math.max(0, most))
  const step = length > 1 ? (count - 1) / (length - 1) : 0
  return Array.from({ length }, (_, i) => Math.round(i * step))
}

function keyOf(day: string, event: string | null): string {
  return event === null ? day : `${day} ${event}`
}
