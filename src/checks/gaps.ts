import { Fingerprint, nameInService } from '../record/fingerprint.ts'
import { type Head, headName } from '../record/head.ts'
import { dayOf, dayText } from '../record/time.ts'
import { groupedBy } from '../text/lists.ts'
import { type CellDifference, type DayComparison, likenessOf } from './compare.ts'
import { EventKey, EventSet } from './event-set.ts'
import { cellKey, type DayFrame, namesInService } from './expected.ts'
import type { MissingFile } from './missing-file.ts'
import type { ServiceEvents } from './service-view.ts'
import type { VerifyInput } from './verify-input.ts'

/** A query with more names than this asks for all of them. */
const MOST_NAMES = 200

/** How a cell differs: events that are here and not there, and the other way round. */
export interface Gap {
  missing: number
  unknown: number
  /** Events of both sides whose times differ. */
  moved: number
}

/** So many ids are held at once, about 100 MB; more are looked at in shares. */
const PASS_EVENTS = 1_000_000

interface GapSearch {
  readonly inputs: readonly VerifyInput[]
  readonly days: ReadonlyMap<string, DayFrame>
  readonly service: ServiceEvents
  readonly sink: Pick<MissingFile, 'missing' | 'unknown' | 'flush'>
  /** Events whose properties the service keeps as one text are looked for too. */
  readonly unreadable?: boolean
  /** For tests. */
  readonly passEvents?: number
}

/** Finds out which events make the differences. An event that several inputs have counts once. */
export async function findGaps(
  search: GapSearch,
  differences: readonly CellDifference[],
): Promise<Map<CellDifference, Gap>> {
  const gaps = new Map<CellDifference, Gap>()
  for (const cell of differences) gaps.set(cell, { missing: 0, unknown: 0, moved: 0 })
  for (const group of differenceGroups(differences, search.passEvents)) {
    for (let share = 0; share < group.shares; share++) await compareShare(search, group, share, gaps)
  }
  return gaps
}

async function compareShare(
  { inputs, days, service, sink, unreadable = false }: GapSearch,
  group: DifferenceGroup,
  share: number,
  gaps: ReadonlyMap<CellDifference, Gap>,
): Promise<void> {
  const [here, there] = [new EventSet(), new EventSet()]
  const add = (_cell: CellDifference, key: EventKey) => void here.add(key)
  await readGroup(inputs, group, share, { each: add, between: async () => undefined })
  const key = new EventKey()
  let matched = 0
  for (const day of group.days) {
    const names = namesOf(group, day)
    if (names?.length === 0) continue
    const { importIds } = days.get(day)!
    const part = { part: share, of: group.shares }
    const filter = { first: day, last: day, importIds, unreadable, names, share: part }
    for await (const page of service.ids(filter)) {
      for (const id of page) {
        const cell = group.find(day, id.event)
        if (!cell || !there.add(key.ofId(id.uuid, whatOf(cell, day, id.event, id.instant), id.distinctId)))
          continue
        if (here.has(key)) matched++
        else if (!cell.moved) {
          gaps.get(cell)!.unknown++
          sink.unknown(day, id)
        }
      }
    }
  }
  if (matched === here.size) return
  const miss = (cell: CellDifference, key: EventKey, line: Buffer) => {
    // It is added, so that the copy in another input is not missing a second time.
    if (!there.add(key)) return
    // To send it once more would put it beside itself.
    if (cell.moved) {
      gaps.get(cell)!.moved++
      return
    }
    gaps.get(cell)!.missing++
    sink.missing(line)
  }
  await readGroup(inputs, group, share, { each: miss, between: () => sink.flush() })
}

/** The names to ask a day for; none when the service has no event of its cells, undefined for all. */
function namesOf(group: DifferenceGroup, day: string): readonly string[] | undefined {
  const cells = group.cells.filter((cell) => cell.day === day && cell.there.count > 0)
  const names = cells.flatMap(({ event }) => (event === null ? [] : namesInService(event)))
  return cells.some(({ event }) => event === null) || names.length > MOST_NAMES ? undefined : names
}

/** Cells that are looked at together, because memory holds the ids of their events. */
interface DifferenceGroup {
  readonly days: ReadonlySet<string>
  readonly cells: readonly CellDifference[]
  /** So many shares are looked at one after the other: a power of 3, 1 for all but the largest days. */
  readonly shares: number
  find(day: string, name: string): CellDifference | undefined
}

/** The cells, day by day, in groups of up to `mostEvents` events; a day is never in two groups. */
function differenceGroups(
  differences: readonly CellDifference[],
  mostEvents = PASS_EVENTS,
): DifferenceGroup[] {
  const groups: DifferenceGroup[] = []
  let cells: CellDifference[] = []
  let events = 0
  for (const ofDay of groupedBy(differences, ({ day }) => day).values()) {
    const own = ofDay.reduce((sum, { here, there }) => sum + Math.max(here.count, there.count), 0)
    if (cells.length > 0 && events + own > mostEvents) {
      groups.push(groupOf(cells, events, mostEvents))
      cells = []
      events = 0
    }
    cells.push(...ofDay)
    events += own
  }
  if (cells.length > 0) groups.push(groupOf(cells, events, mostEvents))
  return groups
}

function groupOf(cells: readonly CellDifference[], events: number, mostEvents: number): DifferenceGroup {
  const byName = new Map(cells.map((cell) => [cellKey(cell.day, cell.event), cell]))
  let shares = 1
  while (events / shares > mostEvents) shares *= 3
  return {
    days: new Set(cells.map(({ day }) => day)),
    cells,
    shares,
    find: (day, name) => byName.get(cellKey(day, null)) ?? byName.get(cellKey(day, nameInService(name))),
  }
}

/** Called with each event of the group's cells. `key` is overwritten by the next one. */
type EachOfGroup = (cell: CellDifference, key: EventKey, line: Buffer, head: Head) => void

/** Reads the events of one share of a group's cells from all inputs that have some of its days. */
async function readGroup(
  inputs: readonly VerifyInput[],
  group: DifferenceGroup,
  share: number,
  { each, between }: { readonly each: EachOfGroup; between(): Promise<void> },
): Promise<void> {
  const key = new EventKey()
  const look = (line: Buffer, head: Head) => {
    const day = headDay(head)
    const name = headName(line, head)
    const cell = group.find(day, name)
    if (!cell) return
    key.ofLine(line, head, whatOf(cell, day, name, head.instant))
    if (key.share(group.shares) === share) each(cell, key, line, head)
  }
  for (const input of inputs) {
    if ([...group.days].some((day) => input.sums.days.has(day))) await input.read(group.days, look, between)
  }
}

/** The UTC day of an event line. */
export function headDay({ instant }: Head): string {
  return dayText(dayOf(instant))
}

/** Tells events of a group's days apart, together with uuid and distinct id: day and name, and the time where it may differ. */
function whatOf({ moved }: CellDifference, day: string, name: string, instant: number): string {
  // In milliseconds: PostHog may have cut the others of the cell.
  return `${day} ${moved ? `${Math.trunc(instant / 1000)} ` : ''}${nameInService(name)}`
}

/**
 * Looks again at cells that several inputs have: these may share events, which the service holds once. The ids of their
 * events are read, and each counts once.
 */
export async function withoutShared(
  inputs: readonly VerifyInput[],
  days: readonly DayComparison[],
  passEvents?: number,
): Promise<DayComparison[]> {
  const doubtful = days.flatMap(({ differences }) => differences.filter((cell) => cell.inputs > 1))
  const distinct = new Map(doubtful.map((cell) => [cell, new Fingerprint()]))
  for (const group of differenceGroups(doubtful, passEvents)) {
    for (let share = 0; share < group.shares; share++) {
      const seen = new EventSet()
      const count: EachOfGroup = (cell, key, line, head) => {
        if (seen.add(key)) distinct.get(cell)!.addLine(line, head)
      }
      await readGroup(inputs, group, share, { each: count, between: async () => undefined })
    }
  }
  return days.map((day) => {
    const cells = day.differences.map((cell) => ({ cell, here: distinct.get(cell) }))
    const shared = cells.reduce((sum, { cell, here }) => sum + cell.here.count - (here ?? cell.here).count, 0)
    let { rounded } = day
    const differences = cells.flatMap(({ cell, here }) => {
      if (!here) return [cell]
      const likeness = likenessOf(
        here,
        cell.there,
        day.doubled.some(({ event }) => event === cell.event),
      )
      if (likeness === 'to_the_millisecond') rounded += here.count
      const isThere = likeness === 'same' || likeness === 'to_the_millisecond'
      return isThere ? [] : [{ ...cell, here, moved: likeness === 'but_for_times' }]
    })
    return { ...day, here: day.here - shared, rounded, differences }
  })
}
