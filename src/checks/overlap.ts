import { Fingerprint } from '../record/fingerprint.ts'
import { type CellDifference, type DayComparison, isSame } from './compare.ts'
import { differenceGroups } from './difference-groups.ts'
import { type EventKey, EventSet } from './event-set.ts'
import { readGroup } from './group-reader.ts'
import type { VerifyInput } from './verify-input.ts'

/**
 * Looks again at cells that several inputs have: these may share events, which the service holds once. The ids of their
 * events are read, and each counts once.
 */
export async function withoutShared(
  inputs: readonly VerifyInput[],
  days: readonly DayComparison[],
  passEvents: number,
): Promise<DayComparison[]> {
  const doubtful = days.flatMap(({ differences }) => differences.filter((cell) => cell.inputs > 1))
  const distinct = new Map(doubtful.map((cell) => [cell, new Fingerprint()]))
  for (const group of differenceGroups(doubtful, passEvents)) {
    for (let share = 0; share < group.shares; share++) {
      const seen = new EventSet()
      const count = (cell: CellDifference, key: EventKey) => {
        if (seen.add(key)) distinct.get(cell)!.add(key.bytes, 0)
      }
      await readGroup(inputs, group, share, { each: count, between: async () => undefined })
    }
  }
  return days.map((day) => {
    const cells = day.differences.map((cell) => ({ cell, here: distinct.get(cell) }))
    const shared = cells.reduce((sum, { cell, here }) => sum + cell.here.count - (here ?? cell.here).count, 0)
    const differences = cells
      .filter(({ cell, here }) => !here || !isSame(here, cell.there, true))
      .map(({ cell, here }) => (here ? { ...cell, here } : cell))
    return { ...day, here: day.here - shared, differences }
  })
}
