import { type Context, Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import {
  type GroupFilter,
  listGroups,
  listGroupTypes,
  type Placed,
  type Position,
  propertyDefinitions,
  propertyValues,
} from '../store/groups.ts'
import { access } from './access.ts'
import { invalid, notFound } from './api-error.ts'

const PAGE_SIZE = 100
const SCOPE = 'group:read'

/** The read-only groups endpoints of the project API. */
export function groupRoutes(context: SandboxContext): Hono<NodeEnv> {
  const { store, dialect } = context
  const routes = new Hono<NodeEnv>({ strict: false })
  const allow = access(context)(SCOPE)
  const base = '/api/projects/:id/groups'

  routes.get(base, allow, async (c) => c.json(await page(c, context)))

  routes.get(`${base}/find`, allow, async (c) => {
    const [group] = await listGroups(store, { type: typeIndex(c), key: required(c, 'group_key') }, 1)
    if (!group) throw notFound()
    return c.json(shown(group))
  })

  routes.get(`${base}/property_definitions`, allow, async (c) => {
    if (!dialect.propertyDefinitions) throw notFound('Endpoint not found.')
    return c.json(await propertyDefinitions(store))
  })

  routes.get(`${base}/property_values`, allow, async (c) => {
    const results = await propertyValues(store, typeIndex(c), required(c, 'key'), c.req.query('value'))
    return c.json(dialect.propertyValues === 'list' ? results : { results, refreshing: false })
  })

  for (const [form, prefix] of [
    ['project', '/api/projects/:id'],
    ['bare', '/api/:id'],
  ] as const) {
    if (!dialect.groupsTypes.includes(form)) continue
    routes.get(`${prefix}/groups_types`, allow, async (c) => c.json(await listGroupTypes(store)))
  }
  return routes
}

async function page(c: Context<NodeEnv>, { store }: SandboxContext) {
  const type = typeIndex(c)
  const { group_key: key, search, cursor: text } = c.req.query()
  const cursor = readCursor(text)
  const filter: GroupFilter = { type, key: key || undefined, search: search || undefined }
  const side = cursor && { [cursor.side]: cursor.position }
  // One group more than a page shows whether another page follows.
  const found = await listGroups(store, { ...filter, ...side }, PAGE_SIZE + 1)
  const more = found.length > PAGE_SIZE
  const groups = found.slice(0, PAGE_SIZE)
  const backwards = cursor?.side === 'before'
  if (backwards) groups.reverse()
  const hasNext = backwards || more
  const hasPrevious = backwards ? more : cursor !== undefined
  return {
    next: hasNext ? link(c, 'after', groups.at(-1)) : null,
    previous: hasPrevious ? link(c, 'before', groups[0]) : null,
    results: groups.map(shown),
  }
}

const Cursor = z.strictObject({
  side: z.enum(['after', 'before']),
  at: z.string().regex(/^-?\d+$/),
  key: z.string(),
})

/** A broken cursor is not an error: as in the service, the list starts from the beginning. */
function readCursor(text: string | undefined): { side: 'after' | 'before'; position: Position } | undefined {
  if (!text) return undefined
  try {
    const { side, at, key } = Cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()))
    return { side, position: { createdAt: at, key } }
  } catch {
    return undefined
  }
}

function link(c: Context<NodeEnv>, side: 'after' | 'before', group: Placed | undefined): string | null {
  if (!group) return null
  const { createdAt, key } = group.position
  const url = new URL(c.req.url)
  const cursor = Buffer.from(JSON.stringify({ side, at: createdAt, key })).toString('base64url')
  url.searchParams.set('cursor', cursor)
  return url.href
}

function shown({ position: _, ...group }: Placed) {
  return group
}

function required(c: Context<NodeEnv>, name: string): string {
  const value = c.req.query(name)
  if (!value) throw invalid('This field is required.', name, 'required')
  return value
}

function typeIndex(c: Context<NodeEnv>): number {
  const text = required(c, 'group_type_index')
  if (!/^\d{1,9}$/.test(text)) throw invalid('A valid integer is required.', 'group_type_index')
  return Number(text)
}
