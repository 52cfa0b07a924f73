import { z } from 'zod'
import { AROUND_ROWS, type AroundKind, type AroundRow, restOf } from '../../around/index.ts'

/** A thing as the service answers it: what is read has its form, what else it has is kept. */
const id = z.int().positive().transform(String)
const words = z.string().nullish()
const tags = z.array(z.string()).nullish()
const flag = z.boolean().nullish()

const person = z.looseObject({ email: z.string().nullish() }).nullish()
const described = {
  id: z.guid(),
  name: z.string(),
  description: words,
  tags,
  hidden: flag,
  verified: flag,
  owner: person,
}
const query = z.looseObject({ kind: z.string() }).nullish()
const tile = z.looseObject({
  id: z.int().positive(),
  insight: z.looseObject({ id: z.int().positive() }).nullish(),
  text: z.looseObject({ body: words }).nullish(),
  layouts: z.record(z.string(), z.json()).nullish(),
  color: words,
})
type Tile = z.output<typeof tile>

export const THINGS = {
  events: z.looseObject(described),
  properties: z.looseObject({ ...described, property_type: words }),
  annotations: z.looseObject({ id, content: words, date_marker: z.string().nullish(), scope: words, tags }),
  cohorts: z.looseObject({
    id,
    name: words,
    description: words,
    is_static: flag,
    is_calculating: flag,
    count: z.int().nullish(),
    errors_calculating: z.int().nullish(),
    last_import_unmatched_count: z.int().nullish(),
    filters: z.json().optional(),
    query: z.json().optional(),
  }),
  reports: z.looseObject({
    id,
    short_id: z.string(),
    name: words,
    derived_name: words,
    description: words,
    tags,
    query,
  }),
  dashboards: z.looseObject({
    id,
    name: words,
    description: words,
    tags,
    pinned: flag,
    tiles: z.array(tile).optional(),
  }),
} as const

export type ThingOf<K extends AroundKind> = z.output<(typeof THINGS)[K]>

/** Types of values, as PostHog calls them. */
const TYPE_NAMES = {
  text: 'String',
  number: 'Numeric',
  boolean: 'Boolean',
  time: 'DateTime',
  duration: 'Duration',
} as const

/** PostHog's name of a property's type; undefined for one that it has not. */
export function typeName(type: AroundRow<'properties'>['type']): string | undefined {
  return type && type in TYPE_NAMES ? TYPE_NAMES[type as keyof typeof TYPE_NAMES] : undefined
}

const typeOf = (name: string | null | undefined): AroundRow<'properties'>['type'] =>
  (Object.keys(TYPE_NAMES) as (keyof typeof TYPE_NAMES)[]).find((type) => TYPE_NAMES[type] === name)

/** Where a property is, as the request for its list says it. */
export type PropertiesOf = Pick<AroundRow<'properties'>, 'of' | 'group'>

/** What changes by itself, or is the same for all, and would make two pulls of the same things differ. */
const FLEETING =
  `id last_seen_at last_modified_at last_modified_by last_refresh refreshing last_calculation is_calculating result
  last_accessed_at last_viewed_at updated_at updated_by query_usage_30_day user_access_level effective_privilege_level
  effective_restriction_level is_numerical is_sample next_allowed_client_refresh hasMore columns timezone cache_target_age
  query_status hogql types resolved_date_range is_cached order deleted persisted_filters persisted_variables`.split(
    /\s+/,
  )

type Loose = Readonly<Record<string, unknown>>

function moreOf(thing: Loose, said: readonly string[]) {
  return restOf(thing, [...said, ...FLEETING])
}

function describedOf(thing: ThingOf<'events'>) {
  const { description, tags, hidden, verified, owner } = thing
  return {
    ...(description && { description }),
    ...(tags?.length && { tags }),
    ...(hidden && { hidden }),
    ...(verified && { verified }),
    ...(owner?.email && { owner: owner.email }),
  }
}

const DESCRIBED = ['name', 'description', 'tags', 'hidden', 'verified', 'owner']

export function rowOfEvent(thing: ThingOf<'events'>): AroundRow<'events'> {
  return AROUND_ROWS.events.parse({ name: thing.name, ...describedOf(thing), more: moreOf(thing, DESCRIBED) })
}

export function propertyRow(thing: ThingOf<'properties'>, place: PropertiesOf): AroundRow<'properties'> {
  return AROUND_ROWS.properties.parse({
    ...place,
    name: thing.name,
    type: typeOf(thing.property_type),
    ...describedOf(thing),
    more: moreOf(thing, [...DESCRIBED, 'property_type']),
  })
}

export function annotationRow(thing: ThingOf<'annotations'>): AroundRow<'annotations'> {
  const said = ['content', 'date_marker', 'tags', ...(thing.scope === 'project' ? ['scope'] : [])]
  return {
    at: new Date(thing.date_marker ?? 0).toISOString(),
    text: thing.content ?? '',
    ...(thing.tags?.length && { tags: thing.tags }),
    ...withMore(moreOf(thing, said)),
  }
}

export function cohortRow(thing: ThingOf<'cohorts'>): AroundRow<'cohorts'> {
  const { id, name, description, filters, query, is_static } = thing
  const said = [
    'name',
    'description',
    'filters',
    'query',
    'groups',
    'is_static',
    'count',
    'errors_calculating',
  ]
  const definition = is_static ? undefined : (query ?? filters)
  return {
    id,
    name: name || `cohort ${id}`,
    ...(description && { description }),
    ...(definition !== undefined && { definition }),
    file: null,
    members: null,
    ...withMore(moreOf(thing, [...said, 'last_import_total_count', 'last_import_unmatched_count'])),
  }
}

/** By the kind of the query, without its last word. */
const CLOSEST_TO: Readonly<Record<string, AroundRow<'reports'>['closest']>> = {
  Trends: 'trends',
  Funnels: 'funnel',
  Retention: 'retention',
  Paths: 'paths',
  Stickiness: 'stickiness',
  Lifecycle: 'lifecycle',
  HogQL: 'sql',
}

const wrapped = z.looseObject({ source: z.looseObject({ kind: z.string() }) })
const eventsIn = z.looseObject({ series: z.array(z.looseObject({ event: z.string().nullish() })) })

export function reportRow(thing: ThingOf<'reports'>, link: string): AroundRow<'reports'> {
  const { id, name, derived_name, description, tags, query } = thing
  const inner = wrapped.safeParse(query).data?.source ?? query
  const closest = CLOSEST_TO[inner?.kind.replace(/Query$/, '') ?? '']
  const events = eventsIn.safeParse(inner).data?.series.flatMap(({ event }) => event ?? [])
  const said = [
    'name',
    'derived_name',
    'short_id',
    'description',
    'tags',
    'query',
    'dashboards',
    'dashboard_tiles',
    'saved',
  ]
  return {
    id,
    name: name || derived_name || `insight ${id}`,
    ...(description && { description }),
    kind: inner?.kind ?? 'filters',
    ...(closest && { closest }),
    ...(events?.length && { events: [...new Set(events)] }),
    ...(tags?.length && { tags }),
    link,
    ...(query && { query: query as z.core.util.JSONType }),
    ...withMore(moreOf(thing, said)),
  }
}

export function dashboardRow(thing: ThingOf<'dashboards'>, link: string): AroundRow<'dashboards'> {
  const { id, name, description, tags, pinned, tiles = [] } = thing
  return {
    id,
    name: name || `dashboard ${id}`,
    ...(description && { description }),
    ...(pinned && { pinned }),
    ...(tags?.length && { tags }),
    link,
    ...(tiles.length > 0 && { tiles: inOrder(tiles).map(tileRow) }),
    ...withMore(moreOf(thing, ['name', 'description', 'tags', 'pinned', 'tiles'])),
  }
}

function tileRow(one: Tile) {
  const { insight, text, layouts, color } = one
  return {
    ...(insight && { report: String(insight.id) }),
    ...(text && { text: text.body ?? '' }),
    ...(layouts && Object.keys(layouts).length > 0 && { layouts }),
    ...(color && { color }),
  }
}

const placed = z.object({ sm: z.object({ x: z.number(), y: z.number() }) })

/** Tiles as a reader sees them, row by row; those that have no place yet come last. */
export function inOrder<T extends { readonly id: number; readonly layouts?: unknown }>(
  tiles: readonly T[],
): T[] {
  const placeOf = ({ layouts, id }: T) => {
    const { x, y } = placed.safeParse(layouts).data?.sm ?? { x: 0, y: Number.MAX_SAFE_INTEGER }
    return [y, x, id] as const
  }
  return tiles.toSorted((a, b) => {
    const [first, second] = [placeOf(a), placeOf(b)]
    const at = first.findIndex((value, i) => value !== second[i])
    return at < 0 ? 0 : first[at]! - second[at]!
  })
}

function withMore<M>(more: M | undefined): { more?: M } {
  return more === undefined ? {} : { more }
}
