import { UNPARSEABLE } from '../record/index.ts'
import { sqlText } from './query.ts'

/**
 * By what a query tells imports apart. An import marks its events with `$import_job_id` and `analytics_source`, posthaul's and
 * PostHog's own managed migrations alike; live events have neither. Queries don't see `historical_migration`.
 */
export interface Family {
  /** The vendor whose preset made the events, as `analytics_source` has it. */
  readonly vendor: string
}

export interface OwnImport extends Family {
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
 * datasets by which one was cut, have ids of their own. Whether that would merge only the events themselves can tell.
 */
export function ofOtherImports(own: OwnImport): string {
  const ids = ofIds(own)
  const family = [own.vendor, MADE_HERE].map(sqlText).join(', ')
  return [
    `(${markText('$import_job_id')} != '' OR ${markText('analytics_source')} != '')`,
    `NOT (${markText('$lib')} = 'posthaul' AND ${markText('analytics_source')} IN (${family}))`,
    ...(ids === undefined ? [] : [`NOT (${ids})`]),
  ].join(' AND ')
}

/** The condition for events whose properties, or some of them, the service keeps as one text. */
export const UNREADABLE = `${markText(UNPARSEABLE)} != ''`

/**
 * The condition for events whose text of all properties names one of these ids, as JSON does: a short id alone is in many
 * texts, and undo deletes by this. The quotes of the text may come escaped.
 */
export function ofIdsInText(importIds: readonly string[]): string {
  const ids = importIds.map((id) =>
    JSON.stringify(id)
      .slice(1, -1)
      .replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  )
  const pattern = String.raw`[$]import_job_id[\\]*" *: *[\\]*"(?:${ids.join('|')})[\\]*"`
  return `match(${markText(UNPARSEABLE)}, ${sqlText(pattern)})`
}

/** A property as text; empty where an event has none. */
export function markText(property: string): string {
  return `ifNull(toString(properties.${property}), '')`
}
