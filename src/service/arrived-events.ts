import { z } from 'zod'
import { groupedBy } from '../text/lists.ts'
import { MS_PER_DAY } from '../text/units.ts'
import type { AskedProject } from './api.ts'
import { type EventFilter, sqlWhere } from './event-filter.ts'
import { askRows, countCell, inShares, MAX_ROWS, sqlText, sqlUtc, timeCell } from './query.ts'

const row = z.tuple([z.string()])
const WHAT = 'the events that have arrived'

/** An event that is looked for: its UTC day and name let the service find the uuid without a search of all events. */
export interface Wanted {
  readonly day: string
  readonly event: string
  readonly uuid: string
}

/** The uuids of those events that the project holds. */
export async function arrivedEvents(
  project: AskedProject,
  wanted: readonly Wanted[],
): Promise<ReadonlySet<string>> {
  const places = groupedBy(wanted, ({ day, event }) => JSON.stringify([day, event]))
  const conditions = [...places.values()].map((some) => {
    const { day, event } = some[0]!
    const uuids = some.map(({ uuid }) => sqlText(uuid)).join(', ')
    return (
      `(timestamp >= ${midnight(Date.parse(day))} AND timestamp < ${midnight(Date.parse(day) + MS_PER_DAY)} ` +
      `AND event = ${sqlText(event)} AND toString(uuid) IN (${uuids}))`
    )
  })
  const query = `SELECT DISTINCT toString(uuid) FROM events WHERE ${conditions.join(' OR ')} LIMIT ${wanted.length}`
  const rows = await askRows(project, { query, what: WHAT, row })
  return new Set(rows.map(([uuid]) => uuid))
}

function midnight(ms: number): string {
  const text = new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  return `toDateTime64(${sqlText(`${text}.000000`)}, 6, 'UTC')`
}

/** An event as the service stores it. */
export interface ArrivedValues {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** JSON text. */
  readonly properties: string
  /** In UTC: `2024-03-01 12:34:56.789`, with up to six decimals. */
  readonly timestamp: string
  /** Its column for clicked elements. */
  readonly elementsChain: string
  /** For how many days the service has had it. */
  readonly ageDays: number
}

const text = z.string()
const valueRow = z.tuple([text, text, text, timeCell, text, text.nullable(), countCell])

/**
 * The events of some days with these uuids. Copies that the service has not merged yet are there several times. The uuids are
 * compared as text: for a uuid that holds a time, the service looks only at events of about that time.
 */
export function arrivedValues(
  project: AskedProject,
  filter: EventFilter,
  uuids: readonly string[],
): Promise<readonly ArrivedValues[]> {
  const what = 'the values of events'
  return inShares(uuids, uuids.length, async (some, canShrink) => {
    const query =
      `SELECT toString(uuid), event, distinct_id, ${sqlUtc('timestamp')}, properties, elements_chain, ` +
      "dateDiff('day', created_at, now()) FROM events " +
      `WHERE ${sqlWhere(filter)} AND toString(uuid) IN (${some.map(sqlText).join(', ')}) LIMIT ${MAX_ROWS}`
    const rows = await askRows(project, { query, what, row: valueRow, canShrink })
    return rows.map(([uuid, event, distinctId, timestamp, properties, elementsChain, ageDays]) => {
      return { uuid, event, distinctId, timestamp, properties, elementsChain: elementsChain ?? '', ageDays }
    })
  })
}
