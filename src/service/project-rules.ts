import { z } from 'zod'
import { failureOf } from '../errors.ts'
import type { Api, AskedProject } from './api.ts'
import { type AskedOf, ServiceError } from './errors.ts'
import { listPages } from './next-page.ts'

/*
 * What a project does to events after it has acknowledged them: its event filter, its restrictions of ingestion, its
 * enforced event definitions and its transformations. Each becomes one rule: a tree over the name and the distinct_id of an
 * event. Read in PostHog's source of November 2026:
 *
 *   filters          posthog/api/event_filter_config.py, nodejs/src/ingestion/common/event-filters/evaluate.ts
 *   restrictions     posthog/api/team (EventIngestionRestrictionSerializer; older servers name distinct_ids only),
 *                    nodejs/src/common/utils/event-ingestion-restrictions/rules.ts
 *   definitions      posthog/api/event_definition.py, nodejs/src/common/utils/event-schema-enforcement-manager.ts. Which
 *                    properties are required no personal key can read: posthog/api/event_schema.py is INTERNAL
 *   transformations  posthog/api/hog_function.py
 */

/** The tree of an event filter. An `and` or `or` without children is false. */
export type EventTree =
  | { readonly type: 'and' | 'or'; readonly children: readonly EventTree[] }
  | { readonly type: 'not'; readonly child: EventTree }
  | {
      readonly type: 'condition'
      readonly field: EventField
      readonly operator: 'exact' | 'contains'
      readonly value: string
    }
type EventField = 'event_name' | 'distinct_id'

/** What a rule does to the events that match it. `restricts`: it keeps them in another form, later, or not all of them. */
export type RuleDeed = 'filters' | 'would_filter' | 'drops' | 'restricts' | 'enforces' | 'transforms'

export interface ProjectRule {
  readonly deed: RuleDeed
  /** What the project calls it; empty for what has no name. */
  readonly name: string
  readonly tree: EventTree
}

export interface ProjectRules {
  readonly rules: readonly ProjectRule[]
  /** What could not be read, with the scope that is lacking, or why. */
  readonly unread: readonly string[]
}

const treeSchema: z.ZodType<EventTree> = z.lazy(() =>
  z.union([
    z.object({ type: z.enum(['and', 'or']), children: z.array(treeSchema) }),
    z.object({ type: z.literal('not'), child: treeSchema }),
    z.object({
      type: z.literal('condition'),
      field: z.enum(['event_name', 'distinct_id']),
      operator: z.enum(['exact', 'contains']),
      value: z.string(),
    }),
  ]),
)

const is = (field: EventField, value: string): EventTree => {
  return { type: 'condition', field, operator: 'exact', value }
}
const anyOf = (field: EventField, values: readonly string[]): EventTree => {
  return { type: 'or', children: values.map((value) => is(field, value)) }
}
const EVERY_EVENT: EventTree = { type: 'not', child: { type: 'or', children: [] } }

/** Asks for one kind of rules. `ask` gets a path of the project, in full. */
interface Source {
  readonly what: string
  readonly scope: string
  read(api: Api, path: string, subject: AskedOf): Promise<ProjectRule[]>
}

const filterSchema = z.object({ mode: z.string(), filter_tree: treeSchema.nullish() }).nullable()

const names = z.array(z.string()).nullish()
const restrictionsSchema = z.array(
  z.object({
    restriction_type: z.string(),
    distinct_ids: names,
    session_ids: names,
    event_names: names,
    event_uuids: names,
    pipelines: names,
  }),
)
type Restriction = z.infer<typeof restrictionsSchema>[number]

/** Held in a queue of dead letters, an event isn't stored either. */
const DROPS = ['drop_event_from_ingestion', 'redirect_to_dlq']

const definitionSchema = z.object({ name: z.string(), enforcement_mode: z.string().optional() })

const transformationSchema = z.object({
  type: z.string().nullish(),
  name: z.string().nullish(),
  enabled: z.boolean(),
  template: z.object({ id: z.string() }).nullish(),
  filters: z.object({ events: z.array(z.object({ id: z.string().nullish() })).nullish() }).nullish(),
})
type Transformation = z.infer<typeof transformationSchema>

/** Every project has it, and it passes over events with `$geoip_disable`, which those of an import have. */
const GEOIP = /geoip/

const SOURCES: readonly Source[] = [
  {
    what: 'event filters',
    scope: 'event_filter:read',
    async read(api, path, subject) {
      const filter = api.read(await api.get(`${path}event_filter/`, subject), filterSchema, subject.what)
      if (!filter?.filter_tree || !hasCondition(filter.filter_tree)) return []
      const deed = { live: 'filters', dry_run: 'would_filter' }[filter.mode] as RuleDeed | undefined
      return deed ? [{ deed, name: '', tree: filter.filter_tree }] : []
    },
  },
  {
    what: 'ingestion restrictions',
    scope: 'project:read',
    async read(api, path, subject) {
      const answer = await api.get(`${path}event_ingestion_restrictions/`, subject)
      return api.read(answer, restrictionsSchema, subject.what).flatMap(restrictionRule)
    },
  },
  {
    what: 'event definitions',
    scope: 'event_definition:read',
    async read(api, path, subject) {
      const rules: ProjectRule[] = []
      const first = `${path}event_definitions/?limit=1000`
      for await (const page of listPages(api, first, definitionSchema, subject)) {
        // Older servers enforce none, and may have thousands.
        if (page.every(({ enforcement_mode: mode }) => mode === undefined)) break
        for (const { name, enforcement_mode: mode } of page)
          if (mode === 'reject') rules.push({ deed: 'enforces', name, tree: is('event_name', name) })
      }
      return rules
    },
  },
  {
    what: 'transformations',
    scope: 'hog_function:read',
    async read(api, path, subject) {
      const rules: ProjectRule[] = []
      const first = `${path}hog_functions/?type=transformation&enabled=true`
      for await (const page of listPages(api, first, transformationSchema, subject))
        rules.push(...page.flatMap(transformationRule))
      return rules
    },
  },
]

/** Reads all that drops or changes events. What this key may not read is said in the answer, and is no failure. */
export async function projectRules({ api, projectId }: AskedProject): Promise<ProjectRules> {
  const path = `/api/projects/${projectId}/`
  const unread: string[] = []
  const found = await Promise.all(
    SOURCES.map(async ({ what, scope, read }) => {
      try {
        return await read(api, path, { what: `the ${what}`, scope, isOptional: true })
      } catch (error) {
        const { message } = failureOf(error)
        const status = error instanceof ServiceError ? error.status : undefined
        // An older server has none of it (404), and a project without a filter answers 204.
        if (status !== 404 && status !== 204)
          unread.push(status === 403 ? `${what} (scope ${scope})` : `${what} (${message})`)
        return []
      }
    }),
  )
  return { rules: found.flat(), unread: unread.sort() }
}

/** A filter without a condition is none, whatever its groups would say. */
function hasCondition(tree: EventTree): boolean {
  if (tree.type === 'condition') return true
  return tree.type === 'not' ? hasCondition(tree.child) : tree.children.some(hasCondition)
}

function restrictionRule({ restriction_type: name, pipelines, ...of }: Restriction): ProjectRule[] {
  if (pipelines && !pipelines.includes('analytics')) return []
  const parts = [
    ...(of.distinct_ids?.length ? [anyOf('distinct_id', of.distinct_ids)] : []),
    ...(of.event_names?.length ? [anyOf('event_name', of.event_names)] : []),
  ]
  const tree: EventTree = parts.length > 0 ? { type: 'and', children: parts } : EVERY_EVENT
  const isWhole = !of.session_ids?.length && !of.event_uuids?.length
  return [{ deed: isWhole && DROPS.includes(name) ? 'drops' : 'restricts', name, tree }]
}

function transformationRule({ type, name, enabled, template, filters }: Transformation): ProjectRule[] {
  if (!enabled || (type && type !== 'transformation') || GEOIP.test(template?.id ?? '')) return []
  const events = filters?.events ?? []
  const named = events.flatMap(({ id }) => id ?? [])
  const isOfAll = named.length < events.length || named.length === 0
  return [{ deed: 'transforms', name: name ?? '', tree: isOfAll ? EVERY_EVENT : anyOf('event_name', named) }]
}
