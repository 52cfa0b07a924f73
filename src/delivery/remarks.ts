import { addCounts } from '../record/index.ts'

/** What Capture V1 said of events that it took. */
export interface Remarks {
  /** Events that it took with a warning, by the service's word for it. */
  readonly warnings: Record<string, number>
  /** Events among them that were to merge people or to change a person or a group, and did not, by their names. */
  readonly unmerged: Record<string, number>
  /** Unconfirmed events: it gave no known answer for them. They may be stored, and aren't sent again. */
  unknown: number
}

/** The names of events that do nothing if the service does not process their person. */
export const MERGING_EVENTS = ['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set']

export function noRemarks(): Remarks {
  const tally = () => Object.create(null) as Record<string, number>
  return { warnings: tally(), unmerged: tally(), unknown: 0 }
}

/** Adds `other` into `into`. */
export function addRemarks(into: Remarks, other: Readonly<Remarks>): void {
  addCounts(into.warnings, other.warnings)
  addCounts(into.unmerged, other.unmerged)
  into.unknown += other.unknown
}
