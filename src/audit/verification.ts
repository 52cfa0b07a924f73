import type { CellDifference } from './compare.ts'
import type { Gap } from './gaps.ts'
import type { PeopleReport } from './people.ts'
import type { ValueReport } from './value-check.ts'
import type { VerifyInput } from './verify-input.ts'

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

/** What `verify` found. Undefined: not looked for. */
export interface Verification {
  readonly inputs: readonly VerifyInput[]
  /** All days have fingerprints, not only counts. */
  readonly exact: boolean
  readonly days: number
  readonly here: number
  readonly there: number
  /** Events of other names in the service on these days. */
  readonly others: number
  readonly cells: readonly CellGap[]
  /** The first of the missing, and of those that no input has. */
  readonly missingEvents: readonly NamedEvent[]
  readonly unknownEvents: readonly NamedEvent[]
  readonly missingFile: string | undefined
  readonly values: ValueReport | undefined
  readonly people: PeopleReport | undefined
  /** What could not be asked, and why. */
  readonly unasked: readonly string[]
}

/** True if no event differs, and no value that was compared. */
export function isProven({ cells, values }: Verification): boolean {
  return cells.length === 0 && (values === undefined || values.changed + values.absent === 0)
}

/** How many events are missing, and how many are in the service that no input has; undefined if not looked for. */
export function gapOf({ cells }: Verification): Gap | undefined {
  const sum = { missing: 0, unknown: 0 }
  for (const { gap } of cells) {
    if (!gap) return undefined
    sum.missing += gap.missing
    sum.unknown += gap.unknown
  }
  return sum
}
