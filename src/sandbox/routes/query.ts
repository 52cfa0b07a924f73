import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { QueryTimeout, runQuery } from '../query/run.ts'
import { QueryError } from '../query/translate.ts'
import { access } from './access.ts'
import { ApiError, invalid } from './api-error.ts'

const QUERY_TIMEOUT_MS = 30_000

const QueryBody = z.object({ query: z.looseObject({ kind: z.string() }) })
const HogQLBody = z.object({ query: z.object({ query: z.string() }) })

/** The query endpoint. */
export function queryRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const allow = access(context)
  const answer = async (c: Context<NodeEnv>) => {
    const body: unknown = await c.req.json().catch(() => undefined)
    const asked = QueryBody.safeParse(body)
    if (!asked.success) throw invalid('This field is required.', 'query', 'required')
    const { kind } = asked.data.query
    try {
      if (kind !== 'HogQLQuery') throw invalid(`Unsupported query kind: ${kind}`, 'query')
      return c.json(await hogql(body, context))
    } catch (error) {
      if (error instanceof QueryError) throw invalid(error.message)
      if (!(error instanceof QueryTimeout)) throw error
      throw new ApiError(504, { type: 'server_error', code: 'timeout', detail: error.message })
    }
  }
  app.post('/api/projects/:id/query', allow('query:read'), answer)
}

async function hogql(body: unknown, { store }: SandboxContext): Promise<object> {
  const asked = HogQLBody.safeParse(body)
  if (!asked.success) throw invalid('This field is required.', 'query', 'required')
  const { query } = asked.data.query
  const table = await runQuery(store, query, { capped: true, timeoutMs: QUERY_TIMEOUT_MS })
  return { ...table, query, hogql: query, is_cached: false, error: null }
}
