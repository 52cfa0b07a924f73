import { YOUNG_HOURS } from '../delivery/caps.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { MS_PER_HOUR } from '../text/units.ts'
import type { CellGap, Verification } from './verification.ts'
import { isDropped } from './warnings-found.ts'

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
    ...warnings.warnings.filter(isDropped).map(({ type: cause }) => ({ cause, events: all })),
    // A service that has some of them among its other events may have put the later ones into their own table.
    { cause: 'kept_apart', events: missing(({ event }) => event === APART_EVENT) },
    { cause: 'young', events: missing(({ day }) => day >= youngFrom) },
    { cause: 'not_arrived_yet', events: all },
  ]
  return causes.filter(({ events }) => events > 0)
}
