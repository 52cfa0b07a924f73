import type { Hono } from 'hono'
import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import { type NodeEnv, ORGANIZATION, type SandboxContext } from '../context.ts'
import { DELETION_STEPS } from '../deletion-requests.ts'
import { FaultDice } from '../faults/dice.ts'
import { eventFilter } from '../options.ts'
import { transformationId } from '../pipeline/transform.ts'
import { QueryTimeout, runQuery } from '../query/run.ts'
import { QueryError } from '../query/translate.ts'
import { warningRows } from '../warnings.ts'
import { access, findKey } from './access.ts'
import { ApiError, invalid, offsetPage } from './api-error.ts'

const PROJECT = '00000000-0000-4000-8000-000000000002'
/** Of a project whose retention is not enforced. */
const DEFAULT_MONTHS = 84

/** What the key may see: one project. */
export function accountRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store, projectId, projectKey, timeZone, retentionMonths } = context
  const allow = access(context)
  const project = async () => ({
    id: projectId,
    uuid: PROJECT,
    organization: ORGANIZATION,
    api_token: projectKey,
    name: 'Sandbox',
    completed_snippet_onboarding: false,
    has_completed_onboarding_for: null,
    ingested_event: await store.hasEvents(),
    is_demo: false,
    timezone: timeZone,
    week_start_day: null,
    access_control: false,
    event_retention_months: retentionMonths ?? DEFAULT_MONTHS,
    events_retention_enforced: retentionMonths !== undefined,
  })
  app.get('/api/projects', allow('project:read'), async (c) => {
    const { organizations = [] } = findKey(c.req.header('authorization'), context)
    const isSeen = organizations.length === 0 || organizations.includes(ORGANIZATION)
    return c.json(offsetPage(c, isSeen ? [await project()] : []))
  })
  app.get('/api/projects/:id', allow('project:read'), async (c) => c.json(await project()))
  if (context.dialect.currentKey !== 'absent') {
    app.get('/api/personal_api_keys/@current', allow(), (c) => {
      const { scopes, projects = [], organizations = [] } = findKey(c.req.header('authorization'), context)
      return c.json({ label: 'Sandbox', scopes, scoped_teams: projects, scoped_organizations: organizations })
    })
  }
}

const DAY_MS = 86_400_000

/** What became of events that are not stored as they came, and what is left of the project's quotas. */
export function healthRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store, quota, dialect, now } = context
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
      const { standing } = quota
      const isStruck = context.dice.isOverQuota(store.stored)
      // A fault has no limit of its own: what was taken so far is the quota.
      const struck = isStruck && { limited: true, limit: standing.limit ?? standing.usage }
      return c.json({ limited: { events: { ...standing, ...struck } }, code_usage_billing_active: false })
    })
  }
}

const BASE = '/api/projects/:id'
const ID = '00000000-0000-4000-8000-0000000000'

/** What drops or changes events, as the project API tells it; the event filter can be set, too. */
export function eventRuleRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { eventRules: rules } = context
  const allow = access(context)
  app.get(`${BASE}/event_filter`, allow('event_filter:read'), (c) =>
    rules.filter ? c.json({ id: `${ID}10`, ...rules.filter, test_cases: [] }) : c.body(null, 204),
  )
  app.post(`${BASE}/event_filter`, allow('event_filter:write'), async (c) => {
    const before = rules.filter ?? { mode: 'disabled', filter_tree: null }
    const asked = eventFilter.safeParse({ ...before, ...(await c.req.json().catch(() => ({ mode: null }))) })
    if (!asked.success) throw invalid('The filter is not valid.', 'filter_tree')
    rules.filter = asked.data
    return c.json({ id: `${ID}10`, ...asked.data, test_cases: [] })
  })
  app.get(`${BASE}/event_ingestion_restrictions`, allow('project:read'), (c) =>
    c.json(
      (rules.restrictions ?? []).map((one) => ({
        ...{ distinct_ids: [], session_ids: [], event_names: [], event_uuids: [], pipelines: ['analytics'] },
        ...one,
      })),
    ),
  )
  app.get(`${BASE}/event_definitions`, allow('event_definition:read'), (c) => {
    const names = Object.keys(rules.enforced ?? {})
    const all = names.map((name, n) => ({ id: `${ID}2${n}`, name, enforcement_mode: 'reject' }))
    return c.json(offsetPage(c, all))
  })
  app.get(`${BASE}/hog_functions`, allow('hog_function:read'), (c) => {
    const all = (rules.transformations ?? []).map(({ inputs: _, ...one }, n) => ({
      ...{ id: transformationId(n), type: 'transformation', execution_order: n + 1 },
      ...{ enabled: true, template: null, filters: {} },
      ...one,
    }))
    return c.json(offsetPage(c, all))
  })
}

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

const Orders = z.strictObject({
  /** Faults in the form of `--fault`; they replace those that were set. */
  faults: z.array(z.string()).optional(),
  seed: z.int().nonnegative().optional(),
  /** Moves the clock on by this number of seconds. */
  advance: z.number().nonnegative().optional(),
  /** Moves all requests for deletion on that can take this step. */
  deletions: z.enum(DELETION_STEPS).optional(),
})

/** What the service has not: orders to the sandbox itself. The key that may do everything gives them. */
export function adminRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  app.post('/_sandbox', access(context)('*'), async (c) => {
    const orders = Orders.safeParse(await c.req.json().catch(() => undefined))
    if (!orders.success)
      throw invalid('Give JSON with faults, seed, advance (seconds) or deletions (a step).')
    const { faults, seed, advance, deletions } = orders.data
    try {
      if (faults) context.dice = new FaultDice(faults, seed ?? 1)
    } catch (error) {
      if (error instanceof PosthaulError) throw invalid(error.message, 'faults')
      throw error
    }
    if (advance !== undefined) context.advance(advance * 1000)
    if (deletions !== undefined) await context.deletions.move(deletions)
    return c.json({ now: new Date(context.now()).toISOString() })
  })
}
