import type { ChartEvents, ChartFilter, FilterOperator, VendorNames } from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { type AmplitudeEvent, ANY_EVENT, NO_VALUE } from './event-segmentation.ts'

type EventFilter = NonNullable<AmplitudeEvent['filters']>[number]

/** Members of a record that the API knows as properties of its own, by its names. */
const BUILT_IN: Readonly<Record<string, string>> = {
  country: 'country',
  region: 'region',
  city: 'city',
  dma: 'DMA',
  language: 'language',
  platform: 'platform',
  version_name: 'version',
  start_version: 'start_version',
  paying: 'paying',
}

/**
 * The documented operators. That `(none)` stands for events without the property is not in the document; its answers label
 * them so, and public programs filter by it.
 */
const OPERATORS: Readonly<Record<FilterOperator, EventFilter['subprop_op']>> = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  set: 'is not',
  not_set: 'is',
  over: 'greater',
  under: 'less',
}

/**
 * The events that count, one for each of the vendor's names. Throws Unanswerable where the vendor has no such event or
 * property.
 */
export function amplitudeEvents({ event, where }: ChartEvents, names: VendorNames): AmplitudeEvent[] {
  const types = event === null ? [ANY_EVENT] : names.events(event)
  if (types.length === 0) throw new Unanswerable(`Amplitude has no event that becomes \`${event}\``)
  const filters = where.map((filter) => filterOf(filter, names))
  return types.map((type) => ({ event_type: type, ...(filters.length > 0 && { filters }) }))
}

/** The same for a question that takes no more than one name. */
export function amplitudeEvent(events: ChartEvents, names: VendorNames): AmplitudeEvent {
  const [first, ...others] = amplitudeEvents(events, names)
  if (others.length === 0) return first!
  const types = [first!, ...others].map(({ event_type: type }) => `\`${type}\``)
  throw new Unanswerable(
    `\`${events.event}\` is made of ${types.join(', ')}, and Amplitude's API counts no people or averages of several events`,
  )
}

/** A property as the API names it. */
export function amplitudeProperty(
  final: string,
  names: VendorNames,
): { type: 'event' | 'user'; value: string } {
  const name = names.property(final)
  if (name === undefined) throw new Unanswerable(`Amplitude has no property that becomes \`${final}\` alone`)
  const [, of, key] = /^(event_properties|user_properties)\.(.+)$/s.exec(name) ?? []
  if (of === 'user_properties') return { type: 'user', value: `gp:${key}` }
  // An event property of the same name keeps it.
  if (of === undefined && name !== final && Object.hasOwn(BUILT_IN, name))
    return { type: 'user', value: BUILT_IN[name]! }
  return { type: 'event', value: key ?? name }
}

function filterOf({ property, operator, values }: ChartFilter, names: VendorNames): EventFilter {
  const { type, value } = amplitudeProperty(property, names)
  return {
    subprop_type: type,
    subprop_key: value,
    subprop_op: OPERATORS[operator],
    subprop_value: operator === 'set' || operator === 'not_set' ? [NO_VALUE] : values,
  }
}
