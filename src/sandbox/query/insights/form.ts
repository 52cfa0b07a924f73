import { z } from 'zod'
import { QueryError } from '../parse.ts'

/*
 * The forms of TrendsQuery, FunnelsQuery and RetentionQuery that the sandbox plays. The service refuses keys that it doesn't
 * know; those that it knows, and the sandbox doesn't, are refused too, in other words.
 */

const scalar = z.union([z.string(), z.number(), z.boolean()])

const propertySchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('event'),
    key: z.string(),
    operator: z.enum(['exact', 'is_not', 'icontains', 'is_set', 'is_not_set', 'gt', 'lt']).default('exact'),
    value: z.union([scalar, z.array(scalar)]).nullish(),
    label: z.string().nullish(),
  }),
  z.strictObject({ type: z.literal('hogql'), key: z.string(), value: scalar.nullish() }),
])
/** A condition on events. */
export type EventProperty = z.output<typeof propertySchema>

const properties = z.array(propertySchema).default([])
const names = { name: z.string().nullish(), custom_name: z.string().nullish() }

const nodeSchema = z
  .strictObject({
    kind: z.literal('EventsNode'),
    event: z.string().nullish(),
    ...names,
    math: z.enum(['total', 'dau', 'sum', 'avg']).default('total'),
    math_property: z.string().nullish(),
    properties,
  })
  .refine(({ math, math_property }) => math === 'total' || math === 'dau' || math_property, {
    message: 'math_property is needed for sums and averages',
  })
/** The events of one series or step. */
export type EventsNode = z.output<typeof nodeSchema>

const dateRange = z.strictObject({ date_from: z.iso.date(), date_to: z.iso.date() })
/** Whole days of the project's time zone, both included. */
export type DateRange = z.output<typeof dateRange>

const shared = { dateRange, properties, filterTestAccounts: z.literal(false).optional() }

const trendsSchema = z.strictObject({
  kind: z.literal('TrendsQuery'),
  ...shared,
  series: z.array(nodeSchema).min(1),
  interval: z.enum(['day', 'week', 'month']).default('day'),
  breakdownFilter: z
    .strictObject({
      breakdown: z.string(),
      breakdown_type: z.literal('event').default('event'),
      breakdown_limit: z.int().min(1).default(25),
    })
    .nullish(),
  trendsFilter: z
    .strictObject({ display: z.enum(['ActionsLineGraph', 'BoldNumber']).default('ActionsLineGraph') })
    .nullish(),
})
export type TrendsQuery = z.output<typeof trendsSchema>

const funnelsSchema = z.strictObject({
  kind: z.literal('FunnelsQuery'),
  ...shared,
  series: z.array(nodeSchema).min(2),
  funnelsFilter: z
    .strictObject({
      funnelVizType: z.literal('steps').default('steps'),
      funnelOrderType: z.literal('ordered').default('ordered'),
      funnelWindowInterval: z.int().min(1).default(14),
      funnelWindowIntervalUnit: z.enum(['second', 'minute', 'hour', 'day', 'week', 'month']).default('day'),
      funnelWindowBoundary: z.enum(['clip', 'extend']).default('clip'),
    })
    .prefault({}),
})
export type FunnelsQuery = z.output<typeof funnelsSchema>

const entity = z
  .strictObject({ id: z.string().nullable(), type: z.literal('events'), ...names, properties })
  .prefault({ id: '$pageview', type: 'events' })

const retentionSchema = z.strictObject({
  kind: z.literal('RetentionQuery'),
  ...shared,
  retentionFilter: z.strictObject({
    period: z.enum(['Day', 'Week', 'Month']).default('Day'),
    totalIntervals: z.int().min(1).default(8),
    retentionType: z.enum(['retention_first_time', 'retention_recurring']).default('retention_recurring'),
    targetEntity: entity,
    returningEntity: entity,
  }),
})
export type RetentionQuery = z.output<typeof retentionSchema>

const FORMS = { TrendsQuery: trendsSchema, FunnelsQuery: funnelsSchema, RetentionQuery: retentionSchema }
export type InsightQuery = TrendsQuery | FunnelsQuery | RetentionQuery

/** Keys of the service that the sandbox doesn't play. */
const NOT_PLAYED = new Set(
  `aggregation_group_type_index breakdownFilter breakdowns breakdown_group_type_index breakdown_hide_other_aggregation
  breakdown_histogram_bin_count breakdown_normalize_url compareFilter conversionGoal cumulative dataColorTheme
  explicitDate exclusions fixedProperties formula formulas funnelAggregateByHogQL funnelFromStep funnelToStep hidden
  limit math_group_type_index math_hogql math_multiplier math_property_type meanRetentionCalculation
  minimumOccurrences modifiers optionalInFunnel orderBy response retentionCustomBrackets samplingFactor
  smoothingIntervals tags timeWindowMode version breakdownAttributionType breakdownAttributionValue`.split(
    /\s+/,
  ),
)

/** True for a kind of query that is one of these. */
export function isInsight(kind: string): kind is InsightQuery['kind'] {
  return Object.hasOwn(FORMS, kind)
}

/** Reads a query. QueryError for what the service refuses and for what the sandbox doesn't play. */
export function readInsight(kind: InsightQuery['kind'], query: unknown): InsightQuery {
  const parsed = FORMS[kind].safeParse(query)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const at = ['query', ...issue.path].join('.')
  if (issue.code !== 'unrecognized_keys') {
    throw new QueryError(
      `${at}: ${issue.message}. This may be a form of ${kind} that the sandbox does not play.`,
    )
  }
  const key = issue.keys[0]!
  throw new QueryError(
    NOT_PLAYED.has(key)
      ? `${at}.${key}: the sandbox does not play this part of ${kind}.`
      : `${at}.${key}: Extra inputs are not permitted`,
  )
}
