import { retrying } from '../../http/retry.ts'
import { plusDays } from '../../service/event-filter.ts'
import { sqlText } from '../../service/query.ts'
import { daysFrom } from '../counts/day-zone.ts'
import type { CountedBy, DayCount, Question, Report, VendorCall } from '../source.ts'
import { cutShort, type VendorClient, VendorError } from '../vendor-client.ts'
import { type QueryPlace, queryRows, sqlTime, TooExpensive } from './query.ts'

/** Copies that the service has not merged yet are rows of their own, here and there. */
export const POSTHOG_COUNTED: CountedBy = {
  event: 'event',
  times: [['timestamp']],
  identity: [['uuid'], ['distinct_id']],
  uncounted: [],
}

// More rows than this can't come in one answer.
const MOST_ROWS = 50_000

/** The counts of the service's own query endpoint, of UTC days: they are asked for in UTC, as windows are. */
export function posthogReport(place: QueryPlace, mostRows = MOST_ROWS): Report {
  const ask = ({ first, last }: Question, call: VendorCall) =>
    askDays({ ...place, mostRows, call }, daysFrom(first, last))
  return { vendor: place.client.vendor, zone: 'UTC', settleMs: 0, ask }
}

/** Where counts are asked for, and how many rows at once. */
interface Counting extends QueryPlace {
  readonly mostRows: number
  readonly call: VendorCall
}

/** The days' counts. Days with too much for one answer are asked for in halves, and one day in pages by name. */
async function* askDays(counting: Counting, days: readonly string[]): AsyncGenerator<DayCount> {
  const { client, mostRows } = counting
  let counts: DayCount[] | undefined
  try {
    counts = await askPage(counting, days, undefined)
  } catch (error) {
    if (!(error instanceof TooExpensive)) throw error
    if (days.length === 1) {
      const message = `${client.vendor} can't count the events of ${days[0]}: it answered ${error.message}`
      throw new VendorError(message, { code: 'unavailable', cause: error })
    }
  }
  if (days.length > 1 && (counts === undefined || counts.length >= mostRows)) {
    const middle = Math.ceil(days.length / 2)
    yield* askDays(counting, days.slice(0, middle))
    yield* askDays(counting, days.slice(middle))
    return
  }
  while (counts && counts.length > 0) {
    yield* counts
    if (counts.length < mostRows) return
    counts = await askPage(counting, days, counts.at(-1)!.event ?? '')
  }
}

async function askPage(
  { mostRows, call, ...place }: Counting,
  days: readonly string[],
  after: string | undefined,
): Promise<DayCount[]> {
  const sql =
    "SELECT toString(toDate(toTimeZone(timestamp, 'UTC'))) AS day, event, " +
    'count(DISTINCT concat(toString(uuid), distinct_id)) FROM events ' +
    `WHERE timestamp >= ${midnight(days[0]!, 0)} AND timestamp < ${midnight(days.at(-1)!, 1)}` +
    `${after === undefined ? '' : ` AND event > ${sqlText(after)}`} ` +
    `GROUP BY day, event ORDER BY day, event LIMIT ${mostRows}`
  return retrying(async () => {
    const rows = await queryRows(place, { sql, columns: 3 }, call)
    const counts = rows.map((row) => countIn(row, days, place.client))
    // The page before would be asked for again without end.
    if (after !== undefined && counts[0]?.event === after)
      throw cutShort(`${place.client.vendor} answered with counts twice`)
    return counts
  }, call.retry)
}

/** Counts of other days would compare with nothing, and look as if nothing were missing. */
function countIn(
  [day, event, found]: readonly unknown[],
  days: readonly string[],
  { vendor }: VendorClient,
): DayCount {
  const count = typeof found === 'string' && /^\d+$/.test(found) ? Number(found) : found
  const isCount = Number.isSafeInteger(count) && (count as number) >= 0
  if (typeof day !== 'string' || !days.includes(day) || typeof event !== 'string' || !isCount)
    throw cutShort(`${vendor} answered with a row that is not a count of these days`)
  return { day, event, count: count as number }
}

function midnight(day: string, plus: number): string {
  return sqlTime(`${plusDays(day, plus)} 00:00:00.000000`)
}
