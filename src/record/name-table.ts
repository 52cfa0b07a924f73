/** At most this many names are told apart: of events, of properties, of members of records. */
export const MOST_NAMES = 10_000

/** Longer names are not told apart: they come from broken data, and many of them would fill the memory. */
const LONGEST = 400

const DIGIT = /\d/

/**
 * Values by name, for names that come from the data and may be any number. It keeps the first names of one order, whose
 * sums are exact: a name that was dropped once is after all that are kept, so it never comes back. So two tables of the
 * same records are equal, however the records were divided and in whatever order they were added.
 */
export class NameTable<Value> {
  readonly #limit: number
  readonly #sum: (a: Value, b: Value) => Value
  readonly #general: (value: Value) => Value
  readonly #values = new Map<string, Value>()
  /** The last name that can still be kept, ranked. */
  #last: string | undefined
  /** The sum of all values whose names are not kept. */
  #others: Value | undefined

  /** `sum` adds two values; it may change the first. `general` takes out of a value what belongs to its name only. */
  constructor(
    sum: (a: Value, b: Value) => Value,
    limit = MOST_NAMES,
    general: (value: Value) => Value = (value) => value,
  ) {
    this.#sum = sum
    this.#general = general
    this.#limit = limit
  }

  add(name: string, value: Value): void {
    const known = this.#values.get(name)
    if (known !== undefined) this.#values.set(name, this.#sum(known, value))
    else if (name.length > LONGEST || (this.#last !== undefined && ranked(name) > this.#last)) {
      this.addOthers(value)
    } else {
      this.#values.set(name, value)
      // Sorting is for many at once.
      if (this.#values.size > 2 * this.#limit) this.#prune()
    }
  }

  /** Adds a value whose name was not kept elsewhere. */
  addOthers(value: Value): void {
    const general = this.#general(value)
    this.#others = this.#others === undefined ? general : this.#sum(this.#others, general)
  }

  /** The kept names with their values, sorted, and the sum of the others. */
  take(): { readonly named: Array<[string, Value]>; readonly others: Value | undefined } {
    if (this.#values.size > this.#limit) this.#prune()
    return {
      named: [...this.#values].sort(([a], [b]) => (ranked(a) < ranked(b) ? -1 : 1)),
      others: this.#others,
    }
  }

  #prune(): void {
    const names = [...this.#values.keys()].map(ranked).sort()
    for (const one of names.slice(this.#limit)) {
      const name = one.slice(1)
      this.addOthers(this.#values.get(name)!)
      this.#values.delete(name)
    }
    this.#last = names[this.#limit - 1]
  }
}

/**
 * A name with its rank before it: sorted as text, the first of many names are those to keep. Names with a digit come last:
 * where there are too many names, most of them are made of ids.
 */
export function ranked(name: string): string {
  return `${DIGIT.test(name) ? 1 : 0}${name}`
}

/** True for a name that is never kept. */
export function isTooLong(name: string): boolean {
  return name.length > LONGEST
}
