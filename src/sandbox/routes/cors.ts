import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import type { NodeEnv } from '../context.ts'

/** Lets the pages of every origin send events, as the service does. */
export function anyOrigin(...allowMethods: readonly ('GET' | 'POST')[]): MiddlewareHandler<NodeEnv> {
  return cors({ origin: (origin) => origin, credentials: true, allowMethods: [...allowMethods, 'OPTIONS'] })
}
