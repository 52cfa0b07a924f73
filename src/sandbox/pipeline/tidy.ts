import type { CapturedEvent } from '../ingest/event.ts'

const DAY = 86_400_000_000n

/** Events that the service keeps in tables of their own. */
const ELSEWHERE = new Set(['$$heatmap', '$$client_ingestion_warning'])

/** Properties that the service takes out. Those of heatmaps become events of their own, which no query shows. */
const TAKEN_OUT = [
  'ph_product_tours',
  '$product_tours_activated',
  '$override_feature_flag_payloads',
  '$heatmap_data',
]

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True for events that are not among the project's events. */
export function isElsewhere(event: string): boolean {
  return ELSEWHERE.has(event)
}

/** True if an event was more than `days` days old when it arrived. With 0 no event is too old. */
export function isTooOld({ timestamp, receivedAt }: CapturedEvent, days: number): boolean {
  return days > 0 && receivedAt - timestamp > BigInt(days) * DAY
}

/** A time without what is finer than a millisecond. */
export function milliseconds(micros: bigint): bigint {
  return micros - (((micros % 1000n) + 1000n) % 1000n)
}

/** Takes out what the service has no use for, and writes names and ids its way. */
export function tidy(properties: Record<string, unknown>): void {
  // A delete makes an object slow, even of what it does not have.
  for (const name of TAKEN_OUT) if (name in properties) delete properties[name]
  if (properties.$os === undefined && properties.$os_name !== undefined) properties.$os = properties.$os_name
  for (const name of ['$session_id', '$window_id']) {
    const id = properties[name]
    if (typeof id === 'string' && UUID.test(id)) properties[name] = id.toLowerCase()
  }
}
