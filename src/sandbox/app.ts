import { Hono } from 'hono'
import type { NodeEnv, SandboxContext } from './context.ts'
import { ApiError, notFound, sendApiError } from './routes/api-error.ts'
import { captureRoutes } from './routes/capture.ts'
import { groupRoutes } from './routes/groups.ts'
import { projectRoutes } from './routes/projects.ts'

/** The sandbox's routes: ingestion and project API on one address. */
export function buildApp(context: SandboxContext): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>({ strict: false })
  app.route('/', captureRoutes(context))
  app.route('/', groupRoutes(context))
  app.route('/', projectRoutes(context))
  app.notFound((c) => sendApiError(c, notFound('Endpoint not found.')))
  app.onError((error, c) => {
    if (error instanceof ApiError) return sendApiError(c, error)
    // The first line only: a stack is of no use to a client, and the store's errors quote whole rows.
    const detail = `service unavailable: ${error.message.split('\n')[0]}`
    return c.text(detail, 503)
  })
  return app
}
