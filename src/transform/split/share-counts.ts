import type { MadeCounts, RecordCounts } from '../../record/index.ts'
import { sum } from '../../text/index.ts'

/** What is known of one dataset's events. */
export interface ShareSize {
  readonly events: number
  /** Of these, as it seems, made of several records: see EventStock. */
  readonly generated: number
}

/** Counts of one dataset, as a transform that made it alone would have them. */
export interface ShareCounts {
  readonly counts: MadeCounts
  readonly records: RecordCounts | null
}

/**
 * Divides the counts of a whole input, so that those of all datasets add up to them. A record that became no event is of
 * nobody: rejects, what was filtered and duplicates are the first dataset's.
 */
export function shareCounts(
  { counts, records }: ShareCounts,
  sizes: readonly ShareSize[],
): readonly ShareCounts[] {
  const generated = settled(sizes, counts.generated)
  const own = sizes.map(({ events }, index) => events - generated[index]!)
  const [first = 0] = own
  return own.map((written, index) => {
    const made = { written, generated: generated[index]!, pending: 0 }
    if (index > 0) {
      return {
        counts: { ...made, read: written, rejected: 0, filtered: 0, duplicate: 0, earlier: 0 },
        records: records && { read: 0, mapped: 0, rejected: 0, filtered: 0 },
      }
    }
    return { counts: { ...counts, ...made, read: counts.read - (counts.written - first) }, records }
  })
}

/** Numbers of generated events that add up to the `total`, as near to what seems right as can be. */
function settled(sizes: readonly ShareSize[], total: number): number[] {
  const settledTo = sizes.map(({ generated }) => generated)
  let over = sum(settledTo) - total
  for (const [index, { events }] of sizes.entries()) {
    const [before, least, most] = [settledTo[index]!, 0, events]
    settledTo[index] = Math.min(most, Math.max(least, before - over))
    over -= before - settledTo[index]!
  }
  return settledTo
}
