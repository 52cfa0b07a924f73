import { type Mends, noMends } from './mend.ts'

/** What was noticed on the way, counted: changes the service forces on us, and things a user should know. */
export interface Notes {
  readonly mends: Mends
  /** Keys that an object had twice (the last one won). */
  duplicate_keys: number
  /** Property -> events in which it holds an integer over 2^53, which the service rounds. */
  readonly big_integers: Record<string, number>
  /** Member of an event that was left out because the service does not know it or has no use for it -> events. */
  readonly ignored_members: Record<string, number>
  /** Importers whose id was in the records, as `$import_job_id`, -> events; not all when there are many. */
  readonly import_ids: Record<string, number>
  /** What a rule found and could not use, such as `groups.company: properties.org is an object` -> records. */
  readonly unusable: Record<string, number>
}

/** So many importers are told apart. */
export const MOST_IMPORT_IDS = 20

const TALLIES = ['big_integers', 'ignored_members', 'import_ids', 'unusable'] as const

export function emptyNotes(): Notes {
  const tally = () => Object.create(null) as Record<string, number>
  return {
    ...{ mends: noMends(), duplicate_keys: 0 },
    ...{ big_integers: tally(), ignored_members: tally(), import_ids: tally(), unusable: tally() },
  }
}

/** True where nothing was noticed. */
export function areEmpty(notes: Notes): boolean {
  for (const kind in notes.mends) if (notes.mends[kind as keyof Mends] > 0) return false
  for (const tally of TALLIES) for (const _ in notes[tally]) return false
  return notes.duplicate_keys === 0
}

/** Adds `other` into `into`. */
export function addNotes(into: Notes, other: Notes): void {
  for (const kind of Object.keys(into.mends) as (keyof Mends)[]) into.mends[kind] += other.mends[kind]
  into.duplicate_keys += other.duplicate_keys
  for (const tally of TALLIES) addCounts(into[tally], other[tally])
}

/** Names that are not told apart are counted under this one. */
export const OTHERS = '(others)'

/** Tells at most so many names apart in each tally: the data may have as many names as records. */
export function foldNotes({ big_integers, ignored_members, unusable }: Notes, most: number): void {
  for (const tally of [big_integers, ignored_members, unusable]) foldNames(tally, most)
}

/**
 * Keeps the first names, as a `NameTable` orders them, and counts the rest together. The order does not depend on when a
 * name came: one that is kept by the last fold was kept by all folds before, so its count is exact.
 */
export function foldNames(tally: Record<string, number>, most: number): void {
  const names = Object.keys(tally)
  if (names.length <= most) return
  const order = names.filter((name) => name !== OTHERS).map(ranked)
  for (const one of order.sort().slice(most)) {
    const name = one.slice(1)
    tally[OTHERS] = (tally[OTHERS] ?? 0) + tally[name]!
    delete tally[name]
  }
}

export function countOne(tally: Record<string, number>, name: string): void {
  tally[name] = (tally[name] ?? 0) + 1
}

/** Adds the counts of `other` into `into`, key by key. */
export function addCounts(into: Record<string, number>, other: Readonly<Record<string, number>>): void {
  for (const [key, count] of Object.entries(other)) into[key] = (into[key] ?? 0) + count
}

/** The values of `$import_job_id` in the events; null when events have none, or too many have one of their own. */
export function importIdsOf(importId: string | null, { import_ids: own }: Notes): string[] | null {
  const ids = Object.keys(own)
  return importId === null || '' in own || ids.length > MOST_IMPORT_IDS
    ? null
    : [...new Set([importId, ...ids])].sort()
}

/** Why records of other people are not in a trial. */
export const NOT_IN_TRIAL = 'not_in_trial'

const TRIAL = '-trial'

/** The `$import_job_id` of a trial, by that of the whole. */
export function trialIdOf(importId: string): string {
  return `${importId}${TRIAL}`
}

export function isTrialId(importId: string): boolean {
  return importId.endsWith(TRIAL)
}

/** Returns a copy of the notes and sets the notes themselves back to nothing. */
export function takeNotes(notes: Notes): Notes {
  const taken = emptyNotes()
  addNotes(taken, notes)
  Object.assign(notes.mends, noMends())
  notes.duplicate_keys = 0
  for (const tally of TALLIES) for (const name of Object.keys(notes[tally])) delete notes[tally][name]
  return taken
}

/** Sorted, since what is counted side by side ends in any order: a dataset made twice is the same to the byte. */
export function byName(tally: Readonly<Record<string, number>>): Record<string, number> {
  return ofNames(Object.entries(tally).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** An object of any names: `__proto__` may be one. */
export function ofNames<Value>(entries: ReadonlyArray<readonly [string, Value]>): Record<string, Value> {
  const made: Record<string, Value> = Object.create(null)
  for (const [name, value] of entries) made[name] = value
  return made
}

export function sumOf(tally: Readonly<Record<string, number>>): number {
  return Object.values(tally).reduce((total, count) => total + count, 0)
}

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
    else if (this.#isOther(name)) this.addOthers(value)
    else this.#keep(name, value)
  }

  /** A name's value, to be changed in place until the next call. `make` makes that of a new one, which adds nothing. */
  of(name: string, make: () => Value): Value {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    if (this.#isOther(name)) {
      this.#others ??= make()
      return this.#others
    }
    this.#keep(name, make())
    return this.#values.get(name) ?? this.#others!
  }

  /** Names that are told apart at present. */
  get size(): number {
    return this.#values.size
  }

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

  #isOther(name: string): boolean {
    return name.length > LONGEST || (this.#last !== undefined && ranked(name) > this.#last)
  }

  #keep(name: string, value: Value): void {
    this.#values.set(name, value)
    // Sorting is for many at once.
    if (this.#values.size > 2 * this.#limit) this.#prune()
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
function ranked(name: string): string {
  return `${DIGIT.test(name) ? 1 : 0}${name}`
}
