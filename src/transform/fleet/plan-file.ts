import { createHash } from 'node:crypto'
import { PosthaulError } from '../../errors.ts'
import type { InputFile } from '../../inputs/index.ts'
import type { BuiltTable } from '../../pipeline/side/built.ts'
import { PieceKind } from '../../state/cell-kind.ts'
import { isS3, openStore, type Store } from '../../store/index.ts'
import { STAGES, type Stage, shellWord } from '../../text/index.ts'
import type { Job } from '../job.ts'
import type { WrittenBytes } from '../work-file.ts'

/** Beside the parts, in the dataset's own place. Its name begins with a dot: whoever lists a dataset passes over it. */
export const FLEET = '.posthaul-fleet'

export const PLAN = 'plan.json'
/** Hashes of the ids to forget. */
export const LISTED = 'listed-ids'
/** Written last: what `finish` made of the dataset. */
export const FINISHED = 'finished.json'

/** The store of a fleet's own files, in the place that `--out` names. */
export async function fleetStore(out: string): Promise<Store> {
  return openStore(inside(out, FLEET))
}

/** The files of one task: their names, as the fleet's store has them, and their bytes. */
export async function taskFiles(out: string, stage: Stage, index: number): Promise<Map<string, number>> {
  const name = taskName(stage, index)
  const files = await (await openStore(inside(out, `${FLEET}/${name}`))).list()
  return new Map(files.map((file) => [`${name}/${file.name}`, file.bytes]))
}

function inside(out: string, name: string): string {
  const cut = isS3(out) ? out.indexOf('?') : -1
  const [folder, query] = cut === -1 ? [out, ''] : [out.slice(0, cut), out.slice(cut)]
  return `${folder.replace(/\/+$/, '')}/${name}${query}`
}

/** `map/000012`: what the names of a task's files begin with. */
export function taskName(stage: Stage, index: number): string {
  return `${stage}/${String(index).padStart(6, '0')}`
}

/** The name of a task's result. A task is done when it is there. */
export function doneName(stage: Stage, index: number): string {
  return `${taskName(stage, index)}.done`
}

/** The name of the record of one try of a task; `id` tells the tries of a task apart. */
export function tryName(stage: Stage, index: number, id: string): string {
  return `tries/${taskName(stage, index)}-${id}.json`
}

/** The version of a plan's form, and of all files that tasks write. */
export const PLAN_FORMAT = 4

/** A job without what belongs to one machine or is a secret. */
export interface FrozenJob
  extends Omit<Job, 'hashKey' | 'out' | 'work' | 'inputs' | 'units' | 'sideTables' | 'forget' | 'forgotten'> {
  /** The fingerprint of the key of hashes, which each task reads from its environment. */
  readonly hashKey?: string
}

/** A side table, which each task that maps records builds or fetches before. */
export interface FrozenSide {
  readonly name: string
  /** None for a table of records. */
  readonly inputs: readonly InputFile[]
  /** As it was when the plan was made: a task that builds another one stops. Null for a table that tasks gather of records. */
  readonly built: Omit<BuiltTable, 'file'> | null
}

/** The people to forget, as hashes: without the salt nobody can tell whose they are, and they are gone with the fleet's end. */
export interface FrozenPeople {
  /** Of the list of ids. */
  readonly sha256: string
  readonly ids: number
  readonly salt: string
  /** The list: cells of an IdSet. */
  readonly listed: WrittenBytes
}

/** What all tasks of a fleet go by. Plain data, frozen when it is written. */
export interface FleetPlan {
  readonly format: typeof PLAN_FORMAT
  /** `posthaul 0.1.0`: another version may make other events. */
  readonly tool: string
  /** How many tasks each stage has. */
  readonly tasks: number
  readonly created_at: string
  readonly job: FrozenJob
  /** As they were when the plan was made: with sizes, and times or ETags. */
  readonly inputs: readonly InputFile[]
  /** In the order of the preset. */
  readonly sides: readonly FrozenSide[]
  readonly forget: FrozenPeople | null
  /** Of each map task the number of its first unit, and at the end the number of all: units are cut from `inputs` again. */
  readonly firstUnits: readonly number[]
  /** For the manifest: where the events come from. */
  readonly source: Readonly<Record<string, string>>
}

/** The stages that a plan has. */
export function stagesOf({ sides, forget }: Pick<FleetPlan, 'sides' | 'forget'>): Stage[] {
  const [gathers, forgets] = [gatheredTables({ sides }).length > 0, forget !== null]
  const needed: Partial<Record<Stage, boolean>> = {
    rows: gathers,
    tables: gathers,
    links: forgets,
    people: forgets,
  }
  return STAGES.filter((stage) => needed[stage] ?? true)
}

/** The names of the tables that are made of records. */
export function gatheredTables({ sides }: Pick<FleetPlan, 'sides'>): string[] {
  return sides.filter(({ built }) => built === null).map(({ name }) => name)
}

/** A plan with the digest of all that it says, by which a task's files name it. */
export interface KnownPlan {
  readonly id: string
  readonly plan: FleetPlan
}

/** The plan as it is written: what JSON does not keep is gone, so that its digest can be made again. */
export function frozen(plan: FleetPlan): KnownPlan {
  const text = JSON.stringify(JSON.parse(JSON.stringify(plan)))
  return { id: createHash('sha256').update(text).digest('hex'), plan: JSON.parse(text) as FleetPlan }
}

export const FROZEN_PLAN = new PieceKind<FleetPlan>({
  name: 'plan of a fleet',
  seal: (plan) => `${JSON.stringify(frozen(plan))}\n`,
  open: (text) => (JSON.parse(text) as KnownPlan).plan,
})

export async function writePlan(store: Store, { plan }: KnownPlan): Promise<void> {
  await store.put(PLAN, FROZEN_PLAN.seal(plan))
}

/** The plan of a place, or undefined if there is none. Code `mismatch` for one that was changed since it was written. */
export async function readPlan(store: Store): Promise<KnownPlan | undefined> {
  const there = await store.load(PLAN)
  if (!there) return undefined
  const address = store.address(PLAN)
  const { said, isWhole } = FROZEN_PLAN.read(there.bytes)
  if (said?.format !== PLAN_FORMAT) {
    throw new PosthaulError(`${address} is no plan that this posthaul can read`, {
      code: 'mismatch',
      hint: 'go on with the posthaul that made the plan, or make a new one with posthaul fleet plan --restart',
    })
  }
  if (isWhole) return frozen(said)
  throw new PosthaulError(`${address} is not as it was written: something changed it`, {
    code: 'mismatch',
    hint: 'make a new plan with posthaul fleet plan --restart',
  })
}

/** The plan of the place that `out` names. Code `input` if it has none. */
export async function knownPlan(store: Store, out: string): Promise<KnownPlan> {
  const known = await readPlan(store)
  if (known) return known
  throw new PosthaulError(`${out} has no plan of a fleet, which says what the tasks are`, {
    code: 'input',
    hint: `check --out, or make a plan: posthaul fleet plan --preset <name> --in <path> --out ${shellWord(out)}`,
    once: 'the plan is there',
  })
}
