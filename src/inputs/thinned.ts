import { groupedBy } from '../text/lists.ts'
import { MIB } from '../text/units.ts'

/** What is held at most, whatever the length of records; one record is always held. */
const HELD_BYTES = 64 * MIB

interface Held<T> {
  /** The how-manieth of all. */
  readonly place: number
  readonly item: T
  readonly bytes: number
}

/**
 * Keeps items that are spread evenly over a stream of unknown length, in flat memory: all at first, then one of each two
 * that follow one another, one of each four. Which one of them is chance with a fixed seed: taken in step, the records of
 * a source that repeats itself would all be of one kind. Some are kept in any case.
 */
export class Thinned<T> {
  readonly #most: number
  readonly #always: Array<Held<T>> = []
  #even: Array<Held<T>> = []
  #bytes = 0
  #stride = 1
  #seen = 0
  /** The place that is kept of the stretch under way, `#stride` long. */
  #chosen = 0

  /** Between `most` and twice as many evenly spread items are held. */
  constructor(most: number) {
    this.#most = Math.max(1, most)
  }

  /** `make` is asked for the item only when it is kept. */
  add(bytes: number, isFirst: boolean, make: () => T): void {
    const place = this.#seen++
    if (place % this.#stride === 0) this.#chosen = place + (scattered(place) % this.#stride)
    if (isFirst && this.#bytes + bytes <= HELD_BYTES) {
      this.#always.push({ place, item: make(), bytes })
      this.#bytes += bytes
      return
    }
    if (place !== this.#chosen) return
    this.#even.push({ place, item: make(), bytes })
    this.#bytes += bytes
    while (this.#even.length > 1 && (this.#even.length > 2 * this.#most || this.#bytes > HELD_BYTES)) {
      this.#halve()
    }
  }

  /** Items that are kept in any case, then the evenly spread ones, each with its place. */
  get kept(): { readonly always: ReadonlyArray<Held<T>>; readonly even: ReadonlyArray<Held<T>> } {
    return { always: this.#always, even: this.#even }
  }

  #halve(): void {
    this.#stride *= 2
    const stretches = groupedBy(this.#even, ({ place }) => Math.floor(place / this.#stride))
    this.#even = [...stretches].map(([stretch, held]) => held[scattered(stretch) % held.length]!)
    this.#bytes = [...this.#always, ...this.#even].reduce((sum, { bytes }) => sum + bytes, 0)
    // The stretch under way has its item.
    this.#chosen = -1
  }
}

/** At most `count` items of as many stretches of equal length: the first of all, of each other stretch any. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, i) => {
    const start = Math.floor((i * items.length) / count)
    const length = Math.floor(((i + 1) * items.length) / count) - start
    return items[start + (i === 0 ? 0 : scattered(i) % length)]!
  })
}

/** A number of 32 bits that looks like chance, and is the same for the same number each time. */
function scattered(seed: number): number {
  let mixed = Math.imul((seed ^ (seed >>> 16)) + 0x6d2b79f5, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
