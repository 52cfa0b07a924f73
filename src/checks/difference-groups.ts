import type { CellDifference } from './compare.ts'
import { nameInService } from './expected.ts'

/** Cells that are looked at together, because memory holds the ids of their events. */
export interface DifferenceGroup {
  readonly days: ReadonlySet<string>
  readonly cells: readonly CellDifference[]
  /** So many shares are looked at one after the other: a power of 3, 1 for all but the largest days. */
  readonly shares: number
  /** The cell that an event of this name is in. */
  find(day: string, name: string): CellDifference | undefined
}

/** The cells, day by day, in groups of up to `mostEvents` events; a day is never in two groups. */
export function differenceGroups(
  differences: readonly CellDifference[],
  mostEvents: number,
): DifferenceGroup[] {
  const groups: DifferenceGroup[] = []
  let cells: CellDifference[] = []
  let events = 0
  for (const ofDay of byDay(differences)) {
    const own = ofDay.reduce((sum, { here, there }) => sum + Math.max(here.count, there.count), 0)
    if (cells.length > 0 && events + own > mostEvents) {
      groups.push(groupOf(cells, events, mostEvents))
      cells = []
      events = 0
    }
    cells.push(...ofDay)
    events += own
  }
  if (cells.length > 0) groups.push(groupOf(cells, events, mostEvents))
  return groups
}

function groupOf(cells: readonly CellDifference[], events: number, mostEvents: number): DifferenceGroup {
  const byName = new Map(cells.map((cell) => [keyOf(cell.day, cell.event), cell]))
  let shares = 1
  while (events / shares > mostEvents) shares *= 3
  return {
    days: new Set(cells.map(({ day }) => day)),
    cells,
    shares,
    find: (day, name) => byName.get(keyOf(day, null)) ?? byName.get(keyOf(day, nameInService(name))),
  }
}

function byDay(differences: readonly CellDifference[]): Iterable<CellDifference[]> {
  const days = new Map<string, CellDifference[]>()
  for (const difference of differences) {
    const found = days.get(difference.day)
    if (found) found.push(difference)
    else days.set(difference.day, [difference])
  }
  return days.values()
}

function keyOf(day: string, event: string | null): string {
  return event === null ? day : `${day} ${event}`
}
