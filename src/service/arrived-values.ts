import { z } from 'zod'
import type { Api } from './api.ts'
import { ServiceError } from './errors.ts'
import { type EventFilter, sqlWhere } from './event-filter.ts'
import { MAX_ROWS, readRows, runQuery, sqlText, sqlUtc } from './query.ts'

/** An event as the service stores it. */
export interface ArrivedValues {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** In UTC: `2024-03-01 12:34:56.789`, with up to six decimals. */
  readonly timestamp: string
  /** JSON text. */
  readonly properties: string
  /** Its column for clicked elements. */
  readonly elementsChain: string
}

const row = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.string().nullable()])
const WHAT = 'the values of events'

/**
 * The events of some days with these uuids. Copies that the service has not merged yet are there several times. If it is
 * too much for one query, each half is asked for. The uuids are compared as text: for a uuid that holds a time, the
 * service looks only at events of about that time.
 */
export async function arrivedValues(
  api: Api,
  projectId: string,
  filter: EventFilter,
  uuids: readonly string[],
): Promise<readonly ArrivedValues[]> {
  const query =
    `SELECT toString(uuid), event, distinct_id, ${sqlUtc('timestamp')}, properties, elements_chain FROM events ` +
    `WHERE ${sqlWhere(filter)} AND toString(uuid) IN (${uuids.map(sqlText).join(', ')}) LIMIT ${MAX_ROWS}`
  try {
    const page = await runQuery(api, projectId, query, WHAT, uuids.length > 1)
    return readRows(api, page, row, WHAT).map(
      ([uuid, event, distinctId, timestamp, properties, elementsChain]) => {
        return { uuid, event, distinctId, timestamp, properties, elementsChain: elementsChain ?? '' }
      },
    )
  } catch (error) {
    if (!(error instanceof ServiceError && error.heavy) || uuids.length < 2) throw error
    const middle = Math.ceil(uuids.length / 2)
    return [
      ...(await arrivedValues(api, projectId, filter, uuids.slice(0, middle))),
      ...(await arrivedValues(api, projectId, filter, uuids.slice(middle))),
    ]
  }
}
