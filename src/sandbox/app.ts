import { Hono } from 'hono'
import type { NodeEnv, SandboxContext } from './context.ts'
import { accountRoutes } from './routes/account.ts'
import { adminRoutes } from './routes/admin.ts'
import { ApiError, notFound, sendApiError, serverError } from './routes/api-error.ts'
import { browserRoutes } from './routes/browser.ts'
import { captureRoutes } from './routes/capture.ts'
import { captureV1Routes } from './routes/capture-v1.ts'
import { definitionRoutes } from './routes/definitions.ts'
import { deletionRoutes } from './routes/deletions.ts'
import { downloadRoutes } from './routes/downloads.ts'
import { groupRoutes } from './routes/groups.ts'
import { healthRoutes } from './routes/health.ts'
import { queryRoutes } from './routes/query.ts'

/** The sandbox's routes: ingestion and project API on one address. */
export function buildApp(context: SandboxContext): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>({ strict: false })
  app.route('/', captureRoutes(context))
  app.route('/', captureV1Routes(context))
  app.route('/', browserRoutes(context))
  app.route('/', groupRoutes(context))
  app.route('/', accountRoutes(context))
  app.route('/', definitionRoutes(context))
  app.route('/', healthRoutes(context))
  app.route('/', queryRoutes(context))
  app.route('/', downloadRoutes(context))
  app.route('/', deletionRoutes(context))
  app.route('/', adminRoutes(context))
  app.notFound((c) => {
    const { method, path } = c.req
    const exists = ['GET', 'POST'].some((other) => app.router.match(other, path)[0].length > 0)
    return sendApiError(c, exists ? notAllowed(method) : notFound('Endpoint not found.'))
  })
  app.onError((error, c) => {
    if (error instanceof ApiError) return sendApiError(c, error)
    if (c.req.path.startsWith('/api/')) return sendApiError(c, serverError())
    // The first line only: a stack is of no use to a client, and the store's errors quote whole rows.
    const detail = `service unavailable: ${error.message.split('\n')[0]}`
    return c.text(detail, 503)
  })
  return app
}

function notAllowed(method: string): ApiError {
  const detail = `Method "${method}" not allowed.`
  return new ApiError(405, { type: 'invalid_request', code: 'method_not_allowed', detail })
}
