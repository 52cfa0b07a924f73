import {
  type ChartAnswer,
  type ChartCall,
  type ChartCell,
  type ChartSpan,
  rowCells,
  type SeriesChart,
} from '../../charts/index.ts'
import { compareTexts } from '../../text/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { bucketsIn, type ChartBucket, type CountKind, countKind, type EventCounts } from './event-counts.ts'
import { answerInDays, namesIn, type QueryApi } from './query-api.ts'
import { peopleOfAnyEvent } from './retention.ts'
import { added, type Segments, segments, sums } from './segmentation.ts'

/** Names that are asked for one by one. */
const MOST_NAMES = 10

const PEOPLE_NOTE = "Mixpanel's people are counted after its own identity merge"

/** What a chart needs of Mixpanel: the way to ask, and what of many names is known already. */
export interface SeriesSource {
  readonly api: QueryApi
  readonly counts: EventCounts
}

/** Events, people, sums or averages over time. Throws Unanswerable for what the query API has no question for. */
export async function askSeries(
  source: SeriesSource,
  query: SeriesChart,
  span: ChartSpan,
  call: ChartCall,
): Promise<ChartAnswer> {
  const buckets = bucketsIn(span, query.interval)
  if (buckets.length === 0) return answerInDays([], false, [`no whole ${query.interval} lies in these days`])
  if (query.measure === 'unique' && query.event === null) return anyEvent(source, query, span, call)
  const names = await vendorNames(source, query, call)
  const kind = countKind(query)
  if (query.measure === 'unique' && names.length > 1) {
    throw new Unanswerable(
      `Mixpanel knows "${query.event}" as ${quoted(names)}, and people of several events can't be added up`,
    )
  }
  if (kind !== undefined) return plainSeries(source, { kind, names, buckets, span }, call)
  if (names.length > MOST_NAMES)
    throw new Unanswerable(
      `Mixpanel filters and divides one event at a time, and this chart has ${names.length}`,
    )
  const ask = (of: typeof segments) => {
    return Promise.all(names.map((event) => of(source.api, { event, query, span }, call))).then(added)
  }
  if (query.measure === 'count' || query.measure === 'unique') {
    const found = await ask(segments)
    return answerInDays(cellsOf(found, query, buckets), found.sampled, notesOf(query, found.notes))
  }
  if (query.by !== null) throw new Unanswerable("Mixpanel's API doesn't divide sums by a property")
  const sum = await ask(sums)
  if (query.measure === 'sum')
    return answerInDays(cellsOf(sum, query, buckets), sum.sampled, notesOf(query, []))
  const count = await ask(segments)
  const counted = new Map(cellsOf(count, query, buckets).map(({ at, value }) => [at, value]))
  const averages = cellsOf(sum, query, buckets).flatMap(({ at, value }) => {
    const events = counted.get(at)
    return events === undefined ? [] : [[at, value / events] as const]
  })
  const cells = rowCells(new Map([[null, new Map(averages)]]))
  return answerInDays(cells, sum.sampled || count.sampled, notesOf(query, []))
}

async function plainSeries(
  { counts }: SeriesSource,
  asked: {
    readonly kind: CountKind
    readonly names: readonly string[]
    readonly buckets: readonly ChartBucket[]
    readonly span: ChartSpan
  },
  call: ChartCall,
): Promise<ChartAnswer> {
  const { kind, names, buckets, span } = asked
  const found = await counts.ask(kind, names, span, call)
  const totals = new Map<string, number>()
  for (const name of names) {
    const numbers = found.names.get(name) ?? new Map<string, number>()
    for (const [at, number] of kind === 'day' ? inBuckets(numbers, buckets) : numbers)
      totals.set(at, (totals.get(at) ?? 0) + number)
  }
  const unseen = names.filter((name) => (found.names.get(name)?.size ?? 0) === 0)
  const hidden = `Mixpanel shows nothing of ${quoted(unseen)} in these days: its Lexicon may hide it`
  return answerInDays(
    [...totals].map(([at, value]) => ({ at, by: null, value })),
    found.sampled,
    [
      ...(kind === 'day' ? [] : [PEOPLE_NOTE]),
      ...(unseen.length > 0 && names.length <= MOST_NAMES ? [hidden] : []),
    ],
  )
}

async function anyEvent({ api }: SeriesSource, query: SeriesChart, span: ChartSpan, call: ChartCall) {
  if (query.where.length > 0 || query.by !== null || query.interval === 'whole') {
    throw new Unanswerable(
      'Mixpanel tells the people of all events by day, week or month only, neither filtered nor divided',
    )
  }
  return answerInDays(await peopleOfAnyEvent(api, query.interval, span, call), false, [PEOPLE_NOTE])
}

/** The vendor's names of a chart's event. Throws Unanswerable where there is none. */
async function vendorNames(
  { counts }: SeriesSource,
  { event }: SeriesChart,
  call: ChartCall,
): Promise<readonly string[]> {
  const known = event === null ? await counts.allNames(call) : namesIn(call).events(event)
  if (known.length > 0) return known
  throw new Unanswerable(
    event === null ? 'Mixpanel lists no events' : `Mixpanel has no event that became "${event}"`,
  )
}

/** The cells of a chart from its days, or for people from its own buckets. */
function cellsOf({ byValue }: Segments, query: SeriesChart, buckets: readonly ChartBucket[]): ChartCell[] {
  if (query.measure === 'unique') return rowCells(byValue)
  return rowCells(new Map([...byValue].map(([by, days]) => [by, inBuckets(days, buckets)])))
}

/** Days added up to buckets, which are in order. */
function inBuckets(days: ReadonlyMap<string, number>, buckets: readonly ChartBucket[]): Map<string, number> {
  const sums = new Map<string, number>()
  let place = 0
  for (const [day, number] of [...days].sort(([a], [b]) => compareTexts(a, b))) {
    while (place < buckets.length && buckets[place]!.last < day) place++
    const bucket = buckets[place]
    if (bucket && bucket.first <= day) sums.set(bucket.at, (sums.get(bucket.at) ?? 0) + number)
  }
  return sums
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function notesOf({ measure, where }: SeriesChart, more: readonly string[]): string[] {
  const contains = where.some(({ operator }) => operator === 'contains')
  return [
    ...(measure === 'unique' ? [PEOPLE_NOTE] : []),
    ...(contains ? ['whether "contains" heeds upper and lower case in Mixpanel is not documented'] : []),
    ...more,
  ]
}
