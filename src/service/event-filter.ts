import { MS_PER_DAY } from '../text/index.ts'
import { ofIdsInText } from './import-marks.ts'
import { sqlText } from './query.ts'

/** Which of the project's events a query is about: whole UTC days, `first` and `last` included. */
export interface EventFilter {
  readonly first: string
  readonly last: string
  /** The values of `$import_job_id` that tell an import's events apart; null for all events. */
  readonly importIds: readonly string[] | null
  /** Those too whose id is in a text of all their properties, `$unparseable_properties`: it costs as much again. */
  readonly unreadable?: boolean
  /** Events of these names only. */
  readonly names?: readonly string[]
  /** A share of the events, when all are too much for one query. */
  readonly share?: Share
}

/** The events whose uuid's two halves, added, leave the remainder `part` when divided by `of`. */
export interface Share {
  readonly part: number
  readonly of: number
}

const ALL: Share = { part: 0, of: 1 }

/** More shares than this help no query. */
const MOST_SHARES = 3 ** 6

/** An event's UTC day as text. Without toTimeZone it would be the day in the project's time zone. */
export const UTC_DAY = "toString(toDate(toTimeZone(timestamp, 'UTC')))"

const HEX = "replaceAll(toString(uuid), '-', '')"

/**
 * The first and the second half of a uuid as numbers: 8 bytes each, read as little-endian unsigned numbers
 * (record/fingerprint.ts does the same).
 */
export const HALVES = [half(1), half(17)] as const

/** The filter as a condition. */
export function sqlWhere({ first, last, importIds, unreadable, names, share = ALL }: EventFilter): string {
  const [one, other] = HALVES
  return [
    `timestamp >= ${midnight(first)} AND timestamp < ${midnight(plusDays(last, 1))}`,
    ...(importIds ? [ofImports(importIds, unreadable === true)] : []),
    ...(names ? [`event IN (${names.map(sqlText).join(', ')})`] : []),
    ...(share.of === 1
      ? []
      : [`(${one} % ${share.of} + ${other} % ${share.of}) % ${share.of} = ${share.part}`]),
  ].join(' AND ')
}

/** The filter in three shares of a third each; undefined when it is as small as it gets. */
export function thirds(filter: EventFilter): readonly EventFilter[] | undefined {
  const { part, of } = filter.share ?? ALL
  if (of >= MOST_SHARES) return undefined
  return [0, 1, 2].map((third) => ({ ...filter, share: { part: part + third * of, of: of * 3 } }))
}

/** The filter's days in two halves; undefined for a single day. */
export function halves(filter: EventFilter): readonly EventFilter[] | undefined {
  const { first, last } = filter
  if (first === last) return undefined
  const middle = plusDays(first, Math.floor((Date.parse(last) - Date.parse(first)) / MS_PER_DAY / 2))
  return [
    { ...filter, last: middle },
    { ...filter, first: plusDays(middle, 1) },
  ]
}

/** The condition for events with one of these ids; `unreadable` as in a filter. */
export function ofImports(importIds: readonly string[], unreadable: boolean): string {
  const marked = `properties.$import_job_id IN (${importIds.map(sqlText).join(', ')})`
  return unreadable ? `(${marked} OR ${ofIdsInText(importIds)})` : marked
}

function half(at: number): string {
  return `reinterpretAsUInt64(unhex(substring(${HEX}, ${at}, 16)))`
}

function midnight(day: string): string {
  return `toDateTime64(${sqlText(`${day} 00:00:00.000000`)}, 6, 'UTC')`
}

function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10)
}
