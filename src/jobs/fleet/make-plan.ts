import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import type { InputFile } from '../../inputs/index.ts'
import { isPresetFile } from '../../mapping/index.ts'
import { isS3 } from '../../store/index.ts'
import {
  type FrozenJob,
  type FrozenPeople,
  frozen,
  type Job,
  type KnownPlan,
  LISTED,
  listedIds,
  PLAN_FORMAT,
  type Prepared,
  packUnits,
  unpackedBytes,
} from '../../transform/index.ts'

export interface FleetPlanOptions {
  readonly tasks: number
  /** `posthaul 0.1.0`. */
  readonly tool: string
  /** For the manifest: where the events come from. */
  readonly source: Readonly<Record<string, string>>
  /** Those whom the job's list names. */
  readonly people?: PlannedPeople | undefined
}

/** The people to forget, and the file that says who they are. */
export interface PlannedPeople {
  readonly frozen: FrozenPeople
  readonly listed: Buffer
}

/** Reads the list of a job's people to forget; undefined if it has none. */
export async function plannedPeople({ forget }: Pick<Job, 'forget'>): Promise<PlannedPeople | undefined> {
  if (forget === undefined) return undefined
  const { sha256, ids } = forget
  const salt = randomBytes(16).toString('hex')
  const listed = Buffer.from((await listedIds(forget, salt)).cells.buffer)
  const file = { file: LISTED, offset: 0, bytes: listed.length, crc: crc32(listed) }
  return { frozen: { sha256, ids, salt, listed: file }, listed }
}

/**
 * Freezes a job, its side tables built, into a plan. Paths become absolute: tasks run elsewhere, where the same folders have
 * to be.
 */
export function makePlan(
  { job, sides }: Pick<Prepared, 'job' | 'sides'>,
  { tasks, tool, source, people }: FleetPlanOptions,
): KnownPlan {
  return frozen({
    format: PLAN_FORMAT,
    tool,
    tasks,
    created_at: new Date().toISOString(),
    job: frozenJob(job),
    inputs: job.inputs.map(anywhere),
    sides: sides.map(({ table, inputs }, at) => {
      if (table.ofRecords) return { name: table.name, inputs: [], built: null }
      const { file: _, ...built } = job.sideTables[at]!
      return { name: table.name, inputs: inputs.map(anywhere), built }
    }),
    forget: people?.frozen ?? null,
    firstUnits: packUnits(
      job.units.map(({ input, bytes }) => ({ bytes: unpackedBytes(job.inputs[input]!, bytes) })),
      tasks,
    ),
    source,
  })
}

function frozenJob(job: Job): FrozenJob {
  const {
    hashKey,
    out: _o,
    work: _w,
    inputs: _i,
    units: _u,
    sideTables: _s,
    forget: _f,
    forgotten: _g,
    ...rest
  } = job
  return {
    ...rest,
    preset: isPresetFile(job.preset) ? resolve(job.preset) : job.preset,
    after: job.after.map((dataset) => ({ ...dataset, location: absolute(dataset.location) })),
    ...(hashKey && { hashKey: hashKey.fingerprint }),
  }
}

function anywhere(input: InputFile): InputFile {
  return { ...input, path: absolute(input.path) }
}

function absolute(place: string): string {
  return isS3(place) ? place : resolve(place)
}
