import type { PosthaulError } from '../../errors.ts'
import { type BuiltTable, joinedTables } from '../../pipeline/side/built.ts'
import { byName, emptyInventory, emptyNotes, sumOf, zeroCounts } from '../../record/index.ts'
import type { Sample, Transformed } from '../../transform/index.ts'

/** An empty sample, for a run that failed before it had one. */
export function noSample(): Sample {
  return {
    read: 0,
    whole: false,
    rejected: 0,
    eventBytes: 0,
    filtered: {},
    spread: null,
    records: null,
    reasons: new Map(),
    pairs: [],
    notes: emptyNotes(),
    inventory: emptyInventory(),
    joins: {},
    foreignClock: undefined,
    idleRules: [],
  }
}

/** The result of a transform that ended at its sample: nothing was written. */
export function stoppedAt(sample: Sample, error: PosthaulError): Transformed {
  return { ...ended(sample), joined: [], inventory: emptyInventory(), error }
}

/** The result of a dry run that tried a sample and nothing else. */
export function sampleAlone(sample: Sample, sideTables: readonly BuiltTable[]): Transformed {
  const { joins, inventory } = sample
  return { ...ended(sample), joined: joinedTables(sideTables, joins), inventory, error: undefined }
}

function ended({ read, rejected, filtered, records, reasons, notes }: Sample) {
  const left = sumOf(filtered)
  const pending = read - rejected - left
  return {
    counts: { ...zeroCounts(), read, rejected, filtered: left, pending, earlier: 0, generated: 0 },
    records,
    rejects: byName(Object.fromEntries([...reasons].map(([reason, { count }]) => [reason, count]))),
    filtered: byName(filtered),
    notes,
    days: 0,
    parts: 0,
  }
}
