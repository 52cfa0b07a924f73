import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { PosthaulError } from '../../errors.ts'
import { makeEngine } from '../../pipeline/engine.ts'
import { assertAsListed } from '../../pipeline/inputs-unchanged.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { buildTables } from '../../pipeline/side/build.ts'
import type { BuiltTable } from '../../pipeline/side/built.ts'
import { fileError, inMidRun } from '../../store/file-error.ts'
import { FirstLinks } from '../first-links.ts'
import { type Job, unitOrder } from '../job.ts'
import { mapUnit } from '../map.ts'
import type { Segment } from '../run/frame.ts'
import { FrameTable } from '../run/writer.ts'
import { Tally, type UnitSum } from '../transform-tally.ts'
import type { WrittenFile } from '../work-file.ts'
import type { FleetPiece } from './done-file.ts'
import { taskName } from './fleet-files.ts'
import { bucketsOf } from './pack.ts'
import type { TaskOrder } from './piece-order.ts'
import { type RunObject, writeRuns } from './run-objects.ts'
import { type SeenObject, writeSeen } from './seen-object.ts'

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
}

/** The result of a map task. */
export interface MapDone {
  readonly runs: readonly RunObject[]
  readonly seen: SeenObject | null
  /** The file of the rejects; null for none. */
  readonly rejects: { readonly file: string; readonly bytes: number } | null
  /** A `MapCounts` as JSON. */
  readonly counts: FleetPiece
}

/** Maps the units of a task, and writes what they came to into the store. */
export async function runMap(order: TaskOrder): Promise<MapDone> {
  const { known, index, store, folder, stop } = order
  const { plan } = known
  const name = taskName('map', index)
  const [from, to] = [plan.firstUnits[index]!, plan.firstUnits[index + 1]!]
  const job: Job = { ...order.job, work: folder, sideTables: from < to ? await sideTables(order) : [] }
  const inputs = [...new Set(job.units.slice(from, to).flatMap((_, at) => unitOrder(job, from + at).inputs))]
  await assertAsListed(inputs)
  const engine = await makeEngine(job)
  const mapper = { engine, frames: new FrameTable(), links: new FirstLinks() }
  const tally = new Tally()
  const segments: Segment[] = []
  const seen: WrittenFile[] = []
  const units: UnitRead[] = []
  try {
    for (let unit = from; unit < to; unit++) {
      const result = await mapUnit(job, unitOrder(job, unit), mapper, stop, order.progress)
      tally.addUnits(result)
      segments.push(...result.segments)
      seen.push(result.seenFile)
      units.push({ unit, read: result.read, lines: result.lines, file: result.rejectsFile })
    }
  } catch (error) {
    throw inMidRun(fileError(error, 'write', folder))
  } finally {
    engine.close()
  }
  // What was read of a file that changed meanwhile can be a mix of two states.
  await assertAsListed(inputs)
  const runs = await writeRuns(store, name, folder, segments, plan.tasks)
  const observed = await writeSeen(store, `${name}/seen`, folder, seen, bucketsOf(plan.tasks))
  const refused = await writeRejects(order, `${name}/rejects`, units)
  const counts = Buffer.from(JSON.stringify({ sum: tally.units, units: refused.units } satisfies MapCounts))
  await store.put(`${name}/counts`, counts)
  return {
    runs,
    seen: observed ?? null,
    rejects: refused.file,
    counts: { file: `${name}/counts`, offset: 0, bytes: counts.length, crc: crc32(counts) },
  }
}

/** Builds the side tables on this machine. Code `mismatch` if they are not those of the plan. */
async function sideTables({ known, job, folder, stop }: TaskOrder): Promise<readonly BuiltTable[]> {
  const { sides } = known.plan
  if (sides.length === 0) return []
  const tables = (await presetOf(job)).sideTables ?? []
  await assertAsListed(sides.flatMap(({ inputs }) => inputs))
  const given = sides.map(({ inputs, built }) => ({
    table: tables.find(({ name }) => name === built.name)!,
    inputs,
  }))
  const made = await buildTables(given, { folder, columns: job.columns, stop })
  const other = made.find(({ sha256 }, at) => sha256 !== sides[at]!.built.sha256)
  if (!other) return made
  throw new PosthaulError(`the side table ${other.name} is not what it was when the plan was made`, {
    code: 'mismatch',
    hint: 'make a new plan with posthaul fleet plan --restart',
  })
}

interface UnitRead extends Omit<UnitLines, 'rejects'> {
  readonly file: WrittenFile
}

interface Refused {
  readonly file: MapDone['rejects']
  readonly units: readonly UnitLines[]
}

async function writeRejects(
  { store, folder }: TaskOrder,
  file: string,
  units: readonly UnitRead[],
): Promise<Refused> {
  let offset = 0
  const lines = units.map(({ file: { bytes, crc }, ...unit }): UnitLines => {
    offset += bytes
    return { ...unit, rejects: { file, offset: offset - bytes, bytes, crc } }
  })
  if (offset === 0) return { file: null, units: lines }
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const { file } of units) yield* createReadStream(join(folder, file.file)) as AsyncIterable<Buffer>
  }
  await store.put(file, chunks())
  return { file: { file, bytes: offset }, units: lines }
}
