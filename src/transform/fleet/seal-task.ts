import pLimit from 'p-limit'
import { type EventPart, openStore, type Store } from '../../store/index.ts'
import { groupedBy } from '../../text/index.ts'
import { partsOf } from '../after/earlier.ts'
import type { Segment } from '../run/frame.ts'
import type { SealedDay } from '../seal/day.ts'
import type { Task } from '../task.ts'
import { readDone, resultsOf, writeDone } from './done-file.ts'
import type { GenerateDone } from './generate-task.ts'
import type { MapDone } from './map-task.ts'
import { groupOf } from './pack.ts'
import { type TaskOrder, withHost } from './piece-order.ts'
import { fetchPieces } from './pieces.ts'
import { type DayRun, runDays } from './run-objects.ts'

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
  const { known, index, store, job } = order
  const { tasks } = known.plan
  const results = [
    ...(await resultsOf<MapDone>(store, known, 'map')),
    ...(await resultsOf<GenerateDone>(store, known, 'generate')),
  ]
  const group = groupOf(index)
  const objects = results.flatMap(({ runs }) => runs.filter((one) => one.group === group))
  const limit = pLimit(AT_ONCE)
  const read = objects.map((object) => limit(() => runDays(store, object, index, tasks)))
  const days = groupedBy((await Promise.all(read)).flat(), ({ day }) => day)
  const inOrder = [...days.keys()].sort((a, b) => a - b)
  // An earlier try of this task may have sealed some.
  const missing = await missingParts(await openStore(job.out), store, known.id, inOrder)
  await withHost(order, job, async (host) => {
    for (const day of missing) {
      const [made] = await host.all<SealedDay>([await sealPiece(order, day, days.get(day)!)])
      await writeDone(store, dayDoneName(day), { plan: known.id, try: order.tryId }, made)
    }
  })
  return { days: inOrder }
}

/** Fetches the runs of a day: the file is removed when it is sealed. */
async function sealPiece(order: TaskOrder, day: number, runs: readonly DayRun[]): Promise<Task> {
  const starts = await fetchPieces(order, runs, DAY_FILE)
  const segments = runs.map(({ bytes, crc, linesCrc, events }, at): Segment => {
    return { day, file: DAY_FILE, offset: starts[at]!, bytes, crc, linesCrc, events, alone: true }
  })
  return { type: 'seal', day, segments, known: partsOf(order.job.after, day), passEvents: PASS_EVENTS }
}

/** Of the days, those without a result, or whose parts are not in the dataset. */
export async function missingParts(
  dataset: Store,
  store: Store,
  plan: string,
  days: readonly number[],
): Promise<number[]> {
  if (days.length === 0) return []
  const sizes = new Map((await dataset.list()).map(({ name, bytes }) => [name, bytes]))
  const isThere = ({ file, bytes }: EventPart) => sizes.get(file) === bytes
  const limit = pLimit(AT_ONCE)
  const look = (day: number) =>
    limit(async () => {
      const sealed = await readDone<SealedDay>(store, dayDoneName(day), plan)
      return sealed?.parts.every(isThere) ? [] : [day]
    })
  return (await Promise.all(days.map(look))).flat()
}
