import { createHash } from 'node:crypto'
import type { Fingerprint } from '../record/fingerprint.ts'
import type { Retention } from '../service/retention.ts'
import { readArrival } from '../store/arrival.ts'
import { fingerprintOf } from '../store/arrival-cell.ts'
import { readEventsManifest } from '../store/dataset.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { type EachLine, readParts } from '../store/read-parts.ts'
import type { Store } from '../store/store.ts'
import { JOINED_ID } from './event-in.ts'

/** A dataset, or files, whose events should be in the service. */
export interface VerifyInput {
  /** The dataset, or the files, as the user named them. */
  readonly paths: readonly string[]
  readonly sums: CellSums
  readonly readDays: ReadDays
  /** The values of `$import_job_id` in its events; null when they can't be told by it. */
  readonly importIds: readonly string[] | null
  /** How many distinct ids there are, roughly; null when they were not counted. */
  readonly distinctIds: number | null
  /** How many of its events name each group type; of a dataset, those that should show a group of it. */
  readonly groupTypes: Readonly<Record<string, number>>
  readonly isOwn?: true
  /** Changes when the events do. */
  readonly sha256: string
  /** Lines that were read and are no event lines, by the part that has them: import rejects them. */
  readonly unreadable: ReadonlyMap<string, number>
  /** Its days can be read one by one. Files are read as a whole. */
  readonly byDay: boolean
  /** Reads the events of these days. `between` is awaited now and then, for work that can't be done within `each`. */
  read(days: ReadonlySet<string>, each: EachLine, between: () => Promise<void>): Promise<void>
}

/** `VerifyInput.sha256` of a dataset. */
export function eventsSha256(manifest: EventsManifest): string {
  const sums = inOrder(manifest).map((part) => part.sha256)
  return createHash('sha256').update(sums.join()).digest('hex')
}

function inOrder({ parts }: EventsManifest): EventsManifest['parts'] {
  return [...parts].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
}

/** A dataset as an input of `verify`. */
export async function datasetInput(store: Store): Promise<VerifyInput> {
  const manifest = await readEventsManifest(store)
  const { import_ids, distinct_ids, group_types, groups = group_types } = manifest
  const readDays = () => byDay(cellsOf(store, manifest))
  const unreadable = new Map<string, number>()
  const parts = inOrder(manifest)
  return {
    paths: [store.location],
    sums: await sumOfCells(readDays),
    readDays,
    importIds: import_ids,
    distinctIds: distinct_ids?.approximate ?? null,
    groupTypes: Object.fromEntries(Object.entries(groups).map(([type, { events }]) => [type, events])),
    sha256: eventsSha256(manifest),
    unreadable,
    byDay: true,
    async read(days, each, between) {
      const wanted = parts.filter(({ day }) => days.has(day))
      await readParts(store, wanted, {
        each,
        between,
        unreadable: (part, lines) => unreadable.set(part.file, lines),
      })
    },
  }
}

/** An input without the days before this one, which the project hides. What was counted of all its days is not known then. */
export async function shownOf(input: VerifyInput, firstDay: string): Promise<VerifyInput> {
  if ([...input.sums.days.keys()].every((day) => day >= firstDay)) return input
  async function* readDays() {
    for await (const day of input.readDays()) if (day.day >= firstDay) yield day
  }
  return { ...input, sums: await sumOfCells(readDays), readDays, distinctIds: null, groupTypes: {} }
}

/** The events of days that the project does not show any more; undefined if that is none. */
export function hiddenBefore(
  inputs: readonly Pick<VerifyInput, 'sums'>[],
  { months, firstDay }: Pick<Retention, 'months' | 'firstDay'>,
) {
  const cells = inputs.flatMap(({ sums }) => [...sums.days]).filter(([day]) => day < firstDay)
  if (cells.length === 0) return undefined
  return {
    months,
    firstDay,
    days: new Set(cells.map(([day]) => day)).size,
    events: cells.reduce((sum, [, events]) => sum + events, 0),
  }
}

async function* cellsOf(store: Store, manifest: EventsManifest): AsyncGenerator<readonly InputCell[]> {
  for await (const cells of readArrival(store, manifest))
    yield cells.map((cell) => ({ day: cell.day, event: cell.event, events: fingerprintOf(cell) }))
}

/** The events of a UTC day and a name in an input; `event` is null for all events of a day. */
export interface InputCell {
  readonly day: string
  readonly event: string | null
  readonly events: Fingerprint
}

export interface InputDay {
  readonly day: string
  readonly cells: readonly InputCell[]
}

/** Reads the days of an input anew, oldest first. An input may have millions of cells: memory holds those of a day. */
type ReadDays = () => AsyncIterable<InputDay>

interface CellSums {
  readonly events: number
  /** Events by UTC day, oldest first. */
  readonly days: ReadonlyMap<string, number>
  /** Days whose events are not told apart by name. */
  readonly wholeDays: number
  /** Identity events, as far as names are told apart. Not all join two ids. */
  readonly merges: number
}

export async function sumOfCells(read: ReadDays): Promise<CellSums> {
  const days = new Map<string, number>()
  let [events, merges, wholeDays] = [0, 0, 0]
  for await (const { day, cells } of read()) {
    let own = 0
    for (const { event, events: of } of cells) {
      own += of.count
      if (event !== null && JOINED_ID.has(event)) merges += of.count
    }
    days.set(day, own)
    events += own
    if (cells.some(({ event }) => event === null)) wholeDays++
  }
  return { events, days, wholeDays, merges }
}

/** Cells that come in the order of their days, day by day. */
async function* byDay(cells: AsyncIterable<readonly InputCell[]>): AsyncGenerator<InputDay> {
  let held: InputCell[] = []
  for await (const some of cells) {
    for (const cell of some) {
      const [first] = held
      if (first && first.day !== cell.day) {
        yield { day: first.day, cells: held }
        held = []
      }
      held.push(cell)
    }
  }
  if (held[0]) yield { day: held[0].day, cells: held }
}
