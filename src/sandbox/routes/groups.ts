import { createHash } from 'node:crypto'
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { parsedOrNone } from '../../text/json.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { isoTime } from '../query/run.ts'
import { TYPES_TABLE } from '../store/schema.ts'
import type { EventStore } from '../store/store.ts'
import { access } from './access.ts'
import { invalid, notFound, serverError } from './api-error.ts'

/** A place in the list of groups, which runs from the newest to the oldest; of one time, the last key comes first. */
const Cursor = z.strictObject({
  /** Microseconds since the epoch. */
  at: z.string().regex(/^-?\d+$/),
  key: z.string(),
})

interface GroupFilter {
  readonly type: number
  /** The whole key. */
  readonly key?: string | undefined
  /** A part of the key, in any case. */
  readonly part?: string | undefined
  /** A part of the properties as JSON, or the whole key, in any case. */
  readonly search?: string | undefined
  readonly after?: z.infer<typeof Cursor> | undefined
}

/** Groups of a type as the API shows them, newest first, each with its place. */
async function listGroups(store: EventStore, filter: GroupFilter, limit: number) {
  const { type, key = null, part = '', search = '', after } = filter
  const rows = await store.groupRows(
    `SELECT index, key, CAST(properties AS VARCHAR), epoch_us(created_at) FROM groups
     WHERE index = $type AND key = coalesce($key, key) AND contains(lower(key), lower($part))
     AND (lower(key) = lower($search) OR contains(lower(CAST(properties AS VARCHAR)), lower($search)))
     AND ($at IS NULL OR (epoch_us(created_at), key) < ($at, $at_key))
     ORDER BY created_at DESC, key DESC LIMIT $limit`,
    { type, key, part, search, at: after ? BigInt(after.at) : null, at_key: after?.key ?? null, limit },
  )
  return rows.map(([index, groupKey, properties, createdAt]) => ({
    place: { at: String(createdAt), key: String(groupKey) },
    group: {
      group_type_index: Number(index),
      group_key: String(groupKey),
      group_properties: JSON.parse(String(properties)),
      created_at: isoTime(BigInt(String(createdAt))),
    },
  }))
}

/** How many groups of each type have which property, the commonest first. */
async function propertyDefinitions(store: EventStore) {
  const rows = await store.groupRows(`
    SELECT index, name, count(*) FROM (SELECT index, unnest(json_keys(properties)) AS name FROM groups)
    GROUP BY index, name ORDER BY index, count(*) DESC, name`)
  const definitions: Record<string, { name: string; count: number }[]> = {}
  for (const [index, name, count] of rows) {
    definitions[String(index)] ??= []
    definitions[String(index)]?.push({ name: String(name), count: Number(count) })
  }
  return definitions
}

/** The commonest values of a property, at most 20. */
async function propertyValues(store: EventStore, type: number, key: string, part: string | undefined) {
  const rows = await store.groupRows(
    `SELECT value, count(*) FROM (
      SELECT json_extract_string(properties, $pointer) AS value FROM groups WHERE index = $type
    ) WHERE value IS NOT NULL AND value != '' AND contains(lower(value), lower($part))
    GROUP BY value ORDER BY count(*) DESC, value LIMIT 20`,
    { type, part: part ?? '', pointer: `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}` },
  )
  return rows.map(([name, count]) => ({ name: String(name), count: Number(count) }))
}

/** The project's group types in the order of their index. */
async function listGroupTypes(store: EventStore) {
  const rows = await store.groupRows(
    `SELECT group_type, group_type_index, epoch_us(created_at) FROM ${TYPES_TABLE} ORDER BY group_type_index`,
  )
  return rows.map(([type, index, createdAt]) => ({
    group_type: String(type),
    group_type_index: Number(index),
    name_singular: null,
    name_plural: null,
    detail_dashboard: null,
    default_columns: null,
    created_at: createdAt === null ? null : isoTime(BigInt(String(createdAt))),
  }))
}

const PAGE_SIZE = 100
const SCOPE = 'group:read'

/** The groups endpoints of the project API. */
export function groupRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store, dialect, now, groupTypesCacheMs } = context
  const allow = access(context)(SCOPE)
  const notebooks = new Map<string, string>()
  let listed: { readonly at: number; readonly types: Awaited<ReturnType<typeof listGroupTypes>> } | undefined

  const base = '/api/projects/:id/groups'

  app.get(base, allow, async (c) => c.json(await page(c, context)))

  app.get(`${base}/find`, allow, async (c) => {
    const [found] = await listGroups(store, { type: typeIndex(c), key: required(c, 'group_key') }, 1)
    if (!found) throw notFound()
    const name = JSON.stringify([found.group.group_type_index, found.group.group_key])
    // To find a group makes a notebook for it, unless the caller declines.
    if (c.req.query('skip_create_notebook') !== 'true' && !notebooks.has(name))
      notebooks.set(name, createHash('sha256').update(name).digest('base64url').slice(0, 8))
    return c.json({ ...found.group, notebook: notebooks.get(name) ?? null })
  })

  app.get(`${base}/property_definitions`, allow, async (c) => c.json(await propertyDefinitions(store)))

  app.get(`${base}/property_values`, allow, async (c) => {
    const results = await propertyValues(store, typeIndex(c), required(c, 'key'), c.req.query('value'))
    return c.json({ results, refreshing: false })
  })

  for (const [form, prefix] of [
    ['project', '/api/projects/:id'],
    ['bare', '/api/:id'],
  ] as const) {
    if (dialect.groupsTypes?.includes(form) === false) continue
    app.get(`${prefix}/groups_types`, allow, async (c) => c.json(await cachedTypes()))
  }

  async function cachedTypes() {
    if (!listed || now() - listed.at >= groupTypesCacheMs) {
      listed = { at: now(), types: await listGroupTypes(store) }
    }
    return listed.types
  }
}

async function page(c: Context<NodeEnv>, { store }: SandboxContext) {
  const type = c.req.query('group_type_index')
  if (!type) {
    const detail = 'You must pass ?group_type_index= in this URL. Call groups_types for the valid ones.'
    throw invalid(detail, 'group_type_index')
  }
  if (!isWhole(type)) throw invalid('A valid integer is required.', 'group_type_index')
  const { group_key: part, search, cursor = '' } = c.req.query()
  // A broken cursor is not an error: as in the service, the list starts from the beginning.
  const after = Cursor.safeParse(parsedOrNone(Buffer.from(cursor, 'base64url').toString())).data
  // One group more than a page shows whether another page follows.
  const found = await listGroups(store, { type: Number(type), part, search, after }, PAGE_SIZE + 1)
  const results = found.slice(0, PAGE_SIZE).map(({ group }) => group)
  const last = found.length > PAGE_SIZE ? found[PAGE_SIZE - 1] : undefined
  return { next: last ? link(c, last.place) : null, previous: null, results }
}

function link(c: Context<NodeEnv>, place: z.infer<typeof Cursor>): string {
  const url = new URL(c.req.url)
  const { group_type_index = '', search, group_key } = c.req.query()
  const cursor = Buffer.from(JSON.stringify(place)).toString('base64url')
  const kept = { group_type_index, ...(search && { search }), ...(group_key && { group_key }) }
  url.search = String(new URLSearchParams({ ...kept, cursor }))
  return url.href
}

function required(c: Context<NodeEnv>, name: string): string {
  const value = c.req.query(name)
  if (!value) throw invalid('This query parameter is required.', name)
  return value
}

/** The service checks the number where it lists groups, and nowhere else. */
function typeIndex(c: Context<NodeEnv>): number {
  const text = required(c, 'group_type_index')
  if (!isWhole(text)) throw serverError()
  return Number(text)
}

function isWhole(text: string): boolean {
  return /^\d{1,9}$/.test(text)
}
