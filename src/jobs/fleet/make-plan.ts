import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/index.ts'
import { isPresetFile } from '../../mapping/index.ts'
import { isS3, MANIFEST, openStore, type Store } from '../../store/index.ts'
import {
  assertInputsStay,
  assertReplaceable,
  FINISHED,
  type FleetPlan,
  type FrozenJob,
  type FrozenPeople,
  fleetStore,
  frozen,
  type Job,
  type KnownPlan,
  LISTED,
  listedIds,
  PLAN,
  PLAN_FORMAT,
  type Prepared,
  packUnits,
  readPlan,
  unpackedBytes,
  writePlan,
} from '../../transform/index.ts'

interface FleetPlanOptions {
  readonly tasks: number
  /** `posthaul 0.1.0`. */
  readonly tool: string
  /** For the manifest: where the events come from. */
  readonly source: Readonly<Record<string, string>>
  /** Those whom the job's list names. */
  readonly people?: PlannedPeople | undefined
}

/** The people to forget, and the file that says who they are. */
interface PlannedPeople {
  readonly frozen: FrozenPeople
  readonly listed: Buffer
}

/** Reads the list of a job's people to forget; undefined if it has none. */
export async function plannedPeople({ forget }: Pick<Job, 'forget'>): Promise<PlannedPeople | undefined> {
  if (forget === undefined) return undefined
  if (forget.all) {
    throw new PosthaulError(
      'forget: asks that all ids of its list are found, which a fleet does not look for',
      {
        code: 'config',
        hint: 'take all: true out, or transform on one machine',
      },
    )
  }
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

/** Why two plans are of different work, in words that follow "other"; undefined for the same work. */
function otherWork(there: FleetPlan, now: FleetPlan): string | undefined {
  if (there.tool !== now.tool) return `versions of posthaul (${there.tool}, now ${now.tool})`
  if (there.tasks !== now.tasks) return `numbers of tasks (${there.tasks}, now ${now.tasks})`
  if (!same(there.inputs, now.inputs)) return 'inputs: files were added, removed or changed'
  if (!same(there.sides, now.sides)) return 'side tables'
  if (!same(timeless(there), timeless(now))) return 'settings'
  return undefined
}

/** What a plan says, but for what is new each time that it is made. */
function timeless({ created_at: _, job, forget, ...rest }: FleetPlan): object {
  // The salt is another one each time.
  const people = forget && { sha256: forget.sha256, ids: forget.ids }
  return { ...rest, job: { ...job, now: 0 }, people }
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const AT_ONCE = 16

/** The place of a plan, which may take one. */
interface PlanPlace {
  readonly out: string
  readonly dataset: Store
  readonly fleet: Store
  /** What is to stay, if it is a plan of the same work. */
  readonly there: KnownPlan | undefined
  readonly isFinished: boolean
}

interface PlaceRequest {
  /** True to remove the plan that is there. */
  readonly restart: boolean
  readonly rulesChanged: boolean
}

/** Looks whether a plan may be written to `out`, by the rules of a transform. Writes nothing. */
export async function placeFor(
  out: string,
  { job, source }: Pick<Prepared, 'job' | 'source'>,
  { restart, rulesChanged }: PlaceRequest,
): Promise<PlanPlace> {
  const [dataset, fleet] = [await openStore(out), await fleetStore(out)]
  // A plan that can't be read may be replaced all the same.
  const there = restart ? undefined : await readPlan(fleet)
  const isBegun = (await fleet.stamp(PLAN)) !== undefined
  await assertInputsStay(job)
  await assertReplaceable(dataset, out, {
    source,
    begun: isBegun,
    rules: rulesChanged ? undefined : job.rules,
  })
  return { out, dataset, fleet, there, isFinished: (await fleet.stamp(FINISHED)) !== undefined }
}

/**
 * Writes a plan and its `listed` ids, or keeps the one that is there if it is of the same work, and returns what holds. Code `mismatch` for a
 * plan of other work.
 */
export async function putPlan(
  { out, dataset, fleet, there }: PlanPlace,
  made: KnownPlan,
  listed?: Buffer,
): Promise<KnownPlan> {
  if (there) {
    const other = otherWork(there.plan, made.plan)
    if (other === undefined) return there
    throw new PosthaulError(`${out} has a plan already, and it is of other ${other}`, {
      code: 'mismatch',
      hint: 'add --restart to plan anew: what its tasks have done is removed. Or choose another place for --out',
    })
  }
  // First of all, so that a task which is at it finds no plan rather than another one's files.
  await fleet.remove(PLAN)
  const limit = pLimit(AT_ONCE)
  await Promise.all((await fleet.list()).map(({ name }) => limit(() => fleet.remove(name))))
  await fleet.sweep()
  await dataset.sweep()
  // See store/manifest.ts: the old manifest goes first.
  await dataset.remove(MANIFEST)
  if (listed) await fleet.put(LISTED, listed)
  await writePlan(fleet, made)
  return made
}
