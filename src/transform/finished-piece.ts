import type { Store } from '../store/index.ts'
import type { Generated } from './generate.ts'
import type { UnitResult } from './job.ts'
import type { Journal } from './journal.ts'
import type { Segment } from './run/frame.ts'
import type { SealedDay } from './seal/day.ts'
import { dayName, pieceName, type Task } from './task.ts'
import { isIntact, isIntactFile, type WrittenFile } from './work-file.ts'

/**
 * The result of a piece that an earlier run finished; undefined if there is none, or if a file it wrote is not as it was
 * written. Then the piece is done again, to the same bytes. Reads all that is left of the piece's files.
 */
export function finishedPiece(journal: Journal, task: Task): unknown {
  const result = journal.result(pieceName(task))
  if (result === undefined) return undefined
  if (task.type === 'map') return isUnitIntact(journal, result as UnitResult) ? result : undefined
  if (task.type === 'carry') return isIntactFile(journal.folder, result as WrittenFile) ? result : undefined
  if (task.type === 'generate') return isShareIntact(journal, result as Generated) ? result : undefined
  // The parts of days were looked at before: see forgetLostDays.
  return result
}

/**
 * Removes the results of days whose parts are not in the store with the size they had. To be called before any piece is
 * asked for: the runs of a day that counts as sealed are needed no more, so nobody looks at them.
 */
export async function forgetLostDays(journal: Journal, store: Store): Promise<void> {
  const days = journal.pieces('day-')
  if (days.length === 0) return
  const sizes = new Map((await store.list()).map(({ name, bytes }) => [name, bytes]))
  for (const piece of days) {
    const parts = journal.result<SealedDay>(piece)?.parts
    if (!parts?.every(({ file, bytes }) => sizes.get(file) === bytes)) journal.forget(piece)
  }
}

function isUnitIntact(journal: Journal, { seenFile, rejectsFile, segments }: UnitResult): boolean {
  const { folder } = journal
  return (
    isIntactFile(folder, seenFile) && isIntactFile(folder, rejectsFile) && areRunsIntact(journal, segments)
  )
}

function isShareIntact(journal: Journal, { segments, linksFile }: Generated): boolean {
  return isIntactFile(journal.folder, linksFile) && areRunsIntact(journal, segments)
}

/** The runs of a sealed day need not be there: most were removed when it was sealed. */
function areRunsIntact(journal: Journal, segments: readonly Segment[]): boolean {
  return segments.every((segment) => journal.has(dayName(segment.day)) || isIntact(journal.folder, segment))
}
