import { ownOf } from '../../text/json.ts'
import type { CapturedEvent } from '../ingest/event.ts'
import { uuidText } from '../ingest/uuid.ts'
import type { EventRules } from '../options.ts'
import type { WarningType } from '../warnings.ts'
import { transformed } from './transform.ts'

/*
 * What a project does to events that were acknowledged, in the form of the service's own answers: restrictions of ingestion,
 * the event filter, enforced definitions, transformations, in this order.
 */

type Ruled = Pick<CapturedEvent, 'uuid' | 'event' | 'distinctId' | 'properties'>

/** The restrictions that are about an event: what each names has to be so, and nothing named is everything. */
export function restrictionsOf({ restrictions = [] }: EventRules, event: Ruled) {
  const { $session_id: session } = event.properties
  return restrictions
    .filter((one) => {
      const { pipelines = ['analytics'], distinct_ids, session_ids, event_names, event_uuids } = one
      return (
        pipelines.includes('analytics') &&
        isAmong(distinct_ids, event.distinctId) &&
        isAmong(event_names, event.event) &&
        isAmong(event_uuids, uuidText(event.uuid)) &&
        isAmong(session_ids, typeof session === 'string' ? session : undefined)
      )
    })
    .map(({ restriction_type }) => restriction_type)
}

function isAmong(values: readonly string[] = [], value: string | undefined): boolean {
  return values.length === 0 || (value !== undefined && values.includes(value))
}

/** What the rules leave of an event; undefined: they drop it. `warn` is told of a schema that it doesn't fit, and of a
 * transformation that drops it. */
export function passed(
  rules: EventRules,
  event: CapturedEvent,
  warn: (type: WarningType, details: object) => void,
): CapturedEvent | undefined {
  const restrictions = restrictionsOf(rules, event)
  const isLost = restrictions.some((one) => one === 'drop_event_from_ingestion' || one === 'redirect_to_dlq')
  if (isLost || isFiltered(rules, event)) return undefined
  const errors = schemaErrors(rules, event)
  if (errors.length > 0) {
    warn('schema_validation_failed', { errors })
    return undefined
  }
  const kept = transformed(rules, event)
  if ('droppedBy' in kept) {
    warn('event_dropped_by_transformation', { transformationName: kept.droppedBy })
    return undefined
  }
  return restrictions.includes('skip_person_processing') ? { ...kept, personless: true } : kept
}

type Filter = NonNullable<NonNullable<EventRules['filter']>['filter_tree']>

/** Whether a live filter drops an event. One without any condition drops none. */
function isFiltered({ filter }: EventRules, { event, distinctId }: Ruled): boolean {
  const tree = filter?.mode === 'live' ? filter.filter_tree : null
  const isEmpty = tree === null || !JSON.stringify(tree).includes('"type":"condition"')
  return !isEmpty && holds(tree, { event_name: event, distinct_id: distinctId })
}

function holds(at: Filter, event: Readonly<Record<'event_name' | 'distinct_id', string>>): boolean {
  if (at.type === 'condition') {
    const value = event[at.field]
    return at.operator === 'exact' ? value === at.value : value.includes(at.value)
  }
  if (at.type === 'not') return !holds(at.child, event)
  if (at.type === 'or') return at.children.some((child) => holds(child, event))
  return at.children.length > 0 && at.children.every((child) => holds(child, event))
}

/** The required properties that an event lacks, or has in another type. */
function schemaErrors({ enforced = {} }: EventRules, { event, properties }: Ruled): string[] {
  const required = ownOf(enforced, event) ?? {}
  return Object.keys(required).filter((name) => !fits(ownOf(properties, name), required[name]!))
}

function fits(value: unknown, type: string): boolean {
  if (value === null || value === undefined) return false
  switch (type) {
    case 'Numeric':
      return typeof value === 'string'
        ? value.trim() !== '' && Number.isFinite(Number(value))
        : Number.isFinite(value)
    case 'Boolean':
      return [true, false, 'true', 'false'].includes(value as string)
    case 'DateTime':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value))
    case 'Object':
      return typeof value === 'object'
    default:
      return true
  }
}
