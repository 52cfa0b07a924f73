import { Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { QueryTimeout, runQuery } from '../query/run.ts'
import { QueryError } from '../query/tokens.ts'
import { access } from './access.ts'
import { ApiError, invalid } from './api-error.ts'

const QUERY_TIMEOUT_MS = 30_000

const QueryBody = z.object({
  query: z.object({ kind: z.string(), query: z.string() }),
})

/** The list of projects and the query endpoint. */
export function projectRoutes(context: SandboxContext): Hono<NodeEnv> {
  const { store, projectId, projectKey, timeZone } = context
  const routes = new Hono<NodeEnv>({ strict: false })
  const allow = access(context)
  const project = {
    id: projectId,
    organization: '00000000-0000-4000-8000-000000000001',
    name: 'Sandbox',
    api_token: projectKey,
    timezone: timeZone,
  }

  routes.get('/api/projects', allow('project:read'), (c) =>
    c.json({ count: 1, next: null, previous: null, results: [project] }),
  )
  routes.get('/api/projects/:id', allow('project:read'), (c) => c.json(project))

  routes.post('/api/projects/:id/query', allow('query:read'), async (c) => {
    const body = QueryBody.safeParse(await c.req.json().catch(() => undefined))
    if (!body.success) throw invalid('This field is required.', 'query', 'required')
    const { kind, query } = body.data.query
    if (kind !== 'HogQLQuery') throw invalid(`Unsupported query kind: ${kind}`, 'query')
    try {
      const answer = await runQuery(store, query, { capped: true, timeoutMs: QUERY_TIMEOUT_MS })
      return c.json({ ...answer, query, hogql: query, is_cached: false, error: null })
    } catch (error) {
      if (error instanceof QueryError) throw invalid(error.message)
      if (!(error instanceof QueryTimeout)) throw error
      throw new ApiError(504, { type: 'server_error', code: 'timeout', detail: error.message })
    }
  })
  return routes
}
