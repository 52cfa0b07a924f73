import { Fingerprint, type Likeness, nameInService } from '../record/fingerprint.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import type { ArrivedCell, ArrivedTwice } from '../service/arrived.ts'
import type { AskedWindow, ExpectedCell, ExpectedDay } from './expected.ts'

/** A day and name with events that are there more than once; `event` is null for all names of a day together. */
export interface DoubledCell extends ArrivedTwice {
  readonly day: string
  readonly event: string | null
}

/** A day and name with other events here than in the service; `event` is null for all names of a day together. */
export interface CellDifference {
  readonly day: string
  readonly event: string | null
  readonly here: Fingerprint
  readonly there: Fingerprint
  /** The same events are there, but some at other times of their day. */
  readonly moved: boolean
  /** How many inputs have the cell: of two or more, `here` may count an event twice. */
  readonly inputs: number
}

/** A day, compared. Counts are of events. */
export interface DayComparison {
  readonly day: string
  readonly here: number
  readonly there: number
  /** Events in the service on this day that are of no expected name, and that nothing tells from other events. */
  readonly others: number
  /** Events that are there, with times that agree to the millisecond and not below. */
  readonly rounded: number
  readonly differences: readonly CellDifference[]
  readonly doubled: readonly DoubledCell[]
  /** The cell of an event that the service may keep in another table, if it has none of it. */
  readonly apart: CellDifference | undefined
}

const NOTHING: ExpectedCell = { events: new Fingerprint(), inputs: 0 }

/** Compares what a window should hold with what the service holds, day by day. */
export async function compareWindow(
  window: AskedWindow,
  found: AsyncIterable<ArrivedCell>,
): Promise<DayComparison[]> {
  const days = new Map(window.days.map((expected) => [expected.day, new FoundDay(expected)]))
  for await (const cell of found) days.get(cell.day)?.add(cell)
  return window.days.map(({ day }) => compareDay(days.get(day)!))
}

/** A day's events in the service, by the names under which they are compared. */
class FoundDay {
  readonly cells = new Map<string | null, Fingerprint>()
  readonly doubled = new Map<string | null, ArrivedTwice>()
  /** Events of other names. */
  others = 0
  readonly expected: ExpectedDay

  constructor(expected: ExpectedDay) {
    this.expected = expected
  }

  add({ event, events, doubled }: ArrivedCell): void {
    const { importIds, cells } = this.expected
    const name = event === null ? null : nameInService(event)
    const known = this.cells.get(name)
    if (known) known.merge(events)
    else if (importIds === null && !cells.has(name)) {
      this.others += events.count
      return
    } else this.cells.set(name, events)
    if (doubled)
      this.doubled.set(name, { ...doubled, more: doubled.more + (this.doubled.get(name)?.more ?? 0) })
  }
}

function compareDay({ expected, cells: found, others, doubled }: FoundDay): DayComparison {
  const { day, cells } = expected
  let [here, there, rounded] = [0, 0, 0]
  let apart: CellDifference | undefined
  const differences: CellDifference[] = []
  for (const event of new Set([...cells.keys(), ...found.keys()])) {
    const expected = cells.get(event) ?? NOTHING
    const arrived = found.get(event) ?? NOTHING.events
    const likeness = likenessOf(expected.events, arrived, doubled.has(event))
    const cell = {
      day,
      event,
      here: expected.events,
      there: arrived,
      moved: likeness === 'but_for_times',
      inputs: expected.inputs,
    }
    if (event === APART_EVENT && arrived.count === 0) {
      apart = cell
      continue
    }
    here += expected.events.count
    there += arrived.count
    if (likeness === 'to_the_millisecond') rounded += arrived.count
    else if (likeness !== 'same') differences.push(cell)
  }
  const twice = [...doubled].map(([event, of]) => ({ day, event, ...of }))
  return { day, here, there, others, rounded, differences, doubled: twice, apart }
}

/** Where events are there under two times, one of them may be theirs: that they are there twice is said anyway. */
export function likenessOf(here: Fingerprint, there: Fingerprint, isDoubled: boolean): Likeness {
  const likeness = here.likeness(there)
  return isDoubled && likeness === 'but_for_times' ? 'same' : likeness
}
