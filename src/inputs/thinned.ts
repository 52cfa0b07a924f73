import { MIB } from '../units.ts'

/** What is held at most, whatever the length of records; one record is always held. */
const HELD_BYTES = 64 * MIB

interface Held<T> {
  /** The how-manieth of all. */
  readonly place: number
  readonly item: T
  readonly bytes: number
}

/**
 * Keeps items at even distances of a stream of unknown length, in flat memory: every one at first, then every second, every
 * fourth. Some are kept in any case.
 */
export class Thinned<T> {
  readonly #most: number
  readonly #always: Array<Held<T>> = []
  #even: Array<Held<T>> = []
  #bytes = 0
  #stride = 1
  #seen = 0

  /** Between `most` and twice as many evenly spread items are held. */
  constructor(most: number) {
    this.#most = Math.max(1, most)
  }

  /** `make` is asked for the item only when it is kept. */
  add(bytes: number, isFirst: boolean, make: () => T): void {
    const place = this.#seen++
    if (isFirst && this.#bytes + bytes <= HELD_BYTES) {
      this.#always.push({ place, item: make(), bytes })
      this.#bytes += bytes
      return
    }
    if (place % this.#stride !== 0) return
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
    const left = this.#even.filter(({ place }) => place % this.#stride === 0)
    // The first of these can be anywhere: half of them stay, also where none is at the new distance.
    this.#even = left.length > 0 ? left : this.#even.filter((_, index) => index % 2 === 0)
    this.#bytes = [...this.#always, ...this.#even].reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

/** At most `count` items at even distances, the first among them. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!)
}
