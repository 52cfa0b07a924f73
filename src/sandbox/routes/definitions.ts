import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { DESCRIBED, Descriptions } from '../around/described.ts'
import { answered, fieldsOf, searched, tagList } from '../around/shelf.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { isoTime } from '../query/run.ts'
import type { EventStore } from '../store/store.ts'
import { access } from './access.ts'
import { invalid, notAllowed, notFound, offsetPage } from './api-error.ts'

/** What has properties. */
type Holder = 'event' | 'person' | 'group'

const ROWS: Readonly<Record<Holder, string>> = {
  event: 'SELECT properties FROM events',
  person: 'SELECT properties FROM persons',
  group: 'SELECT properties FROM groups WHERE index = ',
}

/** A definition as far as its name and its events tell. */
type Seen = {
  readonly id: string
  readonly name: string
}

/** The names of all events, in their order. */
async function eventNames(store: EventStore): Promise<Seen[]> {
  const rows = await store.definitionRows(
    `SELECT event, epoch_us(min(created_at)), epoch_us(max(timestamp)) FROM events GROUP BY event ORDER BY event`,
  )
  return rows.map(([name, created, seen]) => ({
    id: idOf('event', String(name)),
    name: String(name),
    created_at: isoTime(BigInt(String(created))),
    last_seen_at: isoTime(BigInt(String(seen))),
  }))
}

/** The names and types of all properties of events, of persons or of the groups of a type. */
async function propertyNames(store: EventStore, holder: Holder, groupType: number): Promise<Seen[]> {
  const of = holder === 'group' ? `group${groupType}` : holder
  const rows = await store.definitionRows(
    `WITH names AS (
       SELECT properties, unnest(json_keys(properties)) AS name FROM (${ROWS[holder]}${holder === 'group' ? groupType : ''})
     ),
     kinds AS (
       SELECT name, list(DISTINCT json_type(properties, '/' || replace(replace(name, '~', '~0'), '/', '~1'))) AS kinds
       FROM names GROUP BY name
     )
     SELECT name, CASE
       WHEN list_has_all(['VARCHAR', 'NULL'], kinds) THEN 'String'
       WHEN list_has_all(['BOOLEAN', 'NULL'], kinds) THEN 'Boolean'
       WHEN list_has_all(['UBIGINT', 'BIGINT', 'DOUBLE', 'NULL'], kinds) THEN 'Numeric' END
     FROM kinds ORDER BY name`,
    holder === 'event' ? [] : [holder === 'person' ? 'persons' : 'groups'],
  )
  return rows.map(([name, type]) => ({
    id: idOf(of, String(name)),
    name: String(name),
    property_type: type === null ? null : String(type),
  }))
}

function idOf(of: string, name: string): string {
  const hex = createHash('md5').update(`${of}:${name}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

const HOLDERS: readonly Holder[] = ['event', 'person', 'group']
const NAMED = DESCRIBED.extend({ name: z.string().min(1).max(400) })
const PROPERTY = DESCRIBED.extend({
  property_type: z.enum(['DateTime', 'String', 'Numeric', 'Boolean', 'Duration']).nullable().optional(),
})
const MOST_IDS = 500
const BULK = z.object({
  ids: z.array(z.string()).min(1).max(MOST_IDS),
  action: z.enum(['add', 'remove', 'set']),
  tags: tagList,
})

/** The names of events and properties that the project has seen, and what people wrote of them. */
export function definitionRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const allow = access(context)
  eventRoutes(app, context, allow)
  propertyRoutes(app, context, allow)
}

type Allow = ReturnType<typeof access>

function eventRoutes(app: Hono<NodeEnv>, context: SandboxContext, allow: Allow): void {
  const base = '/api/projects/:id/event_definitions'
  const [reads, writes] = [allow('event_definition:read'), allow('event_definition:write')] as const
  const written = new Descriptions(context)
  /** Definitions that were made before their first event, by name. */
  const made = new Map<string, Seen>()

  const all = async () => {
    const seen = await eventNames(context.store)
    const names = new Set(seen.map(({ name }) => name))
    const unseen = [...made.values()].filter(({ name }) => !names.has(name))
    const rows = [...seen, ...unseen].sort((a, b) => (a.name < b.name ? -1 : 1))
    return rows.map((row) => ({ ...row, ...written.of(row.id) }))
  }
  const find = async (test: (row: Seen) => boolean) => {
    const found = (await all()).find(test)
    if (!found) throw notFound()
    return found
  }
  const change = async (c: Context<NodeEnv>) => {
    const { id } = await find(({ id }) => id === c.req.param('definition'))
    written.write(id, fieldsOf(DESCRIBED, await c.req.json()))
    return c.json(await find((row) => row.id === id))
  }

  app.get(base, reads, async (c) => c.json(offsetPage(c, (await all()).filter(searched(c)))))
  app.post(base, writes, async (c) => {
    if (context.dialect.deployment === 'old') throw notAllowed('POST')
    const { name, ...fields } = fieldsOf(NAMED, await c.req.json())
    const id = idOf('event', name)
    if ((await all()).some((row) => row.name === name))
      throw invalid(`Event definition with name '${name}' already exists.`, 'name')
    written.write(id, fields)
    made.set(name, { id, name, ...{ created_at: null, last_seen_at: null } })
    return answered(c, context, await find((row) => row.id === id))
  })
  app.get(`${base}/by_name`, reads, async (c) => {
    const name = c.req.query('name')
    if (!name) throw invalid('The name query parameter is required.', 'name', 'required')
    return c.json(await find((row) => row.name === name))
  })
  app.post(`${base}/bulk_update_tags`, writes, async (c) => {
    const { ids, action, tags } = fieldsOf(BULK, await c.req.json())
    const rows = (await all()).filter(({ id }) => ids.includes(id))
    for (const { id } of rows) {
      const before = written.of(id).tags as string[]
      const kept = action === 'set' ? [] : before.filter((tag) => !tags.includes(tag))
      written.write(id, { tags: [...kept, ...(action === 'remove' ? [] : tags)].sort() })
    }
    return c.json({ updated: rows.map(({ id }) => ({ id, tags: written.of(id).tags })), skipped: [] })
  })
  app.get(`${base}/:definition`, reads, async (c) =>
    c.json(await find(({ id }) => id === c.req.param('definition'))),
  )
  app.patch(`${base}/:definition`, writes, change)
  app.put(`${base}/:definition`, writes, change)
  app.delete(`${base}/:definition`, writes, async (c) => {
    const { id, name } = await find(({ id }) => id === c.req.param('definition'))
    made.delete(name)
    written.forget(id)
    return c.body(null, 204)
  })
}

function propertyRoutes(app: Hono<NodeEnv>, context: SandboxContext, allow: Allow): void {
  const base = '/api/projects/:id/property_definitions'
  const [reads, writes] = [allow('property_definition:read'), allow('property_definition:write')] as const
  const written = new Descriptions(context)
  /** What was listed or changed last, by id: a change names no kind. */
  const known = new Map<string, Seen>()

  const shown = (row: Seen) => {
    const whole = { property_type: null, ...row, ...written.of(row.id) }
    return { ...whole, is_numerical: whole.property_type === 'Numeric' }
  }
  const find = (c: Context<NodeEnv>): Seen => {
    const row = known.get(c.req.param('definition') ?? '')
    if (!row) throw notFound()
    return row
  }
  app.get(base, reads, async (c) => {
    const { type = 'event', group_type_index: index } = c.req.query()
    const holder = HOLDERS.find((one) => one === type)
    if (!holder) throw invalid(`"${type}" is not a valid choice.`, 'type', 'invalid_choice')
    if (holder === 'group' && !/^[0-4]$/.test(index ?? '')) {
      throw invalid('`group_type_index` must be set for the type group', 'group_type_index')
    }
    const names = await propertyNames(context.store, holder, Number(index ?? 0))
    for (const row of names) known.set(row.id, row)
    return c.json(offsetPage(c, names.filter(searched(c)).map(shown)))
  })
  app.get(`${base}/:definition`, reads, (c) => c.json(shown(find(c))))
  app.patch(`${base}/:definition`, writes, async (c) => {
    const row = find(c)
    written.writeProperty(row.id, fieldsOf(PROPERTY, await c.req.json()))
    return c.json(shown(row))
  })
}
