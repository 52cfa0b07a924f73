import type { Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { isoTime } from '../query/run.ts'
import type { EventStore } from '../store/store.ts'
import { access } from './access.ts'
import { invalid, offsetPage } from './api-error.ts'

/** What has properties. */
export type Holder = 'event' | 'person' | 'group'

const ROWS: Readonly<Record<Holder, string>> = {
  event: 'SELECT properties FROM events',
  person: 'SELECT properties FROM persons',
  group: 'SELECT properties FROM groups WHERE index = ',
}

/** The names of all events, in their order. */
export async function eventNames(store: EventStore) {
  const rows = await store.definitionRows(
    `SELECT event, CAST(md5('event:' || event) AS UUID), epoch_us(min(created_at)), epoch_us(max(timestamp))
     FROM events GROUP BY event ORDER BY event`,
  )
  return rows.map(([name, id, created, seen]) => ({
    id: String(id),
    name: String(name),
    created_at: isoTime(BigInt(String(created))),
    last_seen_at: isoTime(BigInt(String(seen))),
    tags: [],
  }))
}

/** The names and types of all properties of events, of persons or of the groups of a type. */
async function propertyNames(store: EventStore, holder: Holder, groupType: number) {
  const from = `${ROWS[holder]}${holder === 'group' ? groupType : ''}`
  const rows = await store.definitionRows(
    `WITH names AS (SELECT properties, unnest(json_keys(properties)) AS name FROM (${from})),
     kinds AS (
       SELECT name, list(DISTINCT json_type(properties, '/' || replace(replace(name, '~', '~0'), '/', '~1'))) AS kinds
       FROM names GROUP BY name
     )
     SELECT name, CAST(md5('${holder}:' || name) AS UUID), CASE
       WHEN list_has_all(['VARCHAR', 'NULL'], kinds) THEN 'String'
       WHEN list_has_all(['BOOLEAN', 'NULL'], kinds) THEN 'Boolean'
       WHEN list_has_all(['UBIGINT', 'BIGINT', 'DOUBLE', 'NULL'], kinds) THEN 'Numeric' END
     FROM kinds ORDER BY name`,
    holder === 'event' ? [] : [holder === 'person' ? 'persons' : 'groups'],
  )
  return rows.map(([name, id, type]) => ({
    id: String(id),
    name: String(name),
    is_numerical: type === 'Numeric',
    property_type: type === null ? null : String(type),
    tags: [],
  }))
}

const HOLDERS: readonly Holder[] = ['event', 'person', 'group']

/** The names of events and properties that the project has seen. */
export function definitionRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store } = context
  const allow = access(context)
  const base = '/api/projects/:id'

  app.get(`${base}/event_definitions`, allow('event_definition:read'), async (c) =>
    c.json(offsetPage(c, (await eventNames(store)).filter(searched(c)))),
  )
  app.get(`${base}/property_definitions`, allow('property_definition:read'), async (c) => {
    const { type = 'event', group_type_index: index } = c.req.query()
    const holder = HOLDERS.find((one) => one === type)
    if (!holder) throw invalid(`"${type}" is not a valid choice.`, 'type', 'invalid_choice')
    if (holder === 'group' && !/^[0-4]$/.test(index ?? '')) {
      throw invalid('`group_type_index` must be set for the type group', 'group_type_index')
    }
    const names = await propertyNames(store, holder, Number(index ?? 0))
    return c.json(offsetPage(c, names.filter(searched(c))))
  })
}

/** A test for definitions whose name contains what the request searches for. */
function searched(c: Context<NodeEnv>): (definition: { readonly name: string }) => boolean {
  const search = c.req.query('search')?.toLowerCase() ?? ''
  return ({ name }) => name.toLowerCase().includes(search)
}
