import type { AroundRow } from '../../around/index.ts'
import type { FinalNaming } from './final-rows.ts'

/** The insights that can be made again: those whose question `compare` knows. */
const REBUILT = ['TrendsQuery', 'FunnelsQuery', 'RetentionQuery']

export interface Rebuilding {
  readonly naming: FinalNaming
  /** The id in the project of a cohort that has this id in the source; undefined for one that was not pushed. */
  cohort(id: string): string | undefined
}

/** Why an insight can't be made again, as a sentence. */
export class NotRebuilt extends Error {}

type Query = NonNullable<AroundRow<'reports'>['query']>
type Node = Readonly<Record<string, unknown>>

/**
 * The query of an insight for another project: its events and properties by their final names, its cohorts by their ids there.
 * Throws NotRebuilt.
 */
export function rebuiltQuery(query: AroundRow<'reports'>['query'], tools: Rebuilding): Query {
  const node = query as Node | undefined
  if (!node)
    throw new NotRebuilt('it has filters of an old form, and no query: open and save it in the source once')
  const source = node.source as Node | undefined
  if (node.kind !== 'InsightVizNode' || !REBUILT.includes(String(source?.kind)))
    throw new NotRebuilt(`it is a ${String(source?.kind ?? node.kind)}, which is not carried`)
  return walk(node, tools) as Query
}

function walk(value: unknown, tools: Rebuilding): unknown {
  if (Array.isArray(value)) return value.map((one) => walk(one, tools))
  if (typeof value !== 'object' || value === null) return value
  const node = value as Node
  return Object.fromEntries(
    Object.entries({ ...node, ...changed(node, tools) }).map(([name, one]) => [name, walk(one, tools)]),
  )
}

/** The members of a node that have other values in the project. */
function changed(node: Node, { naming, cohort }: Rebuilding): Node {
  const { kind, type } = node
  const finalEvent = (name: string) => kept(naming.event(name), `event ${name}`)
  const finalProperty = (of: 'event' | 'person', name: string) =>
    kept(naming.property(of, name), `property ${name}`)
  if (kind === 'ActionsNode' || type === 'actions')
    throw new NotRebuilt(`it uses the action ${String(node.name ?? node.id)}`)
  if (kind === 'DataWarehouseNode' || type === 'data_warehouse')
    throw new NotRebuilt('it reads a table of the data warehouse')
  if (kind === 'EventsNode' && typeof node.event === 'string') return { event: finalEvent(node.event) }
  // The entities of a retention.
  if (type === 'events' && typeof node.id === 'string') return { id: finalEvent(node.id) }
  if (type === 'cohort') {
    const found = cohort(String(node.value))
    if (found === undefined)
      throw new NotRebuilt(`it uses the cohort ${String(node.value)}, which was not pushed`)
    return { value: Number(found) }
  }
  if ((type === 'event' || type === 'person') && typeof node.key === 'string')
    return { key: finalProperty(type, node.key) }
  if (
    (node.breakdown_type === 'event' || node.breakdown_type === 'person') &&
    typeof node.breakdown === 'string'
  )
    return { breakdown: finalProperty(node.breakdown_type, node.breakdown) }
  return {}
}

function kept(name: string | undefined, what: string): string {
  if (name === undefined) throw new NotRebuilt(`the mapping leaves out its ${what}`)
  return name
}

const INSIGHTS: Readonly<Record<NonNullable<AroundRow<'reports'>['closest']>, string>> = {
  trends: 'Trends',
  funnel: 'Funnel',
  retention: 'Retention',
  paths: 'User paths',
  stickiness: 'Stickiness',
  lifecycle: 'Lifecycle',
  sql: 'SQL',
}

/** What to set in PostHog for a vendor's report, in words. */
export function settingsWords(row: AroundRow<'reports'>, naming: FinalNaming): string {
  const { closest, kind, events = [], filters = [], settings = {} } = row
  const names = events.map((name) => naming.event(name) ?? `${name} (left out by the mapping)`)
  return [
    closest ? `a ${INSIGHTS[closest]} insight` : `nothing in PostHog is close to its kind, ${kind}`,
    ...(names.length > 0 ? [`events: ${names.join(', ')}`] : []),
    ...(filters.length > 0 ? [`filters: ${filters.join('; ')}`] : []),
    ...Object.entries(settings).map(([name, value]) => `${name}: ${value}`),
  ].join('; ')
}
