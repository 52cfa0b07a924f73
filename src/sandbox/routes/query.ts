import type { Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { QueryTimeout, runQuery } from '../query/run.ts'
import { QueryError } from '../query/translate.ts'
import { access } from './access.ts'
import { ApiError, invalid } from './api-error.ts'

const QUERY_TIMEOUT_MS = 30_000

const Body = z.object({ query: z.looseObject({ kind: z.string(), query: z.unknown() }) })

/** The query endpoint. */
export function queryRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  app.post('/api/projects/:id/query', access(context)('query:read'), async (c) => {
    const asked = Body.safeParse(await c.req.json().catch(() => undefined))
    if (!asked.success) throw invalid('This field is required.', 'query', 'required')
    const { kind, query } = asked.data.query
    if (kind !== 'HogQLQuery') throw invalid(`Unsupported query kind: ${kind}`, 'query')
    if (typeof query !== 'string') throw invalid('This field is required.', 'query', 'required')
    try {
      const table = await runQuery(context.store, query, { capped: true, timeoutMs: QUERY_TIMEOUT_MS })
      return c.json({ ...table, query, hogql: query, is_cached: false, error: null })
    } catch (error) {
      if (error instanceof QueryError) throw invalid(error.message)
      if (!(error instanceof QueryTimeout)) throw error
      throw new ApiError(504, { type: 'server_error', code: 'timeout', detail: error.message })
    }
  })
}
