import type { Fingerprint } from '../record/fingerprint.ts'
import { JOINED_ID } from './joined-id.ts'

/** The events of a UTC day and a name in an input; `event` is null for all events of a day. */
export interface InputCell {
  readonly day: string
  readonly event: string | null
  readonly events: Fingerprint
}

/** The cells of one day. */
export interface InputDay {
  readonly day: string
  readonly cells: readonly InputCell[]
}

/** Reads the days of an input anew, oldest first. An input may have millions of cells: memory holds those of a day. */
export type ReadDays = () => AsyncIterable<InputDay>

/** What is known of all cells of an input. */
export interface CellSums {
  readonly events: number
  /** Events by UTC day, oldest first. */
  readonly days: ReadonlyMap<string, number>
  /** Days whose events are not told apart by name. */
  readonly wholeDays: number
  /** Events that join two ids, as far as names are told apart. */
  readonly merges: number
}

/** Adds up all cells. */
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
export async function* byDay(cells: AsyncIterable<readonly InputCell[]>): AsyncGenerator<InputDay> {
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
