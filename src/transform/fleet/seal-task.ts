import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import type { EventPart } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { partsOf } from '../after/earlier.ts'
import { BufferPool } from '../run/buffer-pool.ts'
import type { Segment } from '../run/frame.ts'
import { type SealedDay, sealDay } from '../seal/day.ts'
import { readDone, writeDone } from './done-file.ts'
import type { GenerateDone } from './generate-task.ts'
import type { MapDone } from './map-task.ts'
import { groupOf } from './pack.ts'
import type { TaskOrder } from './piece-order.ts'
import { fetchPieces } from './pieces.ts'
import { type DayRun, runDays } from './run-objects.ts'
import { resultsOf } from './stage-results.ts'

/** How many indexes are read at once. */
const AT_ONCE = 16
/** A day's runs on this machine. */
const DAY_FILE = 'day.run'
/**
 * Events whose uuids are held at once: with the bytes that their table takes, 470 MiB. A little less than half of the
 * table's places, so that a range of uuids with more than its share does not make it grow.
 */
const PASS_EVENTS = Math.floor(0.45 * 2 ** 24)

/** The result of a seal task: the days that it sealed. What a day became is in `dayDoneName`. */
export interface SealDone {
  readonly days: readonly number[]
}

/** The name of a sealed day's result, a `SealedDay`. */
export function dayDoneName(day: number): string {
  return `seal/day${day}.done`
}

/** Merges and dedupes the days of a task, and writes their parts into the dataset. */
export async function runSeal(order: TaskOrder): Promise<SealDone> {
  const { known, index, store, job, stop } = order
  const { tasks } = known.plan
  const results = [
    ...(await resultsOf<MapDone>(store, known, 'map')),
    ...(await resultsOf<GenerateDone>(store, known, 'generate')),
  ]
  const group = groupOf(index)
  const objects = results.flatMap(({ runs }) => runs.filter((one) => one.group === group))
  const limit = pLimit(AT_ONCE)
  const read = objects.map((object) => limit(() => runDays(store, object, index, tasks)))
  const days = new Map<number, DayRun[]>()
  for (const run of (await Promise.all(read)).flat()) days.set(run.day, [...(days.get(run.day) ?? []), run])
  const dataset = await openStore(job.out)
  const sizes =
    days.size > 0 ? new Map((await dataset.list()).map(({ name, bytes }) => [name, bytes])) : undefined
  const isThere = ({ file, bytes }: EventPart) => sizes?.get(file) === bytes
  const pool = new BufferPool()
  const inOrder = [...days].sort(([a], [b]) => a - b)
  for (const [day, runs] of inOrder) {
    stop.throwIfAborted()
    // An earlier try of this task may have sealed it.
    const sealed = await readDone<SealedDay>(store, dayDoneName(day), known.id)
    if (sealed?.parts.every(isThere)) continue
    const made = await sealOne(order, dataset, day, runs, pool)
    await writeDone(store, dayDoneName(day), { plan: known.id, try: order.tryId }, made)
  }
  return { days: inOrder.map(([day]) => day) }
}

async function sealOne(
  { store, folder, job, progress }: TaskOrder,
  dataset: Store,
  day: number,
  runs: readonly DayRun[],
  pool: BufferPool,
): Promise<SealedDay> {
  const starts = await fetchPieces(store, runs, folder, DAY_FILE, progress)
  const segments = runs.map(({ bytes, crc, linesCrc, events }, at): Segment => {
    return { day, file: DAY_FILE, offset: starts[at]!, bytes, crc, linesCrc, events, alone: false }
  })
  const sealed = await sealDay(day, segments, {
    folder,
    store: dataset,
    gzip: job.gzip,
    pool,
    known: partsOf(job.after, day),
    passEvents: PASS_EVENTS,
  })
  await rm(join(folder, DAY_FILE))
  return sealed
}
