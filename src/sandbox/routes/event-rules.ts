import type { Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { eventFilter } from '../options.ts'
import { transformationId } from '../pipeline/transform.ts'
import { access } from './access.ts'
import { invalid, offsetPage } from './api-error.ts'

const PROJECT = '/api/projects/:id'
const ID = '00000000-0000-4000-8000-0000000000'

/** What drops or changes events, as the project API tells it; the event filter can be set, too. */
export function eventRuleRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { eventRules: rules } = context
  const allow = access(context)
  app.get(`${PROJECT}/event_filter`, allow('event_filter:read'), (c) =>
    rules.filter ? c.json({ id: `${ID}10`, ...rules.filter, test_cases: [] }) : c.body(null, 204),
  )
  app.post(`${PROJECT}/event_filter`, allow('event_filter:write'), async (c) => {
    const before = rules.filter ?? { mode: 'disabled', filter_tree: null }
    const asked = eventFilter.safeParse({ ...before, ...(await c.req.json().catch(() => ({ mode: null }))) })
    if (!asked.success) throw invalid('The filter is not valid.', 'filter_tree')
    rules.filter = asked.data
    return c.json({ id: `${ID}10`, ...asked.data, test_cases: [] })
  })
  app.get(`${PROJECT}/event_ingestion_restrictions`, allow('project:read'), (c) =>
    c.json(
      (rules.restrictions ?? []).map((one) => ({
        ...{ distinct_ids: [], session_ids: [], event_names: [], event_uuids: [], pipelines: ['analytics'] },
        ...one,
      })),
    ),
  )
  app.get(`${PROJECT}/event_definitions`, allow('event_definition:read'), (c) => {
    const names = Object.keys(rules.enforced ?? {})
    const all = names.map((name, n) => ({ id: `${ID}2${n}`, name, enforcement_mode: 'reject' }))
    return c.json(offsetPage(c, all))
  })
  app.get(`${PROJECT}/hog_functions`, allow('hog_function:read'), (c) => {
    const all = (rules.transformations ?? []).map(({ inputs: _, ...one }, n) => ({
      ...{ id: transformationId(n), type: 'transformation', execution_order: n + 1 },
      ...{ enabled: true, template: null, filters: {} },
      ...one,
    }))
    return c.json(offsetPage(c, all))
  })
}
