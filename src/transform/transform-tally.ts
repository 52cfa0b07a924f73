import type { PosthaulError } from '../errors.ts'
import { FORGOTTEN } from '../mapping/mapped.ts'
import { addJoins, type JoinCounts, type JoinedTable, joinedTables } from '../pipeline/side/built.ts'
import { addRecords, type MadeCounts, type RecordCounts, zeroCounts } from '../record/counts.ts'
import { emptyInventory, type Inventory, InventorySum } from '../record/inventory.ts'
import {
  addCounts,
  addNotes,
  byName,
  emptyNotes,
  foldNames,
  foldNotes,
  MOST_NAMES,
  NameTable,
  type Notes,
  sumOf,
} from '../record/notes.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { sum } from '../text/lists.ts'
import type { ForgetList } from './forget/forget-list.ts'
import { withoutGroups } from './groups-of-events.ts'
import type { Job, UnitResult } from './job.ts'
import { NO_OUTCOMES } from './outcome-count.ts'
import { OutcomeSum } from './outcomes.ts'
import { type Preview, PreviewCount } from './preview.ts'
import { type Duplicates, RepeatCount, type UserRepeats } from './repeats.ts'
import type { SealedDay } from './seal/day.ts'

/** What a mapping file hides, and that the whole input does not have. */
export interface Unmatched {
  /** Records that were read. */
  readonly read: number
  /** The list of people to forget, if none of its ids led to a record. */
  readonly list: Pick<ForgetList, 'path' | 'ids'> | undefined
  /** Names under `properties.hash` that no event had. */
  readonly unhashed: readonly string[]
}

/** Files that are in the input twice, of which records have no ids that tell them apart. */
export interface Copies {
  readonly twins: number
  readonly files: readonly (readonly [copy: string, of: string])[]
}

/** What may stand against a dataset. */
interface StandingFacts {
  readonly repeats?: UserRepeats | undefined
  readonly unmatched?: Unmatched | undefined
  readonly copies?: Copies | undefined
}

export interface TransformRunOptions {
  readonly interrupted: AbortSignal
  /** Called before each stage and before the manifest: throws once another run has the dataset. */
  readonly look: () => Promise<void>
  readonly tool: string
  readonly source: Readonly<Record<string, string>>
  /** True for one window of several, which may lack whom and what a mapping file hides. */
  readonly isPart: boolean
  /** What stands against the dataset, by what was found out. */
  readonly stands?: (facts: StandingFacts) => PosthaulError | undefined
}

/** Where every record went. `error` says why a run ended before its end. */
export interface Transformed {
  /** Of records; where one becomes several events, of their children and of the records that have none to count. */
  readonly counts: MadeCounts
  /** The records themselves, where one becomes several events. */
  readonly records: RecordCounts | null
  readonly rejects: Record<string, number>
  readonly filtered: Record<string, number>
  /** In the order of the preset, those that were not given too. */
  readonly joined: readonly JoinedTable[]
  readonly notes: Notes
  readonly inventory: Inventory
  readonly preview?: Preview
  readonly duplicates: Duplicates
  /** Records that equal another in every member, and are events of their own; null where no day was sealed. */
  readonly twins: number | null
  /** Events without an id of their own at times that earlier datasets have; null where no day was sealed. */
  readonly late: number | null
  /** Rules of the mapping file that no record of the whole input matched; null where not all were looked at. */
  readonly idle: readonly string[] | null
  /** Names under `properties.hash` that no event of the whole input had; null where nobody looked. */
  readonly unhashed: readonly string[] | null
  readonly days: number
  readonly parts: number
  /** Of a trial: how many people are in it, and how many events the whole has. */
  readonly trial?: Pick<NonNullable<EventsManifest['trial']>, 'people' | 'whole_events'>
  readonly error: PosthaulError | undefined
}

type DayCounts = Pick<
  SealedDay,
  'written' | 'generated' | 'duplicate' | 'unlike' | 'twins' | 'earlier' | 'late'
>

/** What no unit matched, nothing did. `all`: of the units before, undefined if there is none; null where one did not look. */
function inBoth(
  all: ReadonlySet<string> | null | undefined,
  unit: readonly string[] | null | undefined,
): ReadonlySet<string> | null {
  if (all === null || !unit) return null
  return new Set(unit.filter((one) => all?.has(one) ?? true))
}

/** Adds up the units and days of a transform, in any order: it keeps counts, and no unit's names. */
export class Tally {
  #read = 0
  #mapped = 0
  #records: RecordCounts | null = null
  readonly #rejects: Record<string, number> = Object.create(null)
  readonly #filtered: Record<string, number> = Object.create(null)
  readonly #joins: Record<string, JoinCounts> = Object.create(null)
  readonly #notes = emptyNotes()
  readonly #inventory = new InventorySum()
  /** Undefined before the first unit. */
  #idle: ReadonlySet<string> | null | undefined
  #unhashed: ReadonlySet<string> | null | undefined
  /** The groups of events that were mapped and not written. */
  readonly #dropped = new InventorySum()
  #preview: PreviewCount | undefined
  #repeats: RepeatCount | undefined
  readonly outcomes = new OutcomeSum()
  readonly names = new NameTable<number>((a, b) => a + b)

  /** Adds a unit, and returns it without its names: those of many units would take much memory. */
  take(unit: UnitResult): UnitResult {
    const { preview, repeats, ...counted } = unit
    this.#read += unit.read
    this.#mapped += unit.mapped
    this.#records = addRecords(this.#records, unit.records)
    this.#inventory.add(unit.inventory)
    this.outcomes.add(unit.outcomes)
    if (unit.read > 0) {
      this.#idle = inBoth(this.#idle, unit.idle)
      this.#unhashed = inBoth(this.#unhashed, unit.unhashed)
    }
    addNotes(this.#notes, unit.notes)
    addJoins(this.#joins, unit.joins)
    foldNotes(this.#notes, 2 * MOST_NAMES)
    addCounts(this.#rejects, unit.rejects)
    foldNames(this.#rejects, 2 * MOST_NAMES)
    addCounts(this.#filtered, unit.filtered)
    if (preview) {
      this.#preview ??= new PreviewCount()
      this.#preview.add(preview)
    }
    if (repeats) {
      this.#repeats ??= new RepeatCount()
      this.#repeats.add(repeats)
    }
    return {
      ...counted,
      rejects: {},
      notes: emptyNotes(),
      inventory: emptyInventory(),
      outcomes: NO_OUTCOMES,
      idle: null,
    }
  }

  addDay({
    names,
    others,
    dropped,
    duplicates,
  }: Pick<SealedDay, 'names' | 'others' | 'dropped' | 'duplicates'>): void {
    for (const [name, events] of Object.entries(names)) this.names.add(name, events)
    this.names.addOthers(others)
    this.outcomes.addDuplicates(duplicates)
    if (dropped) this.#dropped.add({ ...emptyInventory(), ...dropped })
  }

  get units() {
    const [notes, rejects] = [this.#notes, this.#rejects]
    foldNotes(notes, MOST_NAMES)
    foldNames(rejects, MOST_NAMES)
    return {
      read: this.#read,
      mapped: this.#mapped,
      records: this.#records,
      rejects: byName(rejects),
      filtered: byName(this.#filtered),
      joins: this.#joins,
      notes: {
        ...notes,
        big_integers: byName(notes.big_integers),
        ignored_members: byName(notes.ignored_members),
        unusable: byName(notes.unusable),
      },
      inventory: this.#inventory.take(),
      idle: this.#idle ? [...this.#idle] : null,
      unhashed: this.#unhashed ? [...this.#unhashed] : null,
    }
  }

  /** Of the whole input, once all units are taken. */
  unmatched({ forget }: Pick<Job, 'forget'>): Unmatched {
    const { filtered, unhashed, read } = this.units
    return { read, list: filtered[FORGOTTEN] ? undefined : forget, unhashed: unhashed ?? [] }
  }

  result(
    { sideTables }: Pick<Job, 'sideTables'>,
    days: readonly (DayCounts & { readonly parts: readonly unknown[] })[],
    error: PosthaulError | undefined,
  ): Transformed {
    const counts = { ...zeroCounts(), earlier: 0, generated: 0 }
    const { read, mapped, records, rejects, filtered, notes, inventory, idle, unhashed } = this.units
    counts.read = read
    counts.rejected = sumOf(rejects)
    counts.filtered = sumOf(filtered)
    for (const day of days) {
      counts.written += day.written
      counts.duplicate += day.duplicate
      counts.earlier += day.earlier
      counts.generated += day.generated
    }
    const unlike = sum(days, (day) => day.unlike)
    const duplicates = this.#repeats?.told ?? { count: counts.duplicate, unlike, estimated: false }
    if (!duplicates.estimated) counts.duplicate = duplicates.count
    // Mapped but not in the dataset: all of it after a dry run or an interruption, nothing at the end.
    counts.pending = mapped - counts.written - counts.duplicate - counts.earlier
    return {
      counts,
      records,
      rejects,
      filtered,
      joined: joinedTables(sideTables, this.#joins),
      notes,
      inventory: withoutGroups(inventory, this.#dropped.take()),
      ...(this.#preview && { preview: this.#preview.take() }),
      duplicates,
      twins: sum(days, (day) => day.twins),
      late: sum(days, (day) => day.late),
      idle,
      unhashed,
      // All events of a day can be in earlier datasets.
      days: days.filter((day) => day.parts.length > 0).length,
      parts: sum(days, (day) => day.parts.length),
      error,
    }
  }
}
