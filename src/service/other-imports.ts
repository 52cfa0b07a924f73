import { z } from 'zod'
import type { MergeKey } from '../record/index.ts'
import type { Api } from './api.ts'
import { type EventFilter, sqlWhere, UTC_DAY } from './event-filter.ts'
import { markText, type OwnImport, ofOtherImports } from './import-marks.ts'
import { countCell, dayCell, MAX_ROWS, readRows, runQuery, sqlText, sqlUtc, timeCell } from './query.ts'

const MOST_PLACES = 5
const place = z.tuple([dayCell, z.string(), z.string(), z.string(), countCell])
const told = z.tuple([z.string(), z.string(), z.string(), timeCell])
const WHAT = "other imports' events"

/** The days and names of which other imports have most events, the largest first. */
export async function placesOfOthers(
  api: Api,
  projectId: string,
  filter: EventFilter,
  own: OwnImport,
): Promise<{ day: string; event: string; importId: string; source: string; count: number }[]> {
  const page = await runQuery(api, projectId, placesQuery(filter, own), WHAT)
  return readRows(api, page, place, WHAT).map(([day, event, importId, source, count]) => {
    return { day, event, importId, source, count }
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

/** What the project holds under these uuids, on the days of some filters. */
export async function eventsUnder(
  api: Api,
  projectId: string,
  filters: readonly EventFilter[],
  uuids: readonly string[],
): Promise<MergeKey[]> {
  const page = await runQuery(api, projectId, underQuery(filters, uuids), WHAT)
  return readRows(api, page, told, WHAT).map(([uuid, event, distinctId, timestamp]) => {
    return { uuid, event, distinctId, timestamp }
  })
}

/** The query of `eventsUnder`. The uuids are compared as text, as in `arrivedValues`. */
export function underQuery(filters: readonly EventFilter[], uuids: readonly string[]): string {
  return (
    `SELECT toString(uuid), event, distinct_id, ${sqlUtc('timestamp')} FROM events ` +
    `WHERE (${filters.map((filter) => `(${sqlWhere(filter)})`).join(' OR ')}) ` +
    `AND toString(uuid) IN (${uuids.map(sqlText).join(', ')}) LIMIT ${MAX_ROWS}`
  )
}
