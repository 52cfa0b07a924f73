import { retrying } from '../../http/retry.ts'
import { MS_PER_DAY } from '../../text/units.ts'
import { daysFrom } from '../counts/day-zone.ts'
import type { VendorCall } from '../source.ts'
import { cutShort } from '../vendor-client.ts'
import type { WindowSpan } from '../window.ts'
import { type QueryPlace, queryRows, sqlInstant, TooExpensive } from './query.ts'

/**
 * Counts the events of each UTC day of a span in one query, and tells of windows whether all days that they
 * touch are empty. Where that is too much for one query, none is taken for empty.
 */
export async function emptinessOf(
  place: QueryPlace,
  span: WindowSpan,
  call: VendorCall,
): Promise<(window: WindowSpan) => boolean> {
  const asked = daysOf(span)
  const [first, last] = [Date.parse(asked[0]!), Date.parse(asked.at(-1)!)]
  const sql =
    "SELECT toString(toDate(toTimeZone(timestamp, 'UTC'))) AS day, count() FROM events " +
    `WHERE timestamp >= ${sqlInstant(first)} AND timestamp < ${sqlInstant(last + MS_PER_DAY)} ` +
    `GROUP BY day ORDER BY day LIMIT ${asked.length + 1}`
  try {
    const there = await retrying(async () => {
      const found = (await queryRows(place, { sql, columns: 2 }, call)).map(([day]) => day as string)
      // Counts of other days, or of a day twice, are an answer to something else: it says nothing of these.
      const days = new Set(found)
      if (days.size === found.length && found.every((day) => asked.includes(day))) return days
      throw cutShort(`${place.client.vendor} answered with counts of other days`)
    }, call.retry)
    return (window) => !daysOf(window).some((day) => there.has(day))
  } catch (error) {
    if (error instanceof TooExpensive) return () => false
    throw error
  }
}

/** The UTC days that a span touches. */
function daysOf({ start, end }: WindowSpan): string[] {
  const [first, last] = [start, end - 1].map((instant) => new Date(instant).toISOString().slice(0, 10))
  return daysFrom(first!, last!)
}
