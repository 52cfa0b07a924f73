import { rm } from 'node:fs/promises'
import type { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { joinedTables } from '../../pipeline/side/built.ts'
import { zeroCounts } from '../../record/counts.ts'
import { emptyInventory } from '../../record/inventory.ts'
import { byName, emptyNotes, sumOf } from '../../record/notes.ts'
import { fileError } from '../../store/file-error.ts'
import { scratchFolder } from '../../store/ownership.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { findForgotten } from '../../transform/forget/find-forgotten.ts'
import type { Job } from '../../transform/job.ts'
import type { Pool } from '../../transform/pool.ts'
import { userRepeats } from '../../transform/repeats.ts'
import type { Sample } from '../../transform/sample.ts'
import type { Transformed, TransformRunOptions } from '../../transform/transform-tally.ts'

/** An empty sample, for a run that failed before it had one. */
export function noSample(): Sample {
  return {
    read: 0,
    whole: false,
    rejected: 0,
    duplicates: { count: 0, unlike: 0, estimated: false },
    eventBytes: 0,
    filtered: {},
    spread: null,
    records: null,
    reasons: new Map(),
    preview: { names: [], otherNames: 0, rejects: [] },
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
export function sampleAlone(
  sample: Sample,
  job: Job,
  stands: NonNullable<TransformRunOptions['stands']>,
): Transformed {
  const { joins, inventory } = sample
  const tried = ended(sample)
  const error = stands({ repeats: userRepeats(job, tried) })
  return { ...tried, joined: joinedTables(job.sideTables, joins), inventory, error }
}

function ended({ read, rejected, filtered, records, reasons, notes, preview, duplicates }: Sample) {
  const left = sumOf(filtered)
  const duplicate = duplicates.estimated ? 0 : duplicates.count
  const pending = read - rejected - left - duplicate
  return {
    counts: { ...zeroCounts(), read, rejected, filtered: left, duplicate, pending, earlier: 0, generated: 0 },
    records,
    rejects: byName(Object.fromEntries([...reasons].map(([reason, { count }]) => [reason, count]))),
    filtered: byName(filtered),
    notes,
    preview,
    duplicates,
    twins: null,
    late: null,
    idle: null,
    unhashed: null,
    days: 0,
    parts: 0,
  }
}

/**
 * The job that leaves out the people of its list, after a first reading of the whole input. Code `config` for an id that must be
 * found and is not; where the input `isPart` of a history, it is said only.
 */
export async function withoutForgotten(job: Job, pool: Pool, io: Io, isPart: boolean): Promise<Job> {
  const folder = await scratchFolder('posthaul-links-')
  const progress = progressFor(io.telemetry)
  progress.start(
    'looking for ids',
    job.units.reduce((sum, unit) => sum + unit.bytes, 0),
  )
  try {
    pool.begin(job)
    const doPieces = pool.pieces(io.interrupted, (bytes) => progress.add(bytes))
    return await findForgotten(doPieces, job, folder, (error) => {
      if (!isPart) throw error
      io.telemetry.note('transform', error.message, 'warn')
    })
  } catch (error) {
    throw fileError(error, 'write', folder)
  } finally {
    progress.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
