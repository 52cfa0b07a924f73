import type { CellDifference } from './compare.ts'
import { type DifferenceGroup, differenceGroups } from './difference-groups.ts'
import { EventKey, EventSet } from './event-set.ts'
import { type DayFrame, namesInService } from './expected.ts'
import { dayAndName, readGroup } from './group-reader.ts'
import type { FoundId, ServiceEvents } from './service-view.ts'
import type { VerifyInput } from './verify-input.ts'

/** A query with more names than this asks for all of them. */
const MOST_NAMES = 200

/** How a cell differs: events that are here and not there, and the other way round. */
export interface Gap {
  missing: number
  unknown: number
}

export interface GapSink {
  /** An event line that is not in the service; valid until it returns. */
  missing(line: Buffer): void
  /** An event of the service that no input has. */
  unknown(day: string, id: FoundId): void
  /** Awaited now and then. */
  flush(): Promise<void>
}

export interface GapSearch {
  readonly inputs: readonly VerifyInput[]
  readonly days: ReadonlyMap<string, DayFrame>
  readonly service: ServiceEvents
  readonly sink: GapSink
  /** Events whose properties the service keeps as one text are looked for too. */
  readonly unreadable?: boolean
  /** So many ids are held at once; more are looked at in shares. */
  readonly passEvents: number
}

/** Finds out which events make the differences. An event that several inputs have counts once. */
export async function findGaps(
  search: GapSearch,
  differences: readonly CellDifference[],
): Promise<Map<CellDifference, Gap>> {
  const gaps = new Map<CellDifference, Gap>()
  for (const cell of differences) gaps.set(cell, { missing: 0, unknown: 0 })
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
    for await (const page of service.ids({
      day,
      importIds,
      unreadable,
      names,
      share: { part: share, of: group.shares },
    })) {
      for (const id of page) {
        const cell = group.find(day, id.event)
        if (!cell || !there.add(key.ofId(id.uuid, dayAndName(day, id.event), id.distinctId))) continue
        if (here.has(key)) matched++
        else {
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
