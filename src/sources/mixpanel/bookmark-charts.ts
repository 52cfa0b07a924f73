import { z } from 'zod'
import type {
  ChartEvents,
  ChartFilter,
  ChartInterval,
  ChartQuery,
  FilterOperator,
  FunnelChart,
  Measure,
  RetentionChart,
  SeriesChart,
  VendorNames,
} from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'

/*
 * What a saved report counts, read from the `params` of its bookmark. Mixpanel documents neither; the members are those that
 * its own open client writes (github.com/mixpanel/mixpanel-headless). A report of which anything is not understood is
 * not compared: half of a filter would make a difference that nobody can explain.
 */

const filterSchema = z.looseObject({
  resourceType: z.string(),
  value: z.string(),
  filterOperator: z.string(),
  filterValue: z.unknown(),
})
type BookmarkFilter = z.output<typeof filterSchema>

const eventSchema = z.looseObject({
  name: z.string(),
  filters: z.array(filterSchema).default([]),
  filtersDeterminer: z.string().default('all'),
})
type BookmarkEvent = z.output<typeof eventSchema>

const behaviorSchema = z.union([
  z.looseObject({ type: z.literal('event'), ...eventSchema.shape }),
  z.looseObject({
    type: z.literal('funnel'),
    behaviors: z.array(eventSchema).min(2),
    conversionWindowDuration: z.number(),
    conversionWindowUnit: z.string(),
    funnelOrder: z.string(),
    exclusions: z.array(z.unknown()).default([]),
    aggregateBy: z.array(z.unknown()).default([]),
    funnelReentryMode: z.string().default('basic'),
  }),
  z.looseObject({
    type: z.literal('retention'),
    behaviors: z.array(eventSchema).length(2),
    retentionType: z.literal('birth'),
    retentionUnit: z.enum(['day', 'week', 'month']),
    retentionCustomBucketSizes: z.array(z.number()).default([]),
  }),
])

const metricSchema = z.looseObject({
  behavior: behaviorSchema,
  measurement: z.looseObject({
    math: z.string(),
    property: z.looseObject({ name: z.string(), resourceType: z.string().optional() }).nullish(),
    rolling: z.null().optional(),
    cumulative: z.literal(false).nullish(),
    perUserAggregation: z.null().optional(),
  }),
})
type Metric = z.output<typeof metricSchema>

const paramsSchema = z.looseObject({
  sections: z.looseObject({
    show: z.array(metricSchema).min(1),
    filter: z.array(filterSchema).default([]),
    group: z
      .array(
        z.looseObject({ value: z.string(), resourceType: z.string(), customBucket: z.null().optional() }),
      )
      .max(1)
      .default([]),
    formula: z.array(z.unknown()).max(0).default([]),
    time: z.array(z.looseObject({ unit: z.string() })).length(1),
  }),
  displayOptions: z.looseObject({ chartType: z.string().optional() }).optional(),
})
type Params = z.output<typeof paramsSchema>

const OPERATORS: Readonly<Record<string, FilterOperator>> = {
  equals: 'is',
  'does not equal': 'is_not',
  contains: 'contains',
  'is set': 'set',
  'is not set': 'not_set',
  'is greater than': 'over',
  'is less than': 'under',
}
/** The event of retention that stands for all. */
const ANY_EVENT = '$mp_anything_event'
/** Pictures of one number for all days. */
const WHOLE_CHARTS = ['bar', 'bar-stacked', 'pie', 'table', 'metric', 'insights-metric']
const WINDOW_UNITS: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7 }
/** Periods that a report of retention is compared in. */
const PERIODS = 8

/** The charts of a saved report, one for each of its metrics. Throws Unanswerable for one that can't be compared. */
export function bookmarkCharts(params: unknown, names: VendorNames): ChartQuery[] {
  const { success, data, error } = paramsSchema.safeParse(parsed(params))
  if (success) return data.sections.show.map((metric) => new BookmarkReader(data, names).chart(metric))
  const place = error.issues[0]?.path.join('.') ?? ''
  throw new Unanswerable(`it is made in a way that posthaul can't read (${place || 'its params'})`)
}

function parsed(params: unknown): unknown {
  try {
    return typeof params === 'string' ? JSON.parse(params) : params
  } catch {
    return undefined
  }
}

class BookmarkReader {
  readonly #params: Params
  readonly #names: VendorNames

  constructor(params: Params, names: VendorNames) {
    this.#params = params
    this.#names = names
  }

  chart(metric: Metric): ChartQuery {
    const { behavior } = metric
    if (behavior.type === 'event') return this.#series(metric, behavior)
    if (this.#params.sections.group.length > 0) throw new Unanswerable('it is divided by a property')
    return behavior.type === 'funnel' ? this.#funnel(behavior, metric) : this.#retention(behavior)
  }

  #series({ measurement }: Metric, event: BookmarkEvent): SeriesChart {
    const { time, group } = this.#params.sections
    const [by] = group
    if (by) assertOfEvents(by.resourceType, by.value)
    const unit = time[0]!.unit
    if (unit !== 'day' && unit !== 'week' && unit !== 'month')
      throw new Unanswerable(`it shows numbers by ${unit}`)
    const isWhole = WHOLE_CHARTS.includes(this.#params.displayOptions?.chartType ?? 'line')
    const interval: ChartInterval = isWhole ? 'whole' : unit
    return {
      ...{ kind: 'series', interval, by: by ? this.#names.finalProperty(by.value) : null },
      ...this.#events(event),
      ...this.#measure(measurement),
    }
  }

  #measure({ math, property }: Metric['measurement']): { measure: Measure; property: string | null } {
    if (property) {
      assertOfEvents(property.resourceType ?? 'events', property.name)
      const name = this.#names.finalProperty(property.name)
      if (math === 'total' || math === 'sum') return { measure: 'sum', property: name }
      if (math === 'average') return { measure: 'average', property: name }
    }
    if (!property && math === 'total') return { measure: 'count', property: null }
    if (!property && math === 'unique') return { measure: 'unique', property: null }
    throw new Unanswerable(`it measures "${math}"`)
  }

  #funnel(behavior: Extract<Metric['behavior'], { type: 'funnel' }>, { measurement }: Metric): FunnelChart {
    const { funnelOrder, funnelReentryMode, exclusions, aggregateBy, conversionWindowUnit: unit } = behavior
    if (funnelOrder !== 'loose' && funnelOrder !== 'ordered')
      throw new Unanswerable(`its steps are in ${funnelOrder} order`)
    if (exclusions.length > 0) throw new Unanswerable('it leaves out who did another event')
    if (aggregateBy.length > 0) throw new Unanswerable('it holds a property constant')
    if (funnelReentryMode !== 'basic' && funnelReentryMode !== 'default')
      throw new Unanswerable('people enter it again')
    if (!/unique/.test(measurement.math)) throw new Unanswerable(`it measures "${measurement.math}"`)
    const days = WINDOW_UNITS[unit]
    if (days === undefined) throw new Unanswerable(`its window is counted in ${unit}s`)
    const steps = behavior.behaviors.map((step) => this.#events(step))
    return { kind: 'funnel', steps, windowDays: behavior.conversionWindowDuration * days }
  }

  #retention(behavior: Extract<Metric['behavior'], { type: 'retention' }>): RetentionChart {
    if (behavior.retentionCustomBucketSizes.length > 0) throw new Unanswerable('its periods differ in length')
    const [start, back] = behavior.behaviors.map((event) => this.#events(event))
    return { kind: 'retention', start: start!, back: back!, period: behavior.retentionUnit, periods: PERIODS }
  }

  /** An event with its own conditions and those of the whole report. */
  #events({ name, filters, filtersDeterminer }: BookmarkEvent): ChartEvents {
    if (name.startsWith('$custom_event:')) throw new Unanswerable('it counts a custom event')
    if (filters.length > 1 && filtersDeterminer !== 'all')
      throw new Unanswerable('one of its filters is enough')
    const where = [...this.#params.sections.filter, ...filters].map((filter) => this.#filter(filter))
    return { event: name === ANY_EVENT ? null : this.#names.finalEvent(name), where }
  }

  #filter({ resourceType, value, filterOperator, filterValue }: BookmarkFilter): ChartFilter {
    assertOfEvents(resourceType, value)
    const operator = OPERATORS[filterOperator]
    if (operator === undefined) throw new Unanswerable(`its filter on ${value} says "${filterOperator}"`)
    const values = filterValue === null || filterValue === undefined ? [] : [filterValue].flat().map(String)
    return { property: this.#names.finalProperty(value), operator, values }
  }
}

function assertOfEvents(resourceType: string, property: string): void {
  if (resourceType === 'events' || resourceType === 'event') return
  throw new Unanswerable(`${property} is a property of ${resourceType}, as it is today, and not of events`)
}
