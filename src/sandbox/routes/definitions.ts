import { type Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { eventNames, type Holder, propertyNames } from '../store/definitions.ts'
import { access } from './access.ts'
import { invalid } from './api-error.ts'
import { offsetPage } from './offset-page.ts'

const HOLDERS: readonly Holder[] = ['event', 'person', 'group']

/** The names of events and properties that the project has seen. */
export function definitionRoutes(context: SandboxContext): Hono<NodeEnv> {
  const { store } = context
  const routes = new Hono<NodeEnv>({ strict: false })
  const allow = access(context)
  const base = '/api/projects/:id'

  routes.get(`${base}/event_definitions`, allow('event_definition:read'), async (c) =>
    c.json(offsetPage(c, (await eventNames(store)).filter(searched(c)))),
  )
  routes.get(`${base}/property_definitions`, allow('property_definition:read'), async (c) => {
    const { type = 'event', group_type_index: index } = c.req.query()
    const holder = HOLDERS.find((one) => one === type)
    if (!holder) throw invalid(`"${type}" is not a valid choice.`, 'type', 'invalid_choice')
    if (holder === 'group' && !/^[0-4]$/.test(index ?? '')) {
      throw invalid('`group_type_index` must be set for the type group', 'group_type_index')
    }
    const names = await propertyNames(store, holder, Number(index ?? 0))
    return c.json(offsetPage(c, names.filter(searched(c))))
  })
  return routes
}

/** A test for definitions whose name contains what the request searches for. */
function searched(c: Context<NodeEnv>): (definition: { readonly name: string }) => boolean {
  const search = c.req.query('search')?.toLowerCase() ?? ''
  return ({ name }) => name.toLowerCase().includes(search)
}
