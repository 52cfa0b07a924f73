import { type AmplitudeTeam, amplitudeIdOf, userOf } from './vendors/amplitude-around.ts'
import { eventCalled, type MixpanelAround, memberOf } from './vendors/mixpanel-around.ts'

type Named = Readonly<Record<string, unknown>>

/** Records of Mixpanel that bring all members and properties of a project: an event a member, a profile, and one with all. */
export function mixpanelHistory({ schemas, cohorts }: MixpanelAround): string[] {
  const described = schemas.map(({ entityType, schemaJson }) => {
    return [entityType, (schemaJson as { properties: Named }).properties] as const
  })
  const valuesOf = (type: string) =>
    Object.fromEntries(
      described
        .filter(([entity]) => entity === type)
        .flatMap(([, properties]) => Object.entries(properties))
        .map(([name, told]) => [name, valueTyped((told as { type?: unknown }).type)]),
    )
  const ids = new Set(
    cohorts.flatMap(({ id, count }) => Array.from({ length: count }, (_, n) => memberOf(id, n))),
  )
  const record = (id: string, n: number, properties: Named = {}) => ({
    event: eventCalled(20),
    properties: { ...properties, time: 1_770_000_000 + n, distinct_id: id, $insert_id: `insert-${n}` },
  })
  const [first = ''] = ids
  const profile = { $distinct_id: first, $properties: valuesOf('profile'), $exported_at: 1_770_000_000 }
  return [profile, record(first, 0, valuesOf('event')), ...[...ids].map((id, n) => record(id, n + 1))].map(
    (one) => JSON.stringify(one),
  )
}

/** The same of Amplitude, whose events bring what is known of their users. */
export function amplitudeHistory({
  events,
  eventProperties,
  userProperties,
  cohorts,
}: AmplitudeTeam): string[] {
  const people = Math.max(...cohorts.map(({ members }) => members))
  const values = (list: readonly Named[], key: string) =>
    Object.fromEntries(
      list.map((told) => [
        String(told[key]).replace(/^gp:/, ''),
        valueTyped(told.is_array_type ? 'array' : told.type),
      ]),
    )
  return Array.from({ length: people }, (_, n) => ({
    ...{
      event_type: events[10]!.event_type,
      user_id: userOf(n) || null,
      amplitude_id: Number(amplitudeIdOf(n)),
    },
    ...{
      event_time: '2026-03-01 12:00:00.000000',
      uuid: `0190aaaa-0000-7000-8000-${String(n).padStart(12, '0')}`,
    },
    event_properties: n > 0 ? {} : values(Object.values(eventProperties).flat(), 'event_property'),
    user_properties: n > 0 ? {} : values(userProperties, 'user_property'),
  })).map((one) => JSON.stringify(one))
}

/** A value of a type that a vendor names. */
function valueTyped(type: unknown): unknown {
  if (type === 'number') return 1.5
  if (type === 'integer') return 3
  if (type === 'boolean') return true
  if (type === 'array') return ['a']
  return type === 'object' ? { a: 'b' } : 'x'
}
