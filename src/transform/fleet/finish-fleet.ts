import { createHash } from 'node:crypto'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import { presetOf } from '../../pipeline/preset-of.ts'
import { tableNotGiven } from '../../pipeline/side/build.ts'
import { type BuiltTable, tablesSource } from '../../pipeline/side/built.ts'
import { type ArrivalCell, MANIFEST, openStore, type Store } from '../../store/index.ts'
import type { Stage } from '../../text/index.ts'
import { sum } from '../../text/index.ts'
import { assertForgets } from '../forget/find-forgotten.ts'
import { sumOfRows } from '../gather-rows.ts'
import { cutUnits } from '../plan.ts'
import { repeatedIds } from '../repeats.ts'
import type { SealedDay } from '../seal/day.ts'
import { assertConserved, finishDataset, type UnitRejects } from '../seal/finish.ts'
import { Tally, type Transformed } from '../transform-tally.ts'
import { readDone, stageDone, type TaskDone, writeDone } from './done-file.ts'
import type { GenerateDone } from './generate-task.ts'
import type { MapCounts, MapDone, UnitLines } from './map-task.ts'
import type { LinksDone } from './people-task.ts'
import { loadPiece, readPiece } from './pieces.ts'
import {
  FINISHED,
  type FleetPlan,
  fleetStore,
  gatheredTables,
  type KnownPlan,
  knownPlan,
  PLAN,
  stagesOf,
} from './plan-file.ts'
import type { RowsDone, TablesDone } from './rows-task.ts'
import { dayDoneName, missingParts, type SealDone } from './seal-task.ts'

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
  readonly generated: readonly GenerateDone[]
  readonly days: readonly (SealedDay & { readonly day: number })[]
  readonly units: readonly UnitLines[]
}

/**
 * Checks the results of all tasks, holds their sums against each other, and writes the manifest last. Then removes what
 * tasks wrote for each other. Code `paused` while a task is not done. Called again it changes nothing.
 */
export async function finishFleet(out: string, accept: readonly string[] = []): Promise<FleetEnd> {
  const store = await fleetStore(out)
  const dataset = await openStore(out)
  const known = await knownPlan(store, out)
  const { id, plan } = known
  const there = await readDone<Finished>(store, FINISHED, id)
  if (there && (await digestOf(dataset)) === there.manifest_sha256) {
    return { known, result: there.result, before: true, removed: await removeRest(dataset, store) }
  }
  const done = await allDone(store, dataset, known)
  const of = <T>(stage: Stage) => (done.get(stage) ?? []).map(({ made }) => made as T)
  const tally = new Tally()
  const [units, sums]: [UnitLines[], string[][]] = [[], []]
  for (const { counts } of of<MapDone>('map')) {
    const read = JSON.parse((await loadPiece(store, counts)).toString('utf8')) as MapCounts
    tally.addUnits(read.sum)
    for (const unit of read.units) units.push(unit)
    if (read.units.length > 0) sums.push([...read.tables])
  }
  const { read, records, filtered } = tally.units
  assertAllUnits(plan, units, read)
  if (plan.forget && plan.job.after.length === 0)
    assertForgets({ path: 'the list of people to forget', ids: plan.forget.ids }, { read, filtered })
  const links = of<LinksDone>('links')
  const gathered = { rows: of<RowsDone>('rows'), tables: of<TablesDone>('tables'), links, sums }
  assertGathered(plan, gathered, records?.read ?? read)
  const days = await readDays(store, id, of<SealDone>('seal'), tally)
  const sideTables = await sidesOf(plan, gathered)
  const { error: _, ...result } = tally.result({ sideTables }, days, undefined)
  assertConserved(result)
  const repeated = repeatedIds(plan.job, result, accept)
  if (repeated) throw repeated
  const source = { ...plan.source, ...tablesSource(sideTables) }
  const made = { generated: of<GenerateDone>('generate'), days, units }
  await writeDataset({ out, store, known: { id, plan: { ...plan, source } } }, made, result, tally)
  const finished: Finished = { manifest_sha256: (await digestOf(dataset)) ?? '', result }
  await writeDone(store, FINISHED, { plan: id, try: 'finish' }, finished)
  return { known, result, before: false, removed: await removeRest(dataset, store) }
}

/** The results of all tasks. Code `paused` where one is not done, or a file of one is gone or cut: it is to be run again. */
async function allDone(
  store: Store,
  dataset: Store,
  known: KnownPlan,
): Promise<ReadonlyMap<Stage, readonly TaskDone[]>> {
  const all = new Map<Stage, readonly TaskDone[]>()
  for (const stage of stagesOf(known.plan)) all.set(stage, await stageDone(store, known, stage))
  const sizes = new Map((await store.list()).map(({ name, bytes }) => [name, bytes]))
  const sealed = (all.get('seal') ?? []) as readonly TaskDone<SealDone>[]
  const days = sealed.flatMap(({ made }) => made.days)
  const missing = new Set(await missingParts(dataset, store, known.id, days))
  const bent = [...all].flatMap(([stage, tasks]) =>
    tasks.flatMap(({ files, made }, index): [Stage, number][] => {
      const isWhole = files.every(({ file, bytes }) => sizes.get(file) === bytes)
      const isThere = stage !== 'seal' || !(made as SealDone).days.some((day) => missing.has(day))
      return isWhole && isThere ? [] : [[stage, index]]
    }),
  )
  if (bent.length > 0) throw again(bent)
  return all
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
        tally.addDay(made)
        // The cells of all days would take much memory: they are read once more.
        return { ...made, day, names: {}, arrival: [], dropped: undefined }
      }),
    ),
  )
}

/** Each unit that the plan has was read once, and the sum of the tasks is of the records in them. */
function assertAllUnits({ firstUnits }: FleetPlan, units: readonly UnitLines[], read: number): void {
  const planned = firstUnits.at(-1)!
  const inUnits = sum(units, (one) => one.read)
  if (units.length === planned && units.every(({ unit }, at) => unit === at) && inUnits === read) return
  throw new PosthaulError(
    `the tasks did not read what the plan has: ${units.length} units with ${inUnits} records of ${planned} units, and ${read} records in their sums`,
    { code: 'mismatch', hint: 'make a new plan with posthaul fleet plan --restart; nothing was finished' },
  )
}

async function writeDataset(
  { out, store, known }: { readonly out: string; readonly store: Store; readonly known: KnownPlan },
  { generated, days, units }: Made,
  result: FleetResult,
  tally: Tally,
): Promise<void> {
  const { id, plan } = known
  async function* cells(): AsyncGenerator<ArrivalCell> {
    for (const { day } of days) yield* (await readDone<SealedDay>(store, dayDoneName(day), id))!.arrival
  }
  async function* links(): AsyncGenerator<Buffer> {
    for (const { linksFile } of generated) if (linksFile) yield* readPiece(store, linksFile)
  }
  const finished = {
    days,
    names: tally.names.take(),
    rejects: () => rejectsOf(store, plan, units),
    cells,
    links,
    linkCount: sum(generated, (task) => task.links),
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

/** What the stages before map came to, and the tables of records as each map task had them. */
interface Gathered {
  readonly rows: readonly RowsDone[]
  readonly tables: readonly TablesDone[]
  readonly links: readonly LinksDone[]
  /** Of each map task that has work, the sha256 of each table. */
  readonly sums: readonly (readonly string[])[]
}

/** Every record that was mapped was gathered from before, and all map tasks had the same tables. Code `mismatch`. */
function assertGathered(plan: FleetPlan, { rows, links, sums }: Gathered, records: number): void {
  const names = gatheredTables(plan)
  const read = names.map((_, at) => {
    const sum = sumOfRows(rows.map(({ tables }) => tables[at]!))
    return sum.rows + sum.unreadable
  })
  if (plan.forget) read.push(sum(links, (task) => task.read))
  const isSame = sums.every((own) => own.join() === sums[0]!.join() && own.length === names.length)
  if (isSame && read.every((count) => count === records)) return
  throw new PosthaulError(
    isSame
      ? `the tasks that gather read ${read.join(', ')} records, and those that map ${records}`
      : 'tasks of map had different tables of records',
    { code: 'mismatch', hint: 'make a new plan with posthaul fleet plan --restart; nothing was finished' },
  )
}

/** The plan's side tables with what was counted of them. */
async function sidesOf(plan: FleetPlan, { rows, tables, sums }: Gathered): Promise<BuiltTable[]> {
  const names = gatheredTables(plan)
  const known = names.length > 0 ? ((await presetOf(plan.job)).sideTables ?? []) : []
  return plan.sides.map(({ name, built }): BuiltTable => {
    if (built !== null) return { ...built, file: undefined }
    const at = names.indexOf(name)
    const parts = tables.flatMap((task) => task.parts[at] ?? [])
    return {
      ...tableNotGiven(known.find((one) => one.name === name)!),
      files: plan.inputs.length,
      ...sumOfRows(rows.map((task) => task.tables[at]!)),
      keys: sum(parts, (part) => part.keys),
      repeated: sum(parts, (part) => part.repeated),
      sha256: sums[0]?.[at] ?? null,
    }
  })
}
