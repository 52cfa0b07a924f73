import { basename } from 'node:path'
import type { InputFile } from '../inputs/input-file.ts'
import type { ItemOutcome } from '../pipeline/loop.ts'
import { added, type RecordCounts } from '../record/counts.ts'
import { NameTable } from '../record/notes.ts'
import { parsePartName } from '../store/name.ts'

/** Names that are told apart. */
export const MOST_TOLD = 1000
/** Of the records of one day of the source. */
export interface DayOutcomes extends RecordCounts {
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

export function sumOfNames({ to, ...a }: NameOutcomes, { to: other, ...b }: NameOutcomes): NameOutcomes {
  return { ...added(a, b), to: to === undefined ? other : other === undefined || to === other ? to : null }
}
export const withoutName = (outcomes: NameOutcomes): NameOutcomes => ({ ...outcomes, to: null })

/** The day of the source that a file holds, by its name as a part; '' for other files. */
function dayOfFile(name: string): string {
  return parsePartName(basename(name))?.span.slice(0, 10) ?? ''
}

/** Counts what becomes of records, unit after unit: by the day of their file, and by the name that the source gives them. */
export class OutcomeCount {
  input: InputFile | undefined
  #before = NONE_READ
  #days = new NameTable<DayOutcomes>(added)
  #names = new NameTable(sumOfNames, MOST_TOLD, withoutName)
  /** The name that was seen last, and what became of its records. */
  #name: string | undefined
  #of = noOutcomes()

  /** Begins a unit: an earlier one may have stopped in its middle. */
  begin(): void {
    this.take()
    this.#before = NONE_READ
  }

  /** For each record or element, so the name before it is looked at first: most follow one of their kind. */
  see(outcome: ItemOutcome, source: string | undefined): void {
    const name = source ?? ''
    if (name !== this.#name) {
      this.#of = this.#names.of(name, noOutcomes)
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
    this.#days.add(dayOfFile(this.input.name), added(now, before, -1))
  }

  /** What was counted since the last call. */
  take(): UnitOutcomes {
    this.input = undefined
    this.#name = undefined
    const { named: names, others } = this.#names.take()
    const days = this.#days.take().named
    this.#days = new NameTable<DayOutcomes>(added)
    this.#names = new NameTable(sumOfNames, MOST_TOLD, withoutName)
    return { days, names, others: others && withoutName(others) }
  }
}

/** Duplicates by the name of the event, and those of names that are not told apart. */
export type Duplicates = Readonly<ReturnType<NameTable<number>['take']>>

export const NO_DUPLICATES: Duplicates = { named: [], others: undefined }
