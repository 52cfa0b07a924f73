import { MOST_NAMES } from '../record/notes.ts'
import { cellKey } from './expected.ts'
import type { VerifyInput } from './verify-input.ts'

/** The most days that a sample reads, besides those of names that no other day has. */
const MOST_DAYS = 100

/** So many cells can be chosen from, at least. */
const LEAST_CELLS = 20_000

/** Which events of an input are compared value by value. */
export interface Sampling {
  readonly days: ReadonlySet<string>
  /** True for an event to compare. To be asked of each event of the days, in their order. */
  takes(day: string, name: string): boolean
}

/**
 * Chooses `most` events of an input, or all: of days spread over the whole span and of every name, from the first to
 * the last of each cell. It is the same choice each time.
 */
export async function sampling({ sums, readDays }: Cells, most: number): Promise<Sampling> {
  if (most >= sums.events) return { days: new Set(sums.days.keys()), takes: () => true }
  const chosen = spread(await chosenCells({ sums, readDays }, Math.max(2 * most, LEAST_CELLS)), most)
  const share = Math.max(1, Math.floor(most / Math.max(1, chosen.length)))
  const places = new Map<string, { readonly at: ReadonlySet<number>; seen: number }>()
  let left = most
  for (const [n, { day, event, count }] of chosen.entries()) {
    // What small cells leave over goes to the later ones.
    const fair = Math.max(share, Math.floor(left / (chosen.length - n)))
    const at = new Set(placesIn(count, fair))
    left -= at.size
    places.set(cellKey(day, event), { at, seen: 0 })
  }
  return {
    days: new Set(chosen.map(({ day }) => day)),
    takes(day, name) {
      const place = places.get(cellKey(day, name)) ?? places.get(cellKey(day, null))
      return place?.at.has(place.seen++) ?? false
    },
  }
}

type Cells = Pick<VerifyInput, 'sums' | 'readDays'>

interface Chosen {
  readonly day: string
  readonly event: string | null
  readonly count: number
}

/** The cells of some days, and one cell of each name that those days don't have; evenly spread, if they are too many. */
async function chosenCells({ sums, readDays }: Cells, most: number): Promise<readonly Chosen[]> {
  const days = new Set(spread([...sums.days.keys()], MOST_DAYS))
  const chosen = new Thinned<Chosen>(most)
  const names = new Set<string | null>()
  const isNew = (name: string | null) => {
    if (names.has(name) || names.size >= MOST_NAMES) return false
    names.add(name)
    return true
  }
  for await (const { day, cells } of readDays()) {
    if (!days.has(day)) continue
    for (const { event, events } of cells) {
      isNew(event)
      chosen.add({ day, event, count: events.count })
    }
  }
  if (days.size === sums.days.size) return chosen.items
  for await (const { day, cells } of readDays()) {
    for (const { event, events } of cells) if (isNew(event)) chosen.add({ day, event, count: events.count })
  }
  return chosen.items
}

/** Keeps every item, or every second, fourth and so on of more items than it may hold. */
class Thinned<T> {
  items: T[] = []
  readonly #most: number
  #step = 1
  #seen = 0

  constructor(most: number) {
    this.#most = most
  }

  add(item: T): void {
    if (this.#seen++ % this.#step !== 0) return
    this.items.push(item)
    if (this.items.length < 2 * this.#most) return
    this.items = this.items.filter((_, n) => n % 2 === 0)
    this.#step *= 2
  }
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
