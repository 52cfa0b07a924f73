import { type ArrivalCell, type EventsManifest, readArrival, type Store } from '../store/index.ts'
import type { CheckpointState } from './checkpoint-shape.ts'
import { daysOf, type SentDay, type SentRecord } from './sent-record.ts'

/** What became of the events that were sent, in the dataset as it is now. All counts are of events that were sent. */
export interface SentDifference {
  /** Of the days that were sent, in whole or in part. */
  readonly sent: number
  /** The very same events are in the dataset. */
  readonly same: number
  /** Events of the same id, name, person and time are in it, so that they merge; their properties differ. */
  readonly alike: number
  /** Those of them whose times nobody has noted, as an earlier version wrote: only the day's first and last are the same. */
  readonly untimed: number
  /** At most: they are not in it under this id, name, person or time, and would stay beside what is sent now. */
  readonly twice: number
  /** Those of them that are in it under this id, name and person: only their times changed. */
  readonly moved: number
  /** Where these are: by day and name, `event` null for all names of a day. The first few. */
  readonly places: readonly { readonly day: string; readonly event: string | null; readonly count: number }[]
  /** Properties that only the sent events have, and only those of now. */
  readonly gone: readonly string[]
  readonly added: readonly string[]
}

const MOST_PLACES = 5

/**
 * Compares what an import has sent with its dataset as it is now. Days whose parts are the same bytes hold the same events.
 * Of other days each name is compared by its fingerprint, which is of uuids and distinct ids, and by that of its times: a name
 * whose events are only partly the same counts as a whole.
 */
export async function compareSent(
  record: SentRecord,
  state: Pick<CheckpointState, 'places' | 'done'>,
  dataset: Store,
  manifest: EventsManifest,
): Promise<SentDifference> {
  const sentDays = daysSent(record.days, state)
  const now = new Map(daysOf(manifest).map((one) => [one.day, one]))
  const same = new Set(sentDays.filter((one) => now.get(one.day)?.print === one.print).map(({ day }) => day))
  const inTime = new Set(sentDays.filter((one) => isSameSpan(one, now.get(one.day))).map(({ day }) => day))
  const days = new Set(sentDays.map(({ day }) => day))
  const counts = { alike: 0, untimed: 0, moved: 0 }
  const places: { day: string; event: string | null; count: number }[] = []
  for await (const [cell, other] of paired(record.cells(), readArrival(dataset, manifest))) {
    if (!days.has(cell.day) || same.has(cell.day)) continue
    const kind = kindOf(cell, other, inTime.has(cell.day))
    if (kind !== undefined) counts[kind] += cell.count
    if (kind === 'alike' || kind === 'untimed') continue
    if (places.length < MOST_PLACES) places.push({ day: cell.day, event: cell.event, count: cell.count })
  }
  const total = (some: readonly SentDay[]) => some.reduce((sum, { events }) => sum + events, 0)
  const names = new Set(Object.keys(manifest.properties))
  const before = new Set(record.header.properties)
  const sent = total(sentDays)
  const samely = total(sentDays.filter(({ day }) => same.has(day)))
  return {
    sent,
    same: samely,
    ...counts,
    alike: counts.alike + counts.untimed,
    twice: sent - samely - counts.alike - counts.untimed,
    places,
    gone: [...before].filter((name) => !names.has(name)),
    added: [...names].filter((name) => !before.has(name)),
  }
}

/** The days of which something was sent: parts are sent in order. */
function daysSent(
  days: readonly SentDay[],
  { places, done }: Pick<CheckpointState, 'places' | 'done'>,
): SentDay[] {
  if (done) return [...days]
  const furthest = Math.max(...places.map(({ part, offset }) => (offset > 0 ? part : part - 1)))
  let before = 0
  return days.filter(({ parts }) => {
    const isSent = before <= furthest
    before += parts
    return isSent
  })
}

function isSameSpan(one: SentDay, other: SentDay | undefined): boolean {
  return other !== undefined && one.first === other.first && one.last === other.last
}

/** What became of a cell whose uuids are the same; undefined for one whose uuids differ. */
function kindOf(
  cell: ArrivalCell,
  other: ArrivalCell | undefined,
  inTime: boolean,
): 'alike' | 'untimed' | 'moved' | undefined {
  if (!other || !isEqual(cell, other)) return undefined
  if (cell.times === undefined || other.times === undefined) return inTime ? 'untimed' : 'moved'
  return cell.times === other.times ? 'alike' : 'moved'
}

function isEqual(a: ArrivalCell, b: ArrivalCell): boolean {
  return a.count === b.count && a.xor.join() === b.xor.join() && a.sum.join() === b.sum.join()
}

/** Each cell of the first beside the one of the same day and name of the second. Both are sorted by day, then by name. */
async function* paired(
  first: AsyncIterable<readonly ArrivalCell[]>,
  second: AsyncIterable<readonly ArrivalCell[]>,
): AsyncGenerator<readonly [ArrivalCell, ArrivalCell | undefined]> {
  const others = singly(second)
  let other = await others.next()
  for await (const cell of singly(first)) {
    while (!other.done && isBefore(other.value, cell)) other = await others.next()
    const isThis = !other.done && other.value.day === cell.day && other.value.event === cell.event
    yield [cell, isThis && !other.done ? other.value : undefined]
  }
}

async function* singly(cells: AsyncIterable<readonly ArrivalCell[]>): AsyncGenerator<ArrivalCell> {
  for await (const some of cells) yield* some
}

/** As arrival.ndjson is sorted: all names of a day in one come first. */
function isBefore(a: ArrivalCell, b: ArrivalCell): boolean {
  if (a.day !== b.day) return a.day < b.day
  if (a.event === null || b.event === null) return a.event === null && b.event !== null
  return a.event < b.event
}
