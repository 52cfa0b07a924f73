import { z } from 'zod'
import type { Api } from './api.ts'
import { ServiceError } from './errors.ts'
import { type EventFilter, sqlWhere, thirds } from './event-filter.ts'
import { assertOnward, MAX_ROWS, readRows, runQuery, sqlText } from './query.ts'

/** What tells an event apart from the others of its day. */
export interface ArrivedId {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
}

const row = z.tuple([z.string(), z.string(), z.string()])
const WHAT = 'the ids of events'

/**
 * The ids of the events of one day, each once, in pages. A page begins after the last id of the one before, so that
 * events which arrive meanwhile shift nothing. A query that is too much is asked in shares.
 */
export async function* arrivedIds(
  api: Api,
  projectId: string,
  filter: EventFilter,
  pageRows = MAX_ROWS,
): AsyncGenerator<readonly ArrivedId[]> {
  let after: ArrivedId | undefined
  for (;;) {
    const shares = after ? undefined : thirds(filter)
    let page: readonly ArrivedId[]
    try {
      page = await ask(api, projectId, filter, after, pageRows, shares !== undefined)
    } catch (error) {
      if (!(error instanceof ServiceError && error.heavy) || !shares) throw error
      for (const share of shares) yield* arrivedIds(api, projectId, share, pageRows)
      return
    }
    assertOnward(api, WHAT, after, page.at(-1))
    if (page.length > 0) yield page
    if (page.length < pageRows) return
    after = page.at(-1)!
  }
}

async function ask(
  api: Api,
  projectId: string,
  filter: EventFilter,
  after: ArrivedId | undefined,
  limit: number,
  canShrink: boolean,
): Promise<readonly ArrivedId[]> {
  const query =
    `SELECT DISTINCT toString(uuid) AS id, distinct_id, event FROM events WHERE ${sqlWhere(filter)}` +
    `${after ? ` AND ${sqlAfter(after)}` : ''} ORDER BY id, distinct_id, event LIMIT ${limit}`
  const rows = readRows(api, await runQuery(api, projectId, query, WHAT, canShrink), row, WHAT)
  return rows.map(([uuid, distinctId, event]) => ({ uuid, event, distinctId }))
}

function sqlAfter({ uuid, distinctId, event }: ArrivedId): string {
  const [u, d, e] = [uuid, distinctId, event].map(sqlText)
  return (
    `(toString(uuid) > ${u} OR (toString(uuid) = ${u} AND ` +
    `(distinct_id > ${d} OR (distinct_id = ${d} AND event > ${e}))))`
  )
}
