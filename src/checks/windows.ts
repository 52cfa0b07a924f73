import { MS_PER_DAY } from '../text/units.ts'
import type { ExpectedDay } from './expected.ts'

/** Days that one query asks for: all with names or all without, and told apart by the same ids. */
export interface AskedWindow {
  readonly first: string
  readonly last: string
  readonly whole: boolean
  readonly importIds: readonly string[] | null
  readonly days: readonly ExpectedDay[]
}

/** The service answers each query within about 10 seconds, and with 50,000 rows at most; memory holds what both sides have. */
const MOST_EVENTS = 500_000
const MOST_CELLS = 20_000
/** A gap longer than this is worth another query. */
const MOST_GAP_DAYS = 31

/** The windows of these days, which are in order. A day is never in two. */
export async function* windowsOf(
  days: AsyncIterable<ExpectedDay>,
  mostEvents = MOST_EVENTS,
): AsyncGenerator<AskedWindow> {
  let current: ExpectedDay[] = []
  let [events, cells] = [0, 0]
  for await (const day of days) {
    const own = [...day.cells.values()].reduce((sum, cell) => sum + cell.events.count, 0)
    const last = current.at(-1)
    const isFull = events + own > mostEvents || cells + day.cells.size > MOST_CELLS
    if (last && (isFull || !belongs(last, day))) {
      yield windowOf(current)
      current = []
      events = 0
      cells = 0
    }
    current.push(day)
    events += own
    cells += day.cells.size
  }
  if (current.length > 0) yield windowOf(current)
}

function windowOf(days: readonly ExpectedDay[]): AskedWindow {
  const [first] = days
  const { day, whole, importIds } = first!
  return { first: day, last: days.at(-1)!.day, whole, importIds, days }
}

function belongs(last: ExpectedDay, next: ExpectedDay): boolean {
  return (
    last.whole === next.whole &&
    last.importIds?.join() === next.importIds?.join() &&
    Date.parse(next.day) - Date.parse(last.day) <= MOST_GAP_DAYS * MS_PER_DAY
  )
}
