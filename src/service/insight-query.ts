import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { MS_PER_SECOND } from '../text/index.ts'
import type { Api } from './api.ts'
import type { AskedOf } from './errors.ts'

/** What an insight is asked of: who asks, and how an error names it, such as `the chart "people"`. */
export interface InsightCall {
  readonly api: Api
  readonly projectId: string
  readonly what: string
}

const POLL_MS = 2 * MS_PER_SECOND
/** Ten minutes: the service gives up its own queries sooner. */
const MOST_POLLS = 300

const rows = z.array(z.unknown())
// An answer can hold what went wrong beside the rows that it has all the same.
const nowSchema = z.object({ results: rows, error: z.string().nullish() })
// What comes later holds the whole answer, or its rows only.
const laterSchema = z.object({
  query_status: z.object({
    id: z.string().min(1),
    complete: z.boolean(),
    error: z.boolean().nullish(),
    error_message: z.string().nullish(),
    results: z.union([rows, nowSchema]).nullish(),
  }),
})

/**
 * Asks a TrendsQuery, FunnelsQuery or RetentionQuery, and returns its `results`, each read with `row`. It is computed anew:
 * an answer from the service's memory can be hours old. One that the service gives later (202) is waited for. Throws
 * ServiceError for a query that the service refuses.
 */
export async function askInsight<T>(call: InsightCall, query: object, row: z.ZodType<T>): Promise<T[]> {
  const { api, projectId, what } = call
  const subject: AskedOf = { what, scope: 'query:read', projectId, comesLater: true }
  const path = `/api/projects/${projectId}/query/`
  const first = await api.query(path, { query, refresh: 'force_blocking' }, subject, false)
  const results =
    first.status === 202
      ? await laterRows(call, path, subject, api.read(first, laterSchema, what).query_status.id)
      : wholeRows(call, api.read(first, nowSchema, what))
  return api.check(results, z.array(row), what)
}

function wholeRows({ api, what }: InsightCall, { results, error }: z.infer<typeof nowSchema>): unknown[] {
  if (error) throw failed(api, what, error)
  return results
}

async function laterRows(call: InsightCall, path: string, subject: AskedOf, id: string): Promise<unknown[]> {
  const { api, what } = call
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    await api.pause(POLL_MS)
    const answer = await api.get(`${path}${encodeURIComponent(id)}/`, subject)
    const {
      id: told,
      complete,
      error,
      error_message,
      results,
    } = api.read(answer, laterSchema, what).query_status
    if (told !== id) throw failed(api, what, 'the service tells how another query is doing')
    if (error) throw failed(api, what, error_message ?? 'the service does not say why')
    if (!complete) continue
    if (results) return Array.isArray(results) ? results : wholeRows(call, results)
    throw failed(api, what, 'the service says that it is done, and gives no answer')
  }
  throw failed(api, what, 'no answer came within ten minutes')
}

function failed(api: Api, what: string, why: string): PosthaulError {
  return new PosthaulError(`${api.origin}: ${what}: ${why}`, {
    code: 'unavailable',
    hint: 'run the same command again later: the answers that came are kept',
  })
}
