/** The sum of some numbers, or of what `of` says of each of a list. */
export function sum<T = number>(all: readonly T[], of: (one: T) => number = Number): number {
  return all.reduce((total, one) => total + of(one), 0)
}

/** The same names, with what `of` makes of their values. */
export function mapValues<T, To>(
  all: Readonly<Record<string, T>>,
  of: (value: T, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, of(value, name)]))
}

/** How often each is there, the commonest first. */
export function commonest<T>(all: Iterable<T>): Array<readonly [one: T, count: number]> {
  const groups = [...groupedBy(all, (one) => one)].map(([one, { length }]) => [one, length] as const)
  return groups.sort(([, a], [, b]) => b - a)
}

/** Keeps every item, or every second, fourth and so on of more items than twice `most`. */
export class Thinned<T> {
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

/** What has one key together, by key: keys and what has them in the order in which they come. */
export function groupedBy<T, Key>(all: Iterable<T>, keyOf: (one: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}
