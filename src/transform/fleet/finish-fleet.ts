import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { ArrivalCell } from '../../store/arrival.ts'
import { MANIFEST } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import type { Stage } from '../../text/fleet-stages.ts'
import { cutUnits } from '../plan.ts'
import type { Transformed } from '../result.ts'
import type { SealedDay } from '../seal/day.ts'
import { finishDataset } from '../seal/finish.ts'
import { numbered, type UnitRejects } from '../seal/line-base.ts'
import { Tally } from '../transform-tally.ts'
import { readDone, writeDone } from './done-file.ts'
import { FINISHED, fleetStore, PLAN } from './fleet-files.ts'
import type { GenerateDone } from './generate-task.ts'
import type { MapCounts, MapDone, UnitLines } from './map-task.ts'
import { loadPiece, readPiece } from './pieces.ts'
import { type FleetPlan, type KnownPlan, knownPlan } from './plan-file.ts'
import { dayDoneName, type SealDone } from './seal-task.ts'
import { resultsOf } from './stage-results.ts'
import { filesOf, missingParts } from './whole-files.ts'

const AT_ONCE = 16

/** What became of all records. */
export type FleetResult = Omit<Transformed, 'error'>

interface Finished {
  /** Of the dataset's manifest. */
  readonly manifest_sha256: string
  readonly result: FleetResult
}

/** How a fleet ended; `before` if an earlier call had finished it. */
export interface FleetEnd {
  readonly known: KnownPlan
  readonly result: FleetResult
  readonly before: boolean
  /** Files of the fleet that were removed: what tasks had written for each other, and what dead tries left. */
  readonly removed: number
}

/** What the tasks of all stages came to. */
interface Made {
  readonly mapped: readonly MapDone[]
  readonly generated: readonly GenerateDone[]
  readonly days: readonly (SealedDay & { readonly day: number })[]
  readonly units: readonly UnitLines[]
}

/**
 * Checks the results of all tasks, holds their sums against each other, and writes the manifest last. Then removes what
 * tasks wrote for each other. Code `paused` while a task is not done. Called again it changes nothing.
 */
export async function finishFleet(out: string): Promise<FleetEnd> {
  const store = await fleetStore(out)
  const dataset = await openStore(out)
  const known = await knownPlan(store, out)
  const { id, plan } = known
  const there = await readDone<Finished>(store, FINISHED, id)
  if (there && (await digestOf(dataset)) === there.manifest_sha256) {
    return { known, result: there.result, before: true, removed: await removeRest(dataset, store) }
  }
  const mapped = await resultsOf<MapDone>(store, known, 'map')
  const generated = await resultsOf<GenerateDone>(store, known, 'generate')
  const sealed = await resultsOf<SealDone>(store, known, 'seal')
  await assertFiles(store, plan, mapped, generated)
  await assertDays(dataset, store, known, sealed)
  const tally = new Tally()
  const units: UnitLines[] = []
  for (const { counts } of mapped) {
    const read = JSON.parse((await loadPiece(store, counts)).toString('utf8')) as MapCounts
    tally.addUnits(read.sum)
    for (const unit of read.units) units.push(unit)
  }
  assertAllUnits(plan, units, tally.units.read)
  const days = await readDays(store, id, sealed, tally)
  const sides = plan.sides.map(({ built }) => ({ ...built, file: undefined }))
  const { error: _, ...result } = tally.result({ sideTables: sides }, days, undefined)
  assertConserved(result)
  await writeDataset(out, store, known, { mapped, generated, days, units }, result, tally)
  const finished: Finished = { manifest_sha256: (await digestOf(dataset)) ?? '', result }
  await writeDone(store, FINISHED, { plan: id, try: 'finish' }, finished)
  return { known, result, before: false, removed: await removeRest(dataset, store) }
}

/** A file that is gone or cut: its task is to be run again. Code `paused`. */
async function assertFiles(
  store: Store,
  plan: FleetPlan,
  mapped: readonly MapDone[],
  generated: readonly GenerateDone[],
): Promise<void> {
  const sizes = new Map((await store.list()).map(({ name, bytes }) => [name, bytes]))
  const isWhole = (result: MapDone | GenerateDone) =>
    filesOf(result).every(({ file, bytes }) => sizes.get(file) === bytes)
  const bent: [Stage, number][] = []
  for (let index = 0; index < plan.tasks; index++) {
    if (!isWhole(mapped[index]!)) bent.push(['map', index])
    if (!isWhole(generated[index]!)) bent.push(['generate', index])
  }
  if (bent.length > 0) throw again(bent)
}

async function assertDays(
  dataset: Store,
  store: Store,
  { id, plan }: KnownPlan,
  sealed: readonly SealDone[],
): Promise<void> {
  const days = sealed.flatMap((task) => task.days)
  const missing = new Set(await missingParts(dataset, store, id, days))
  const bent = sealed.flatMap((task, index): [Stage, number][] =>
    task.days.some((day) => missing.has(day)) ? [['seal', index]] : [],
  )
  if (bent.length > 0) throw again(bent)
  if (sealed.length !== plan.tasks) throw new Error('a stage has more or fewer results than tasks')
}

function again(tasks: readonly [Stage, number][]): PosthaulError {
  const lines = tasks.slice(0, 10).map(([stage, index]) => `posthaul fleet run ${stage} --index ${index}`)
  return new PosthaulError(`files of ${tasks.length} tasks are gone, or not as they were written`, {
    code: 'paused',
    lines,
    hint: 'run those tasks again, then this',
  })
}

async function readDays(
  store: Store,
  id: string,
  sealed: readonly SealDone[],
  tally: Tally,
): Promise<Made['days']> {
  const limit = pLimit(AT_ONCE)
  const days = sealed.flatMap((task) => task.days).sort((a, b) => a - b)
  return Promise.all(
    days.map((day) =>
      limit(async () => {
        const made = (await readDone<SealedDay>(store, dayDoneName(day), id))!
        tally.addNames(made)
        // The cells of all days would take much memory: they are read once more.
        return { ...made, day, names: {}, arrival: [] }
      }),
    ),
  )
}

/** Each unit that the plan has was read once, and the sum of the tasks is of the records in them. */
function assertAllUnits({ firstUnits }: FleetPlan, units: readonly UnitLines[], read: number): void {
  const planned = firstUnits.at(-1)!
  const inUnits = units.reduce((sum, one) => sum + one.read, 0)
  if (units.length === planned && units.every(({ unit }, at) => unit === at) && inUnits === read) return
  throw new PosthaulError(
    `the tasks did not read what the plan has: ${units.length} units with ${inUnits} records of ${planned} units, and ${read} records in their sums`,
    { code: 'mismatch', hint: 'make a new plan with posthaul fleet plan --restart; nothing was finished' },
  )
}

/** What was mapped is in the dataset, or counted as a duplicate: no task may have lost or doubled any. */
function assertConserved({ counts, rejects }: FleetResult): void {
  const { read, written, rejected, filtered, duplicate, earlier, pending } = counts
  if (pending === 0 && read === written + rejected + filtered + duplicate + earlier) return
  throw new PosthaulError(
    `the sums of the tasks contradict each other: ${read} read, ${written} written, ${rejected} rejected, ${filtered} filtered, ${duplicate + earlier} duplicates`,
    {
      code: 'mismatch',
      lines: Object.entries(rejects).map(([reason, count]) => `rejected: ${reason} ${count}`),
      hint: 'this is a bug in posthaul: please report it; nothing was finished',
    },
  )
}

async function writeDataset(
  out: string,
  store: Store,
  { id, plan }: KnownPlan,
  { generated, days, units }: Made,
  result: FleetResult,
  tally: Tally,
): Promise<void> {
  async function* cells(): AsyncGenerator<ArrivalCell> {
    for (const { day } of days) yield* (await readDone<SealedDay>(store, dayDoneName(day), id))!.arrival
  }
  async function* links(): AsyncGenerator<Buffer> {
    for (const { linksFile } of generated) if (linksFile) yield* readPiece(store, linksFile)
  }
  const finished = {
    days,
    names: tally.names.take(),
    rejects: () => numbered(rejectsOf(store, plan, units)),
    cells,
    links,
    linkCount: generated.reduce((sum, task) => sum + task.links, 0),
  }
  const { tool, source, job } = plan
  await finishDataset({ ...job, out }, finished, { ...result, error: undefined }, { tool, source })
}

function* rejectsOf(store: Store, plan: FleetPlan, units: readonly UnitLines[]): Generator<UnitRejects> {
  const cut = cutUnits(plan.inputs)
  for (const [number, { lines, rejects }] of units.entries()) {
    yield { input: cut[number]!.input, lines, chunks: readPiece(store, rejects) }
  }
}

async function digestOf(dataset: Store): Promise<string | undefined> {
  const manifest = await dataset.load(MANIFEST)
  return manifest && createHash('sha256').update(manifest.bytes).digest('hex')
}

/** Removes what only tasks read. The plan and the end stay: a second finish, and status, go by them. */
async function removeRest(dataset: Store, store: Store): Promise<number> {
  const names = (await store.list())
    .map(({ name }) => name)
    .filter((name) => name !== PLAN && name !== FINISHED)
  const limit = pLimit(AT_ONCE)
  await Promise.all(names.map((name) => limit(() => store.remove(name))))
  // All of it: what a try is still writing, though its task is done, is of no use to anybody.
  for (const place of [dataset, store]) await place.sweep()
  return names.length
}
