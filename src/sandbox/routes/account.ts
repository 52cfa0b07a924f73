import type { Hono } from 'hono'
import { type NodeEnv, ORGANIZATION, type SandboxContext } from '../context.ts'
import { access, findKey } from './access.ts'
import { offsetPage } from './api-error.ts'

const PROJECT = '00000000-0000-4000-8000-000000000002'
/** Of a project whose retention is not enforced. */
const DEFAULT_MONTHS = 84
const USER = '00000000-0000-4000-8000-000000000003'

/** Who the key belongs to, and what it may see: one user, one project. */
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
  app.get('/api/users/@me', allow('user:read'), async (c) =>
    c.json({
      uuid: USER,
      distinct_id: 'sandbox',
      first_name: 'Sandbox',
      last_name: '',
      email: 'sandbox@example.com',
      is_email_verified: null,
      is_staff: false,
      team: { ...(await project()), project_id: projectId },
    }),
  )
}
