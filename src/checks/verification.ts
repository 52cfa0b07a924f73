import { YOUNG_HOURS } from '../delivery/pacer.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { MS_PER_HOUR } from '../text/units.ts'
import type { CellDifference, DoubledCell } from './compare.ts'
import type { Gap } from './gaps.ts'
import type { KeptReport, PeopleReport } from './people.ts'
import type { ValueReport } from './value-check.ts'
import type { HiddenByRetention, VerifyInput } from './verify-input.ts'

/** An event that is only here, or only in the service. */
export interface NamedEvent {
  readonly day: string
  readonly event: string
  readonly uuid: string
  readonly distinctId: string
}

/** A cell that differs, and by which events; `gap` is undefined if that was not looked for. */
export interface CellGap {
  readonly cell: CellDifference
  readonly gap: Gap | undefined
}

/** How a dataset differs from what its import has sent. */
export interface SentOtherwise {
  readonly input: string
  /** So many events were sent. */
  readonly sent: number
  /** A sentence a line. */
  readonly lines: readonly string[]
  /** The most events that would be there twice. */
  readonly twice: number
  /** The first days and names of them. */
  readonly names: readonly string[]
}

/** What `verify` found. Undefined: not looked for. */
export interface Verification {
  /**
   * The dataset was made anew since events of it were sent, and these are others now: how they differ.
   * What is missing of it may be in the service under other names, ids or times.
   */
  readonly sentOtherwise?: SentOtherwise | undefined
  /** Who was asked, and when (ISO time). */
  readonly asked: { readonly at: string; readonly host: string; readonly project: string }
  readonly inputs: readonly VerifyInput[]
  /** What the project hides of them, and was not asked for; undefined if it shows all. */
  readonly hidden?: HiddenByRetention | undefined
  readonly days: number
  readonly here: number
  readonly there: number
  /** Events of other names in the service on these days. */
  readonly others: number
  readonly cells: readonly CellGap[]
  /** Events whose times agree to the millisecond, and not below: the service keeps no more of them. */
  readonly rounded: number
  /** Days and names with events that are there more than once. */
  readonly doubled: readonly DoubledCell[]
  /** Events here that the service keeps in another table, and that were compared with nothing. */
  readonly apart: number
  /** The first of the missing, and of those that no input has. */
  readonly missingEvents: readonly NamedEvent[]
  readonly unknownEvents: readonly NamedEvent[]
  readonly missingFile: string | undefined
  readonly values: ValueReport | undefined
  readonly people: PeopleReport | undefined
  /** Persons that the import put right; undefined if it put none right. */
  readonly kept: KeptReport | undefined
  /** What the service warned of since the import began: causes of what is missing, never counts. */
  readonly warnings: WarningsFound
  /** The project is over its quota of events, or was as a run of the import ended. */
  readonly overQuota: boolean
  /** What could not be asked, and why. */
  readonly unasked: readonly string[]
}

/**
 * True if no event differs or is there twice, and no value that was compared, and every line that was read is an event.
 * Events in another table, and those that the project hides, prove nothing: where there are no others, nothing is proven.
 */
export function isProven(verification: Verification): boolean {
  const { cells, doubled, here, apart, hidden, values } = verification
  const same = values === undefined || values.changed + values.absent === 0
  const isCompared = here > 0 || (apart === 0 && hidden === undefined)
  return cells.length + doubled.length === 0 && same && isCompared && unreadableLines(verification) === 0
}

/** How many events more than there are the service counts, because it has some under two times. */
export function countedTwice({ doubled }: Pick<Verification, 'doubled'>): number {
  return doubled.reduce((sum, { more }) => sum + more, 0)
}

/** Lines of the datasets that were read and are no event lines: import rejected them. */
export function unreadableLines({ inputs }: Pick<Verification, 'inputs'>): number {
  return inputs.flatMap(({ unreadable }) => [...unreadable.values()]).reduce((sum, lines) => sum + lines, 0)
}

/** How many events are missing, and how many are in the service that no input has; undefined if not looked for. */
export function gapOf({ cells }: Verification): Gap | undefined {
  const sum = { missing: 0, unknown: 0, moved: 0 }
  for (const { gap } of cells) {
    if (!gap) return undefined
    sum.missing += gap.missing
    sum.unknown += gap.unknown
    sum.moved += gap.moved
  }
  return sum
}

/** Why events may be missing. */
export interface Cause {
  /** A word of ours, or a type of ingestion warnings. */
  readonly cause: string
  /** So many of the missing events it can explain at most. */
  readonly events: number
}

/** How many events of a cell are missing, at least; exactly where they were compared one by one. */
function missingOf({ cell, gap }: CellGap): number {
  return gap?.missing ?? Math.max(0, cell.here.count - cell.there.count)
}

/** Why events that are missing may be so, the likeliest first; none where nothing is missing. */
export function likelyCauses({ cells, warnings, overQuota, asked }: Verification): Cause[] {
  const youngFrom = new Date(Date.parse(asked.at) - YOUNG_HOURS * MS_PER_HOUR).toISOString().slice(0, 10)
  const missing = (of: (cell: CellGap['cell']) => boolean = () => true) =>
    cells.filter(({ cell }) => of(cell)).reduce((sum, one) => sum + missingOf(one), 0)
  const all = missing()
  const causes = [
    { cause: 'over_quota', events: overQuota ? all : 0 },
    ...warnings.types.filter(isDropped).map(({ type: cause }) => ({ cause, events: all })),
    // A service that has some of them among its other events may have put the later ones into their own table.
    { cause: 'kept_apart', events: missing(({ event }) => event === APART_EVENT) },
    { cause: 'young', events: missing(({ day }) => day >= youngFrom) },
    { cause: 'not_arrived_yet', events: all },
  ]
  return causes.filter(({ events }) => events > 0)
}

export interface FoundWarning {
  readonly type: string
  readonly severity: string
  readonly sampled: number
  /** The uuid of one of its events. */
  readonly example: string | null
  /** The transformations that did it, where they are named. */
  readonly by?: readonly string[]
}

/** What the service warned of in a time, as results have it. Causes, never counts: it samples, and the events of others are among them. */
export interface WarningsFound {
  /** ISO time. */
  readonly since: string
  /** Why they could not be asked for. */
  readonly unasked: string | null
  readonly types: readonly FoundWarning[]
}

/** True for warnings of events that the service did not store. */
function isDropped({ severity }: Pick<FoundWarning, 'severity'>): boolean {
  return severity === 'error' || severity === 'info'
}
