import { dayIn, daysOf, jsonReply } from './days.ts'
import type { Reply } from './fake.ts'
import type { MixpanelEvent } from './mixpanel.ts'

/** What a fake's query API knows. */
export interface QueryData {
  /** The events that its reports show: no copies, none that are hidden. */
  readonly events: readonly MixpanelEvent[]
  readonly zone: string
}

const DAY_MS = 86_400_000

/** Answers of Mixpanel's query API (docs.mixpanel.com/reference/query-api). Undefined for a path that is none of these. */
export function answerQuery(path: string, query: URLSearchParams, data: QueryData): Reply | undefined {
  if (path === '/events/names') return names(query, data)
  return path === '/events' ? counts(query, data) : undefined
}

function names(query: URLSearchParams, { events }: QueryData): Reply {
  // Spread into arguments, a long history would not fit on the stack.
  const newest = events.reduce((most, { properties: { time } }) => Math.max(most, time), 0)
  const recent = events.filter(({ properties }) => properties.time > newest - 31 * DAY_MS)
  return jsonReply([...new Set(recent.map(({ event }) => event))].slice(0, Number(query.get('limit') ?? 255)))
}

/** The events of names by day, in days of the project's zone. */
function counts(query: URLSearchParams, { events, zone }: QueryData): Reply {
  const asked = JSON.parse(query.get('event') ?? '[]') as string[]
  const series = daysOf(query.get('from_date') ?? '', query.get('to_date') ?? '')
  const values = Object.fromEntries(
    asked.map((name) => [name, Object.fromEntries(series.map((day) => [day, 0]))]),
  )
  for (const { event, properties } of events) {
    const day = dayIn(zone, properties.time)
    const found = values[event]
    if (found?.[day] !== undefined) found[day]++
  }
  return jsonReply({ legend_size: asked.length, data: { series, values } })
}
