import { join } from 'node:path'
import { gatherSeen, readShare } from '../gather.ts'
import type { UnitResult } from '../job.ts'
import { Tally, type UnitSum } from '../transform-tally.ts'
import type { WrittenFile } from '../work-file.ts'
import type { FleetPiece } from './done-file.ts'
import { joinedJob } from './gathered.ts'
import { bucketsOf } from './pack.ts'
import { forgottenIn } from './people-task.ts'
import { readUnits, type TaskOrder, unitsOf } from './piece-order.ts'
import { type BucketObject, bytesIn, writeBuckets } from './pieces.ts'
import { gatheredTables } from './plan-file.ts'
import { type RunObject, writeRuns } from './run-objects.ts'

/** A unit by its number in the plan: its records, its line ends, and its piece of the task's rejects. */
export interface UnitLines {
  readonly unit: number
  readonly read: number
  readonly lines: number
  readonly rejects: FleetPiece
}

/** What only `finish` reads of a map task. It can be large: the names of members, and a line for each unit. */
export interface MapCounts {
  readonly sum: UnitSum
  readonly units: readonly UnitLines[]
  /** The sha256 of the tables of records that they were joined with, in the plan's order. */
  readonly tables: readonly string[]
}

/** The result of a map task. */
export interface MapDone {
  readonly runs: readonly RunObject[]
  readonly seen: BucketObject | null
  /** A `MapCounts` as JSON. */
  readonly counts: FleetPiece
}

/** Maps the units of a task, and writes what they came to into the store. */
export async function runMap(order: TaskOrder): Promise<MapDone> {
  const { known, folder, files } = order
  const { tasks } = known.plan
  const job = { ...(await joinedJob(order)), forgotten: await forgottenIn(order) }
  const tally = new Tally()
  const results = await readUnits<UnitResult>(
    order,
    job,
    (unit) => ({ type: 'map', ...unit }),
    (result) => tally.take(result),
  )
  const [first] = unitsOf(order)
  const segments = results.flatMap((result) => result.segments)
  const counts: MapCounts = {
    sum: tally.units,
    units: await writeRejects(
      order,
      results.map((result, at) => ({ ...result, unit: first! + at })),
    ),
    tables: gatheredTables(known.plan).flatMap(
      (table) => job.sideTables.find(({ name }) => name === table)?.sha256 ?? [],
    ),
  }
  return {
    runs: await writeRuns(files, folder, segments, tasks),
    seen:
      (await writeSeen(
        order,
        results.map(({ seenFile }) => seenFile),
      )) ?? null,
    counts: await files.piece('counts', [Buffer.from(JSON.stringify(counts))]),
  }
}

/** Writes the observations of units, in the order of their buckets. */
async function writeSeen(
  { known, folder, files }: TaskOrder,
  seen: readonly WrittenFile[],
): Promise<BucketObject | undefined> {
  const buckets = bucketsOf(known.plan.tasks)
  const gathered = gatherSeen(folder, 'seen', seen, { first: 0, count: buckets, of: buckets })
  function* lines(): Generator<readonly [number, Buffer]> {
    for (let bucket = 0; bucket < buckets; bucket++)
      for (const one of gathered) {
        const bytes = readShare(folder, one, bucket)
        if (bytes.length > 0) yield [bucket, bytes]
      }
  }
  return writeBuckets(files, 'seen', lines(), buckets)
}

async function writeRejects(
  { folder, files }: TaskOrder,
  units: readonly (UnitResult & { readonly unit: number })[],
): Promise<UnitLines[]> {
  const file = files.nameOf('rejects')
  let offset = 0
  const made = units.map(({ unit, read, lines, rejectsFile: { bytes, crc } }): UnitLines => {
    offset += bytes
    return { unit, read, lines, rejects: { file, offset: offset - bytes, bytes, crc } }
  })
  const own = units.map(({ rejectsFile }) => ({ path: join(folder, rejectsFile.file) }))
  if (offset > 0) await files.put('rejects', bytesIn(own))
  return made
}
