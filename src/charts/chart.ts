/*
 * A chart is one question that a vendor, a dataset and the service can all be asked: the events of a name by day, a
 * funnel, who came back. Names in it are final ones, as the mapping made them; who asks a vendor translates them.
 */

/** Whole days, both included: `2024-03-01`. They are days in the zone of the one who answers. */
export interface ChartSpan {
  readonly first: string
  readonly last: string
}

export type ChartInterval = 'day' | 'week' | 'month' | 'whole'

/** `over` and `under` compare numbers; `is` and `is_not` take several values, of which one is enough. */
export type FilterOperator = 'is' | 'is_not' | 'contains' | 'set' | 'not_set' | 'over' | 'under'

/** A condition on a property of the event. Values are compared as texts, but by `over` and `under`. */
export interface ChartFilter {
  readonly property: string
  readonly operator: FilterOperator
  readonly values: readonly string[]
}

/** Which events count. */
export interface ChartEvents {
  /** The final name; null for events of all names. */
  readonly event: string | null
  /** All of them must hold. */
  readonly where: readonly ChartFilter[]
}

/** `count`: events. `unique`: people who did it, once in each cell. `sum`, `average`: of a number property. */
export type Measure = 'count' | 'unique' | 'sum' | 'average'

/** The values of a property that a chart tells apart: the most frequent by events. */
export const MOST_VALUES = 20

export interface SeriesChart extends ChartEvents {
  readonly kind: 'series'
  readonly measure: Measure
  /** What is added up; null for `count` and `unique`. */
  readonly property: string | null
  /** Weeks begin on Monday. */
  readonly interval: ChartInterval
  /** One row for each of its `MOST_VALUES` most frequent values, if it is not null. */
  readonly by: string | null
}

/** Steps in this order, other events between them allowed, the last within `windowDays` times 24 hours of the first. */
export interface FunnelChart {
  readonly kind: 'funnel'
  readonly steps: readonly ChartEvents[]
  readonly windowDays: number
}

/** Of the people who did `start` in a period, for the first time in the span: who did `back` in the periods after. */
export interface RetentionChart {
  readonly kind: 'retention'
  readonly start: ChartEvents
  readonly back: ChartEvents
  readonly period: 'day' | 'week' | 'month'
  /** How many periods are looked at, that of the start included. */
  readonly periods: number
}

/** How many people there are in all. */
export interface PeopleChart {
  readonly kind: 'people'
}

export type ChartQuery = SeriesChart | FunnelChart | RetentionChart | PeopleChart

/** A chart with its name, which is unique in one comparison, such as `unique by week: $pageview`. */
export interface Chart {
  readonly name: string
  readonly query: ChartQuery
  /** The vendor's saved report that it was made of; null for none. */
  readonly report: string | null
}
