import pLimit from 'p-limit'
import { z } from 'zod'
import {
  type Chart,
  type ChartCall,
  type ChartInterval,
  type ChartSpan,
  periodsOf,
  type SeriesChart,
} from '../../charts/index.ts'
import { runsOf } from '../counts/day-zone.ts'
import { Unanswerable } from '../unanswerable.ts'
import {
  EVENTS_PATH,
  isSampled,
  mixpanelPath,
  namesByPath,
  namesIn,
  type QueryApi,
  samplingShape,
} from './query-api.ts'

/** Names that Mixpanel is asked to list. */
const MOST_LISTED = 1000
/** Buckets of one request. */
const MOST_BUCKETS = 365
/** The most requests that one chart may cost: most of an hour's quota. */
const MOST_REQUESTS = 40

export const namesSchema = z.array(z.string())

export const countsSchema = z.object({
  data: z.object({ values: z.record(z.string(), z.record(z.string(), z.int().min(0))) }),
  ...samplingShape,
})

/** The days of one cell, both included, and what the cell is called. */
export interface ChartBucket extends ChartSpan {
  readonly at: string
}

/** What is counted of several names at once: all events by day, or people by day, week or month. */
export type CountKind = 'day' | 'people-day' | 'people-week' | 'people-month'

/** The counts of a name by the first day of their buckets. */
type CountsByBucket = ReadonlyMap<string, number>

export interface NameCounts {
  readonly sampled: boolean
  readonly names: ReadonlyMap<string, CountsByBucket>
}

/**
 * The numbers of names without filters, by `GET /api/query/events` (docs.mixpanel.com/reference/list-recent-events): for a JSON
 * list of names, `type` and `unit` it answers `{data: {series, values: {<name>: {<day>: number}}}}`.
 *
 * As many names are asked for at once as a path holds: first those of the chart, then those of charts that were announced.
 * Events of a week or month are the sum of its days, and need no request of their own; people are asked for by each unit.
 */
export class EventCounts {
  readonly #api: QueryApi
  /** The charts that are going to be asked, by what is counted for them. */
  readonly #announced = new Map<CountKind, (string | null)[]>()
  /** Who asks next may find its names among those that were asked for just now. */
  readonly #inTurn = pLimit(1)
  #listed: readonly string[] | undefined
  readonly #known = new Map<string, NameCounts & { sampled: boolean; names: Map<string, CountsByBucket> }>()

  constructor(api: QueryApi) {
    this.#api = api
  }

  announce(charts: readonly Chart[]): void {
    for (const { query } of charts) {
      const kind = query.kind === 'series' ? countKind(query) : undefined
      if (kind === undefined || query.kind !== 'series') continue
      this.#announced.set(kind, [...(this.#announced.get(kind) ?? []), query.event])
    }
  }

  /**
   * All names that are known, and those that Mixpanel lists: the most frequent of the last 31 days, by
   * `GET /api/query/events/names`. So a name of which nothing was exported is counted, too.
   */
  async allNames(call: ChartCall): Promise<readonly string[]> {
    const query = { type: 'general', limit: String(MOST_LISTED) }
    this.#listed ??= await this.#api.get(`${EVENTS_PATH}/names`, query, namesSchema, call)
    return [...new Set([...namesIn(call).events(null), ...this.#listed])]
  }

  /** The counts of each of the vendor's names. Throws Unanswerable where that would take too many requests. */
  ask(kind: CountKind, names: readonly string[], chart: ChartSpan, call: ChartCall): Promise<NameCounts> {
    return this.#inTurn(async () => {
      const key = `${kind} ${chart.first} ${chart.last}`
      const known = this.#known.get(key) ?? { sampled: false, names: new Map<string, CountsByBucket>() }
      this.#known.set(key, known)
      const missing = new Set(names.filter((name) => !known.names.has(name)))
      const others = this.#others(kind, call).filter((name) => !known.names.has(name))
      const parametersOf = (group: readonly string[], { first, last }: ChartSpan) => ({
        ...{ event: JSON.stringify(group), type: kind === 'day' ? 'general' : 'unique', unit: unitOf(kind) },
        ...{ from_date: first, to_date: last },
      })
      const groups = namesByPath([...new Set([...missing, ...others])], (group) => {
        return mixpanelPath(EVENTS_PATH, this.#api.projectId, parametersOf(group, chart))
      }).filter((group) => group.some((name) => missing.has(name)))
      const spans = spansOfBuckets(unitOf(kind), chart)
      const requests = groups.length * spans.length
      if (requests > MOST_REQUESTS)
        throw new Unanswerable(
          `${missing.size} events take ${requests} questions, and Mixpanel answers 60 an hour`,
        )
      for (const group of groups) {
        const found = new Map(group.map((name) => [name, new Map<string, number>()]))
        for (const buckets of spans) {
          const days = { first: buckets[0]!.first, last: buckets.at(-1)!.last }
          const answer = await this.#api.get(EVENTS_PATH, parametersOf(group, days), countsSchema, call)
          known.sampled ||= isSampled(answer)
          for (const [name, counts] of Object.entries(answer.data.values))
            addInBuckets(numbersOf(found, name), counts, buckets)
        }
        for (const [name, counts] of found) known.names.set(name, counts)
      }
      return known
    })
  }

  #others(kind: CountKind, call: ChartCall): string[] {
    const finals = this.#announced.get(kind) ?? []
    // Those of one event come before all there are: they are asked for first.
    return [...finals.filter((final) => final !== null), ...finals.filter((final) => final === null)].flatMap(
      (final) => namesIn(call).events(final),
    )
  }
}

function numbersOf<T>(found: ReadonlyMap<string, T>, name: string): T {
  const numbers = found.get(name)
  if (numbers) return numbers
  throw new Unanswerable(`Mixpanel was not asked about "${name}", and has numbers of it`)
}

/** What is counted for a chart; undefined for one that needs more than the counts of names. */
export function countKind({ measure, interval, where, by, event }: SeriesChart): CountKind | undefined {
  if (where.length > 0 || by !== null) return undefined
  if (measure === 'count') return 'day'
  // People of several names can't be added up.
  if (measure !== 'unique' || interval === 'whole' || event === null) return undefined
  return `people-${interval}`
}

function unitOf(kind: CountKind): 'day' | 'week' | 'month' {
  return kind === 'day' || kind === 'people-day' ? 'day' : kind === 'people-week' ? 'week' : 'month'
}

/** The buckets of a chart: those that are whole inside its span. */
export function bucketsIn(span: ChartSpan, interval: ChartInterval): ChartBucket[] {
  return periodsOf(span, interval).map(({ first, last }) => {
    return { at: interval === 'whole' ? interval : first, first, last }
  })
}

/** The buckets of a span, as many together as one request may have. */
export function spansOfBuckets(unit: ChartInterval, chart: ChartSpan): ChartBucket[][] {
  return runsOf(bucketsIn(chart, unit), { day: MOST_BUCKETS, week: 52, month: 12, whole: 1 }[unit])
}

/**
 * Adds the counts of an answer, whose keys begin with a bucket's first day. Throws Unanswerable for other days: Mixpanel's
 * weeks would begin on another day than those of the comparison. People of two numbers of one bucket can't be added up.
 */
export function addInBuckets(
  counts: Map<string, number>,
  answer: Readonly<Record<string, number>>,
  buckets: readonly ChartBucket[],
): void {
  const names = new Map(buckets.map(({ first, at }) => [first, at]))
  const told = new Set<string>()
  for (const [time, count] of Object.entries(answer)) {
    if (count === 0) continue
    const at = names.get(time.slice(0, 10))
    if (at === undefined || told.has(at)) {
      const days = `${buckets[0]?.first} to ${buckets.at(-1)?.last}`
      throw new Unanswerable(
        `Mixpanel divides ${days} otherwise than it was asked to: it has a number for ${time}`,
      )
    }
    told.add(at)
    counts.set(at, (counts.get(at) ?? 0) + count)
  }
}
