// The parts of the studio's tables that its page asks for.

import type { EventFate, EventRow, PropertyFate, PropertyRow } from './model-data.ts'

/** A part of a table. Each as a parameter of the address. */
export interface PageQuery {
  /** 0 when not given. */
  readonly offset?: number
  /** 50 when not given; 200 at most. */
  readonly limit?: number
}

/** Names of events. Without `sort` the commonest come first. */
export interface EventQuery extends PageQuery {
  /** In the name of the source or of the service; upper and lower case are the same. */
  readonly text?: string
  readonly fate?: EventFate
  readonly sort?: EventSort
  /** The greatest first. */
  readonly descending?: boolean
}

export type EventSort = 'source' | 'count' | 'fate' | 'name'

/** Members of the records. The fullest come first. */
export interface PropertyQuery extends PageQuery {
  /** Of the records of one event, by its name in the source. */
  readonly event?: string
  /** In the path, or in a name in the service; upper and lower case are the same. */
  readonly text?: string
  readonly fate?: PropertyFate
}

/** Some rows of a table, and how many there are: searches and counts are of all rows, not of those that are shown. */
export interface TablePage<Row, Fate extends string> {
  readonly revision: string
  readonly rows: readonly Row[]
  /** All that the query fits. */
  readonly total: number
  /** All that there are. */
  readonly all: number
  /** All, by what becomes of them. */
  readonly fates: Readonly<Partial<Record<Fate, number>>>
}

export type EventTablePage = TablePage<EventRow, EventFate>

export interface PropertyTable extends TablePage<PropertyRow, PropertyFate> {
  /** How often a member is met that is not told apart, because there are too many. */
  readonly others: number
}
