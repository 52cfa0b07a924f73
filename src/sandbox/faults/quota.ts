import type { CapturedEvent } from '../ingest/event.ts'
import { uuidText } from '../ingest/uuid.ts'
import type { WarningLog } from '../warnings.ts'

/** How many events the project takes. */
export interface Quota {
  readonly events?: number
}

/** Exceptions, surveys and AI events have quotas of their own, which the sandbox does not play. A survey of a product tour has none. */
function isMetered({ event, properties }: CapturedEvent): boolean {
  if (event === '$exception' || event.startsWith('$ai_')) return false
  return !/^survey (sent|shown|dismissed)$/.test(event) || '$product_tour_id' in properties
}

/** What the quota of events leaves of them once it is reached. */
export function beyondQuota(events: readonly CapturedEvent[]): CapturedEvent[] {
  return events.filter((event) => !isMetered(event))
}

/** Counts what the quota of events took since the start. */
export class QuotaMeter {
  readonly #limit: number | null
  #usage = 0

  constructor({ events = null }: { readonly events?: number | null }) {
    this.#limit = events
  }

  /** How much of the quota is taken; null is no limit. */
  get standing() {
    const [usage, limit] = [this.#usage, this.#limit]
    return { limited: limit !== null && usage >= limit, usage, limit }
  }

  count(events: readonly CapturedEvent[]): void {
    this.#usage += events.filter(isMetered).length
  }
}

const MINUTE_MS = 60_000

/**
 * The service's limit of events a minute for one distinct_id, by its first 200 characters. What is over it is stored without
 * person, merge and groups, and warned of. It is counted by the strictest window, the 60 seconds up to now.
 * `most`: 0 is no limit. What it returns counts an event, and is true if that is over the limit.
 */
export function idLimit(most: number, clock: () => number, warnings: WarningLog) {
  const ofIds = new Map<string, number[]>()
  return ({ uuid, event, distinctId }: CapturedEvent): boolean => {
    if (most === 0) return false
    const now = clock()
    const id = [...distinctId].slice(0, 200).join('')
    const arrivals = ofIds.get(id) ?? []
    while (arrivals.length > 0 && arrivals[0]! <= now - MINUTE_MS) arrivals.shift()
    arrivals.push(now)
    ofIds.set(id, arrivals)
    if (arrivals.length <= most) return false
    const eventUuid = uuidText(uuid)
    const details = { eventUuid, event, distinctId }
    warnings.add({ type: 'high_volume_distinct_id', eventUuid, distinctId, details })
    return true
  }
}
