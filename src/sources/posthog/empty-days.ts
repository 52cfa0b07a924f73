import { retrying } from '../../http/retry.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import { daysFrom } from '../counts/day-zone.ts'
import type { VendorCall } from '../source.ts'
import { cutShort } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type QueryPlace, queryRows, sqlInstant, TooExpensive } from './query.ts'

/** So many queries count days at most. Days that they leave uncounted are taken for days with events. */
const MOST_QUERIES = 20

/** The UTC days without an event, and how many queries counted them. */
export interface EmptyDays {
  readonly days: ReadonlySet<string>
  readonly queries: number
}

/** Counts the events of each UTC day of a span, in one query, or in halves where that is too much. */
export async function emptyDays(place: QueryPlace, span: WindowSpan, call: VendorCall): Promise<EmptyDays> {
  const days = new Set<string>()
  const open = [daysFrom(dayOf(span.start), dayOf(span.end - 1))]
  let queries = 0
  while (open.length > 0 && queries < MOST_QUERIES) {
    const some = open.shift()!
    queries++
    try {
      const there = await daysWithEvents(place, some, call)
      for (const day of some) if (!there.has(day)) days.add(day)
    } catch (error) {
      if (!(error instanceof TooExpensive)) throw error
      const middle = Math.ceil(some.length / 2)
      if (some.length > 1) open.push(some.slice(0, middle), some.slice(middle))
    }
  }
  return { days, queries }
}

/** True where the events of all days that a window touches were counted, and there are none. */
export function isEmpty({ start, end }: WindowSpan, { days }: EmptyDays): boolean {
  return daysFrom(dayOf(start), dayOf(end - 1)).every((day) => days.has(day))
}

async function daysWithEvents(
  place: QueryPlace,
  days: readonly string[],
  call: VendorCall,
): Promise<Set<string>> {
  const sql =
    "SELECT toString(toDate(toTimeZone(timestamp, 'UTC'))) AS day, count() FROM events " +
    `WHERE timestamp >= ${sqlInstant(Date.parse(days[0]!))} AND timestamp < ${sqlInstant(Date.parse(days.at(-1)!) + MS_PER_DAY)} ` +
    `GROUP BY day ORDER BY day LIMIT ${days.length + 1}`
  return retrying(async () => {
    const found = (await queryRows(place, { sql, columns: 2 }, call)).map(([day]) => day as string)
    // Counts of other days, or of a day twice, are an answer to something else: it says nothing of these.
    const [there, asked] = [new Set(found), new Set(days)]
    if (there.size === found.length && found.every((day) => asked.has(day))) return there
    throw cutShort(`${place.client.vendor} answered with counts of other days`)
  }, call.retry)
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10)
}
