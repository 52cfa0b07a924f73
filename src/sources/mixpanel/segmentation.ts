import { z } from 'zod'
import {
  type ChartCall,
  type ChartInterval,
  type ChartRows,
  type ChartSpan,
  type SeriesChart,
  spanDays,
} from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { addInBuckets, countsSchema, spansOfBuckets } from './event-counts.ts'
import { isSampled, type QueryApi, type QueryParameters, samplingShape } from './query-api.ts'
import { propertyOf, whereOf } from './where-expression.ts'

/** Values that are asked for, so that the most frequent of all years are among them. Mixpanel gives at most 10,000. */
const MOST_TOLD = 1000
/** What Mixpanel calls the value of events without the property. No document says so; its own charts do. */
const NO_VALUE = 'undefined'

const sumSchema = z.object({ results: z.record(z.string(), z.number()), ...samplingShape })

/** Numbers by day or bucket, by the value of the property that they are divided by; null without one. */
export interface Segments {
  readonly byValue: ChartRows
  readonly sampled: boolean
  readonly notes: readonly string[]
}

/** A chart, asked of one of the vendor's names. */
export interface SegmentQuestion {
  readonly event: string
  readonly query: SeriesChart
  readonly span: ChartSpan
}

/**
 * Events by day, or people by bucket, of one name, filtered or divided by a property, by `GET /api/query/segmentation`
 * (docs.mixpanel.com/reference/segmentation-query). Its units are day and month. People of a week, or of all days, are asked for
 * by `interval`, a number of days.
 */
export async function segments(api: QueryApi, asked: SegmentQuestion, call: ChartCall): Promise<Segments> {
  const { query, span, event } = asked
  const people = query.measure === 'unique'
  const parameters = {
    ...filtersOf(query, call),
    ...{ event, type: people ? 'unique' : 'general' },
    ...(people ? periodOf(query.interval, span) : { unit: 'day' }),
    ...(query.by !== null && { on: propertyOf(query.by, call), limit: String(MOST_TOLD) }),
  }
  const byValue = new Map<string | null, Map<string, number>>()
  const notes = new Set<string>()
  let sampled = false
  for (const buckets of spansOfBuckets(people ? query.interval : 'day', span)) {
    const days = { from_date: buckets[0]!.first, to_date: buckets.at(-1)!.last }
    const answer = await api.get('/api/query/segmentation', { ...parameters, ...days }, countsSchema, call)
    const values = Object.entries(answer.data.values)
    sampled ||= isSampled(answer)
    if (query.by !== null && values.length >= MOST_TOLD)
      notes.add(`Mixpanel told the ${MOST_TOLD} most frequent values of ${query.by}, and there may be more`)
    for (const [name, numbers] of values) {
      if (query.by === null && name !== event)
        throw new Unanswerable(`Mixpanel was asked about "${event}", and has numbers of "${name}"`)
      const value = query.by === null ? null : name === NO_VALUE ? '' : name
      const kept = byValue.get(value) ?? new Map<string, number>()
      byValue.set(value, kept)
      addInBuckets(kept, numbers, buckets)
    }
  }
  return { byValue, sampled, notes: [...notes] }
}

/**
 * The sum of a number property by day, by `GET /api/query/segmentation/sum` (docs.mixpanel.com/reference/segmentation-sum-query),
 * which adds 0 for a value that is not a number.
 */
export async function sums(api: QueryApi, asked: SegmentQuestion, call: ChartCall): Promise<Segments> {
  const { query, span, event } = asked
  const on = `number(${propertyOf(query.property ?? '', call)})`
  const kept = new Map<string, number>()
  let sampled = false
  for (const buckets of spansOfBuckets('day', span)) {
    const days = { from_date: buckets[0]!.first, to_date: buckets.at(-1)!.last }
    const parameters = { ...filtersOf(query, call), ...days, event, on, unit: 'day' }
    const answer = await api.get('/api/query/segmentation/sum', parameters, sumSchema, call)
    sampled ||= isSampled(answer)
    addInBuckets(kept, answer.results, buckets)
  }
  return { byValue: new Map([[null, kept]]), sampled, notes: [] }
}

/** The numbers of several names, added up. */
export function added(parts: readonly Segments[]): Segments {
  const byValue = new Map<string | null, Map<string, number>>()
  for (const part of parts)
    for (const [value, numbers] of part.byValue) {
      const kept = byValue.get(value) ?? new Map<string, number>()
      byValue.set(value, kept)
      for (const [at, number] of numbers) kept.set(at, (kept.get(at) ?? 0) + number)
    }
  return {
    byValue,
    sampled: parts.some((part) => part.sampled),
    notes: [...new Set(parts.flatMap((part) => part.notes))],
  }
}

/** The conditions of a chart. What is added up must be there: an average is one of the events that have the property. */
function filtersOf({ where, property }: SeriesChart, call: ChartCall): QueryParameters {
  const expression = whereOf(
    property === null ? where : [...where, { property, operator: 'set', values: [] }],
    call,
  )
  return expression === undefined ? {} : { where: expression }
}

function periodOf(interval: ChartInterval, span: ChartSpan): QueryParameters {
  if (interval === 'week') return { interval: '7' }
  return interval === 'whole' ? { interval: String(spanDays(span)) } : { unit: interval }
}
