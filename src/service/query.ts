import { z } from 'zod'
import type { Api } from './api.ts'
import { ServiceError, type Subject, shapeError } from './errors.ts'
import { cutPage, type Page } from './page.ts'

/** The most rows one query gives. */
export const MAX_ROWS = 50_000

/**
 * Runs a query and hands back its rows, each an array. `canShrink`: the asker has a smaller query at hand, so one that
 * is too much ends at once in a ServiceError that is `heavy`.
 */
export async function runQuery(
  api: Api,
  projectId: string,
  query: string,
  what: string,
  canShrink = false,
): Promise<Page> {
  const subject: Subject = { what, scope: 'query:read', projectId }
  const body = { query: { kind: 'HogQLQuery', query }, refresh: 'force_blocking' }
  const answer = await api.query(`/api/projects/${projectId}/query/`, body, subject, canShrink)
  try {
    return cutPage(answer.bytes)
  } catch (error) {
    if (error instanceof RangeError) throw shapeError(api.origin, what, error.message)
    throw error
  }
}

/** The query's rows through a schema; an unexpected shape names row and column. */
export function readRows<T>(api: Api, page: Page, row: z.ZodType<T>, what: string): T[] {
  return api.check(
    page.rows.map(({ value }) => value),
    z.array(row),
    what,
  )
}

/** True when the key may do everything but query, which leaves the list endpoints as the way. */
export function isQueryRefused(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || error.status === 404)
}
