import { Fingerprint } from '../../record/fingerprint.ts'
import { type ArrivalCell, cellOf, MOST_CELLS_A_DAY } from '../../store/arrival.ts'

/** Counts and fingerprints of one day's events by name. A day with too many names is told apart no further. */
export class DayCells {
  /** By the name's JSON. */
  readonly #cells = new Map<string, Fingerprint>()
  /** The events whose names came when there were too many. */
  readonly #others = new Fingerprint()
  readonly #most: number

  constructor(most = MOST_CELLS_A_DAY) {
    this.#most = most
  }

  /** The events of a name, given as JSON. */
  of(name: string): Fingerprint {
    const known = this.#cells.get(name)
    if (known) return known
    if (this.#cells.size >= this.#most) return this.#others
    const cell = new Fingerprint()
    this.#cells.set(name, cell)
    return cell
  }

  /** Events by name, without those in `others`. */
  get names(): Record<string, number> {
    const names: Record<string, number> = Object.create(null)
    for (const [name, { count }] of this.#byName()) names[name] = count
    return names
  }

  /** Events whose names were not told apart. */
  get others(): number {
    return this.#others.count
  }

  /** The day's lines of arrival.ndjson. */
  arrival(day: string): ArrivalCell[] {
    if (this.#others.count === 0) return this.#byName().map(([name, cell]) => cellOf(day, name, cell))
    const whole = new Fingerprint()
    whole.merge(this.#others)
    for (const cell of this.#cells.values()) whole.merge(cell)
    return [{ day, event: null, names: this.#cells.size, count: whole.count, ...whole.text }]
  }

  /** By decoded name, sorted by code units. */
  #byName(): [string, Fingerprint][] {
    return [...this.#cells]
      .map(([json, cell]): [string, Fingerprint] => [JSON.parse(json) as string, cell])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
