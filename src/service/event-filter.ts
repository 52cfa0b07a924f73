import { z } from 'zod'
import { instantsOf, type MergeKey } from '../record/merging.ts'
import { trialIdOf } from '../record/notes.ts'
import { UNPARSEABLE } from '../record/stored-properties.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import { MS_PER_DAY } from '../text/units.ts'
import type { AskedProject } from './api.ts'
import { askRows, countCell, dayCell, MAX_ROWS, sqlText, sqlUtc, timeCell } from './query.ts'

/** Which of the project's events a query is about: whole UTC days, `first` and `last` included. */
export interface EventFilter {
  readonly first: string
  readonly last: string
  /** The values of `$import_job_id` that tell an import's events apart; null for all events. */
  readonly importIds: readonly string[] | null
  /** Those too whose id is in a text of all their properties, `$unparseable_properties`: it costs as much again. */
  readonly unreadable?: boolean
  /** Events of these names only. */
  readonly names?: readonly string[] | undefined
  /** A share of the events, when all are too much for one query. */
  readonly share?: Share
}

/** The events whose uuid's two halves, added, leave the remainder `part` when divided by `of`. */
interface Share {
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
  return instant(`${day} 00:00:00.000000`)
}

function instant(text: string): string {
  return `toDateTime64(${sqlText(text)}, 6, 'UTC')`
}

/** The day so many days after another. */
export function plusDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10)
}

/**
 * By what a query tells imports apart. An import marks its events with `$import_job_id` and `analytics_source`, posthaul's and
 * PostHog's own managed migrations alike; live events have neither. Queries don't see `historical_migration`.
 */
export interface OwnImport {
  /** The vendor whose preset made the events, as `analytics_source` has it. */
  readonly vendor: string
  /** The values of `$import_job_id` in its events; null where they can't be told by it. */
  readonly importIds: readonly string[] | null
}

/** What posthaul writes into `analytics_source` of the events that it makes itself: group types, persons put right. */
const MADE_HERE = 'posthaul'

/** The condition for events that carry one of the import's ids; undefined where it has none. */
export function ofIds({ importIds }: Pick<OwnImport, 'importIds'>): string | undefined {
  if (importIds === null || importIds.length === 0) return undefined
  return `${markText('$import_job_id')} IN (${importIds.map(sqlText).join(', ')})`
}

/**
 * The condition for events of another import. What posthaul sent by the same preset is none: the windows of a migration, and
 * datasets by which one was cut, have ids of their own. Whether that would merge only the events themselves can tell. A trial
 * of this import is another one.
 */
export function ofOtherImports(own: OwnImport): string {
  const ids = ofIds(own)
  const trials = ofIds({ importIds: own.importIds?.map(trialIdOf) ?? null })
  const family = [own.vendor, MADE_HERE].map(sqlText).join(', ')
  const job = markText('$import_job_id')
  // An event that had a $lib before keeps it. It has the preset's id, or that of a window of a migration.
  const preset = `${job} = ${sqlText(uuidV5(POSTHAUL_NAMESPACE, own.vendor))} OR startsWith(${job}, 'posthaul-')`
  const others = [
    `(${job} != '' OR ${markText('analytics_source')} != '')`,
    `NOT ((${markText('$lib')} = 'posthaul' OR ${preset}) AND ${markText('analytics_source')} IN (${family}))`,
    ...(ids === undefined ? [] : [`NOT (${ids})`]),
  ].join(' AND ')
  return trials === undefined ? others : `(${others} OR ${trials})`
}

/** The condition for events whose properties, or some of them, the service keeps as one text. */
export const UNREADABLE = `${markText(UNPARSEABLE)} != ''`

/**
 * The condition for events whose text of all properties names one of these ids, as JSON does: a short id alone is in many
 * texts, and undo deletes by this. The quotes of the text may come escaped.
 */
function ofIdsInText(importIds: readonly string[]): string {
  const ids = importIds.map((id) =>
    JSON.stringify(id)
      .slice(1, -1)
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  const pattern = String.raw`[$]import_job_id[\\]*" *: *[\\]*"(?:${ids.join('|')})[\\]*"`
  return `match(${markText(UNPARSEABLE)}, ${sqlText(pattern)})`
}

/** A property as text; empty where an event has none. */
function markText(property: string): string {
  return `ifNull(toString(properties.${property}), '')`
}

const MOST_PLACES = 5
const placeRow = z.tuple([dayCell, z.string(), z.string(), z.string(), countCell])
const likeRow = z.tuple([z.string(), z.string(), z.string(), timeCell])
const OTHERS = "other imports' events"

/** Where another import's events are: by day, name and what marks them. */
export interface OtherPlace {
  readonly day: string
  readonly event: string
  /** Its `$import_job_id` and its `analytics_source`; empty where it has none. */
  readonly import_id: string
  readonly source: string
  readonly count: number
}

/** The days and names of which other imports have most events, the largest first. */
export async function placesOfOthers(
  project: AskedProject,
  filter: EventFilter,
  own: OwnImport,
): Promise<OtherPlace[]> {
  const query = placesQuery(filter, own)
  const rows = await askRows(project, { query, what: OTHERS, row: placeRow })
  return rows.map(([day, event, import_id, source, count]) => {
    return { day, event, import_id, source, count }
  })
}

/** The query of `placesOfOthers`. */
export function placesQuery(filter: EventFilter, own: OwnImport): string {
  return (
    `SELECT ${UTC_DAY} AS day, event, ${markText('$import_job_id')} AS job, ${markText('analytics_source')} AS source, ` +
    `count() AS events FROM events WHERE ${sqlWhere({ ...filter, importIds: null })} AND ${ofOtherImports(own)} ` +
    `GROUP BY day, event, job, source ORDER BY events DESC, day, event LIMIT ${MOST_PLACES}`
  )
}

/** What the project holds, on the days of some filters, under the uuids of these events, or of their names, persons and times. */
export async function eventsLike(
  project: AskedProject,
  filters: readonly EventFilter[],
  events: readonly MergeKey[],
): Promise<MergeKey[]> {
  const query = likeQuery(filters, events)
  const rows = await askRows(project, { query, what: OTHERS, row: likeRow })
  return rows.map(([uuid, event, distinctId, timestamp]) => {
    return { uuid, event, distinctId, timestamp }
  })
}

/** The query of `eventsLike`. The uuids are compared as text, as in `arrivedValues`. */
export function likeQuery(filters: readonly EventFilter[], events: readonly MergeKey[]): string {
  const anyOf = (texts: readonly string[]) => `IN (${[...new Set(texts)].join(', ')})`
  const times = events.flatMap(({ timestamp }) => instantsOf(timestamp)).map(instant)
  return (
    `SELECT toString(uuid), event, distinct_id, ${sqlUtc('timestamp')} FROM events ` +
    `WHERE (${filters.map((filter) => `(${sqlWhere(filter)})`).join(' OR ')}) ` +
    `AND (toString(uuid) ${anyOf(events.map(({ uuid }) => sqlText(uuid)))} ` +
    `OR (timestamp ${anyOf(times)} AND event ${anyOf(events.map(({ event }) => sqlText(event)))} ` +
    `AND distinct_id ${anyOf(events.map(({ distinctId }) => sqlText(distinctId)))})) LIMIT ${MAX_ROWS}`
  )
}
