import { basename } from 'node:path'
import type { InputFile } from '../inputs/input-file.ts'
import type { ItemOutcome } from '../pipeline/loop.ts'
import { addRecords, type RecordCounts } from '../record/counts.ts'
import { isTooLong, NameTable, ranked } from '../record/notes.ts'
import { parsePartName } from '../store/name.ts'

/** Names that are told apart. */
export const MOST_TOLD = 1000
/** Names that are held before some are dropped: dropping takes longer than counting. */
const MOST_HELD = 16_384

/** Of the records of one day of the source. */
interface DayOutcomes extends RecordCounts {
  made: number
}

/** Of the records, or elements of records, that the source gives one name. */
export interface NameOutcomes {
  read: number
  made: number
  rejected: number
  filtered: number
  /** The name of their events; null where they have several; undefined where there are none. */
  to?: string | null | undefined
}

/** What became of a unit's records. Plain data: it crosses threads. */
export interface UnitOutcomes {
  /** '' for records of no known day. */
  readonly days: ReadonlyArray<readonly [day: string, DayOutcomes]>
  /** '' for records that were given up before their name was known. */
  readonly names: ReadonlyArray<readonly [name: string, NameOutcomes]>
  readonly others: NameOutcomes | undefined
}

const NONE_READ: DayOutcomes = { read: 0, mapped: 0, rejected: 0, filtered: 0, made: 0 }
const noOutcomes = (): NameOutcomes => ({ read: 0, made: 0, rejected: 0, filtered: 0, to: undefined })

export const NO_OUTCOMES: UnitOutcomes = { days: [], names: [], others: undefined }

export const sumOfDays = (a: DayOutcomes, b: DayOutcomes): DayOutcomes => ({
  ...addRecords(a, b)!,
  made: a.made + b.made,
})
export const sumOfNames = (a: NameOutcomes, b: NameOutcomes): NameOutcomes => ({
  read: a.read + b.read,
  made: a.made + b.made,
  rejected: a.rejected + b.rejected,
  filtered: a.filtered + b.filtered,
  to: a.to === undefined ? b.to : b.to === undefined || a.to === b.to ? a.to : null,
})
export const withoutName = (outcomes: NameOutcomes): NameOutcomes => ({ ...outcomes, to: null })

/** The day of the source that a file holds, by its name as a part; '' for other files. */
function dayOfFile(name: string): string {
  return parsePartName(basename(name))?.span.slice(0, 10) ?? ''
}

/**
 * Counts what becomes of records, unit after unit: by the day of their file, and by the name that the source gives them. Names
 * are told apart in the order of `ranked`, as in a NameTable. A name that was dropped in one unit is after all that are
 * kept, so it is one of the others in all later units.
 */
export class OutcomeCount {
  input: InputFile | undefined
  #before = NONE_READ
  #days = new NameTable(sumOfDays)
  /** By name, also those of earlier units that are others. */
  readonly #names = new Map<string, NameOutcomes>()
  #others = noOutcomes()
  /** How many names are none of the others. */
  #own = 0
  /** The last name that can still be told apart, ranked. */
  #last: string | undefined
  /** The name that was seen last. */
  #name: string | undefined
  #of = this.#others

  /** Begins a unit: an earlier one may have stopped in its middle. */
  begin(): void {
    if (this.input) this.take()
    this.#before = NONE_READ
  }

  /** For each record or element, so the name before it is looked at first: most follow one of their kind. */
  see(outcome: ItemOutcome, source: string | undefined): void {
    const name = source ?? ''
    if (name !== this.#name) {
      this.#of = this.#names.get(name) ?? this.#begun(name)
      this.#name = name
    }
    const of = this.#of
    of.read++
    if (outcome.status === 'event') {
      of.made++
      if (of.to !== outcome.event) of.to = of.to === undefined ? outcome.event : null
    } else of[outcome.status]++
  }

  /** Ends the file under way, when so many records of the unit are counted. */
  endFile(now: DayOutcomes): void {
    const before = this.#before
    this.#before = now
    if (!this.input) return
    this.#days.add(dayOfFile(this.input.name), {
      read: now.read - before.read,
      mapped: now.mapped - before.mapped,
      rejected: now.rejected - before.rejected,
      filtered: now.filtered - before.filtered,
      made: now.made - before.made,
    })
  }

  /** What was counted since the last call. */
  take(): UnitOutcomes {
    this.input = undefined
    this.#keepFirst()
    const names = [...this.#names].filter(([, of]) => of !== this.#others)
    for (const [name] of names) this.#names.delete(name)
    this.#own = 0
    const others = this.#others.read > 0 ? withoutName(this.#others) : undefined
    Object.assign(this.#others, noOutcomes())
    const days = this.#days.take().named
    this.#days = new NameTable(sumOfDays)
    return { days, names, others }
  }

  #begun(name: string): NameOutcomes {
    if (this.#names.size >= MOST_HELD) {
      this.#keepFirst()
      for (const [name, of] of this.#names) if (of === this.#others) this.#names.delete(name)
    }
    const isOther = isTooLong(name) || (this.#last !== undefined && ranked(name) > this.#last)
    const of = isOther ? this.#others : noOutcomes()
    if (!isOther) this.#own++
    this.#names.set(name, of)
    return of
  }

  /** Adds all but the first names to the others. */
  #keepFirst(): void {
    this.#name = undefined
    if (this.#own <= MOST_TOLD) return
    const own = [...this.#names].flatMap(([name, of]) => (of === this.#others ? [] : ranked(name))).sort()
    this.#own = MOST_TOLD
    this.#last = own[MOST_TOLD - 1]
    for (const dropped of own.slice(MOST_TOLD)) {
      const name = dropped.slice(1)
      Object.assign(this.#others, sumOfNames(this.#others, this.#names.get(name)!))
      this.#names.set(name, this.#others)
    }
  }
}

/** Duplicates by the name of the event, and those of names that are not told apart. */
export type Duplicates = Readonly<ReturnType<NameTable<number>['take']>>

export const NO_DUPLICATES: Duplicates = { named: [], others: undefined }
