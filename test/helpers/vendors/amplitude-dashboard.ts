import { dayIn, daysOf, jsonReply } from './days.ts'
import type { Reply } from './fake.ts'

export interface AmplitudeEvent {
  /** ISO-like text, UTC: `2024-03-01 05:00:00.123456`. */
  readonly server_upload_time: string
  readonly [key: string]: unknown
}

const UNSEEN = new Set(['$identify', '$groupidentify'])

/** What a request costs, by the table of the document. */
export function costOf({ searchParams: query }: URL): number {
  return daysIn(query).length
}

/** The totals of one event, or of any, by day, over the records that the export has. */
export function answerSegmentation(
  { searchParams: query }: URL,
  events: readonly AmplitudeEvent[],
  { zone, hidden }: { readonly zone: string; readonly hidden: readonly string[] },
): Reply {
  const days = daysIn(query)
  if (days.length === 0 || days.length > 365) return { status: 400, body: 'bad range' }
  const { event_type: asked } = JSON.parse(query.get('e') ?? '{}') as { event_type: string }
  if (hidden.includes(asked)) return jsonReply({ error: `Invalid event type ${asked}` }, 400)
  const counts = new Map(days.map((day) => [day, 0]))
  for (const event of events) {
    const type = String(event.event_type)
    if (UNSEEN.has(type) || hidden.includes(type) || (asked !== '_all' && asked !== type)) continue
    const day = dayIn(zone, timeOf(event))
    const count = counts.get(day)
    if (count !== undefined) counts.set(day, count + 1)
  }
  return jsonReply({ data: { series: [[...counts.values()]], seriesLabels: [[0, asked]], xValues: days } })
}

function daysIn(query: URLSearchParams): string[] {
  const [from = '', to = ''] = ['start', 'end'].map((name) => {
    return (query.get(name) ?? '').replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3')
  })
  return daysOf(from, to)
}

function timeOf(event: AmplitudeEvent): number {
  const time = String(event.event_time ?? event.client_event_time ?? event.server_upload_time)
  return Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`)
}
