import type { Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { METERS, type Meter } from '../faults/fault.ts'
import { type WarningFilter, warningRows } from '../warnings.ts'
import { access } from './access.ts'
import { invalid } from './api-error.ts'

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

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
  if (dialect.ingestionWarnings === 'current') {
    app.get('/api/projects/:id/ingestion_warnings_v2', allow('ingestion_warning:read'), async (c) =>
      c.json(warningRows(await store.warnings(), filterOf(c, now()))),
    )
  }
  if (dialect.quotaLimits === 'current') {
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

function filterOf(c: Context<NodeEnv>, now: number): WarningFilter {
  const { category, type, severity, q, since = '-24h', until, order_by: orderBy = 'count' } = c.req.query()
  if (orderBy !== 'count' && orderBy !== 'last_seen') {
    throw invalid(`"${orderBy}" is not a valid choice.`, 'order_by', 'invalid_choice')
  }
  return {
    category,
    type,
    severity,
    q,
    since: timeOf(since, 'since', now),
    until: until === undefined ? now : timeOf(until, 'until', now),
    orderBy,
    limit: within(c, 'limit', 500, 100),
    samples: within(c, 'samples', 50, 5),
  }
}

/** A time as ISO text, or back from now: `-24h`. */
function timeOf(text: string, attr: string, now: number): number {
  const [, many, unit] = /^-(\d+)([mhdw])$/.exec(text) ?? []
  const at = many === undefined ? Date.parse(text) : now - Number(many) * UNITS[unit!]!
  if (Number.isNaN(at)) throw invalid('Enter a valid time.', attr)
  return at
}

function within(c: Context<NodeEnv>, attr: string, most: number, otherwise: number): number {
  const value = Number(c.req.query(attr) ?? otherwise)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw invalid(`Ensure this value is from 1 to ${most}.`, attr)
}
