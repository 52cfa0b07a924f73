import { z } from 'zod'
import type {
  ChartAnswer,
  ChartCall,
  ChartCell,
  ChartEvents,
  ChartInterval,
  ChartSpan,
  RetentionChart,
} from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { bucketsIn, type ChartBucket, spansOfBuckets } from './event-counts.ts'
import { answerInDays, namesIn, type QueryApi, type QueryParameters } from './query-api.ts'
import { whereOf } from './where-expression.ts'

const PATH = '/api/query/retention'

const cohortsSchema = z.record(
  z.string(),
  z.object({ first: z.int().min(0), counts: z.array(z.int().min(0)) }),
)

const RULES = [
  "Mixpanel begins each person's periods at the person's own first event, not with the calendar",
  "Mixpanel's people are counted after its own identity merge",
]

/**
 * Who came back, by `GET /api/query/retention` with `retention_type=birth` (docs.mixpanel.com/reference/retention-query): for
 * each day, `first` people did the start, and `counts` of them came back, from less than one period after it on. The cell
 * of a start's own period is `first`.
 *
 * The page leaves open whether `birth` is a person's first start in these days or ever. It says that periods run from each
 * person's own start: day 1 is 24 to 48 hours after it.
 */
export async function askRetention(
  api: QueryApi,
  { start, back, period, periods }: RetentionChart,
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartAnswer> {
  const buckets = bucketsIn(span, period)
  if (buckets.length === 0) return answerInDays([], false, [`no whole ${period} lies in these days`])
  const born = oneName(start, call)
  if (born === undefined) throw new Unanswerable('Mixpanel needs a name of the event that people start with')
  const [event, bornWhere, where] = [
    oneName(back, call),
    whereOf(start.where, call),
    whereOf(back.where, call),
  ]
  const query = {
    ...{ retention_type: 'birth', born_event: born, interval_count: String(periods) },
    ...(event !== undefined && { event }),
    ...(bornWhere !== undefined && { born_where: bornWhere }),
    ...(where !== undefined && { where }),
  }
  const cells: ChartCell[] = []
  for (const { place, first, counts } of await cohorts(api, query, { unit: period, buckets }, call)) {
    const { at } = buckets[place]!
    // Periods that end after the last day are not over.
    const over = Math.min(periods, buckets.length - place)
    // Of nobody there may be no counts.
    if (counts.length < over && first > 0)
      throw new Unanswerable(`Mixpanel tells ${counts.length} ${period}s only of those who began on ${at}`)
    cells.push({ at: `${at}+0`, by: null, value: first })
    for (let after = 1; after < over; after++)
      cells.push({ at: `${at}+${after}`, by: null, value: counts[after] ?? 0 })
  }
  return answerInDays(cells, false, RULES)
}

/**
 * How many people did any event, by the same endpoint: with `retention_type=compounded`, `first` is the number of people who
 * did `event` in the period, and without an `event` it looks at all events. No other endpoint counts people of all events.
 */
export async function peopleOfAnyEvent(
  api: QueryApi,
  interval: Exclude<ChartInterval, 'whole'>,
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartCell[]> {
  const cells: ChartCell[] = []
  const query = { retention_type: 'compounded', interval_count: '1' }
  for (const buckets of spansOfBuckets(interval, span)) {
    for (const { place, first } of await cohorts(api, query, { unit: interval, buckets }, call))
      cells.push({ at: buckets[place]!.at, by: null, value: first })
  }
  return cells
}

/** The people who started in each bucket, by the bucket's place. */
async function cohorts(
  api: QueryApi,
  query: QueryParameters,
  { unit, buckets }: { readonly unit: string; readonly buckets: readonly ChartBucket[] },
  call: ChartCall,
) {
  const days = { from_date: buckets[0]!.first, to_date: buckets.at(-1)!.last }
  const answer = await api.get(PATH, { ...query, ...days, unit, interval: '1' }, cohortsSchema, call)
  const told = new Set<number>()
  return Object.entries(answer).map(([time, cohort]) => {
    const place = buckets.findIndex(({ first }) => time.startsWith(first))
    if (cohort.counts.some((count) => count > cohort.first))
      throw new Unanswerable(`in Mixpanel's answer more people came back than had begun on ${time}`)
    if (place < 0 || told.has(place))
      throw new Unanswerable(
        `Mixpanel's ${unit}s begin on other days than asked: it has a number for ${time}`,
      )
    told.add(place)
    return { place, ...cohort }
  })
}

/** The vendor's name of an event; undefined for any event. Throws Unanswerable unless it has one name. */
function oneName({ event }: ChartEvents, call: ChartCall): string | undefined {
  if (event === null) return undefined
  const [name, ...more] = namesIn(call).events(event)
  if (name === undefined) throw new Unanswerable(`Mixpanel has no event that became "${event}"`)
  if (more.length > 0)
    throw new Unanswerable(`Mixpanel looks for one event, and knows "${event}" by ${more.length + 1} names`)
  return name
}
