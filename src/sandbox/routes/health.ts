import type { Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { METERS, type Meter } from '../faults/fault.ts'
import { warningRows } from '../warnings.ts'
import { access } from './access.ts'
import { invalid } from './api-error.ts'

const DAY_MS = 86_400_000

/** What the service calls the meters. */
const RESOURCES: Readonly<Record<Meter, string>> = {
  events: 'events',
  exceptions: 'exceptions',
  surveys: 'survey_responses',
  ai: 'llm_events',
}

/** What became of events that are not stored as they came, and what is left of the project's quotas. */
export function healthRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store, meters, dialect, now } = context
  const allow = access(context)
  if (dialect.ingestionWarnings !== 'absent') {
    app.get('/api/projects/:id/ingestion_warnings_v2', allow('ingestion_warning:read'), async (c) => {
      const { since } = c.req.query()
      const from = since === undefined ? now() - DAY_MS : Date.parse(since)
      if (Number.isNaN(from)) throw invalid('Enter a valid time.', 'since')
      return c.json(warningRows(await store.warnings(), from))
    })
  }
  if (dialect.quotaLimits !== 'absent') {
    app.get('/api/projects/:id/quota_limits', allow('project:read'), (c) => {
      const over = context.dice.overQuota(store.stored)
      const limited = METERS.map((meter) => {
        const standing = meters.standing(meter)
        // A fault has no limit of its own: what was taken so far is the quota.
        const struck = over.has(meter) && { limited: true, limit: standing.limit ?? standing.usage }
        return [RESOURCES[meter], { ...standing, ...struck }] as const
      })
      return c.json({ limited: Object.fromEntries(limited), code_usage_billing_active: false })
    })
  }
}
