import type { CapturedEvent } from '../ingest/event.ts'
import { uuidText } from '../ingest/uuid.ts'
import type { WarningLog } from '../warnings.ts'
import { METERS, type Meter } from './fault.ts'

/** How many events each meter takes. */
export type Quota = Partial<Readonly<Record<Meter, number>>>

const SURVEY = /^survey (sent|shown|dismissed)$/

/** The meter that counts an event. A survey of a product tour counts like the other events. */
export function meterOf(event: string, isTour: boolean): Meter {
  if (event === '$exception') return 'exceptions'
  if (event.startsWith('$ai_')) return 'ai'
  return SURVEY.test(event) && !isTour ? 'surveys' : 'events'
}

/** The meter that counts an event. */
export function meterOfCaptured({ event, properties }: CapturedEvent): Meter {
  return meterOf(event, '$product_tour_id' in properties)
}

/** Counts what each meter took since the start, against the project's quotas. */
export class Meters {
  readonly #quota: Quota
  readonly #taken = new Map<Meter, number>()

  constructor(quota: Quota) {
    this.#quota = quota
  }

  /** The meters that take no more. */
  get over(): readonly Meter[] {
    return METERS.filter((meter) => this.standing(meter).limited)
  }

  /** How much of its quota each meter took; a quota of null is no limit. */
  standing(meter: Meter) {
    const [usage, limit] = [this.#taken.get(meter) ?? 0, this.#quota[meter] ?? null]
    return { limited: limit !== null && usage >= limit, usage, limit }
  }

  count(events: readonly CapturedEvent[]): void {
    for (const event of events) {
      const meter = meterOfCaptured(event)
      this.#taken.set(meter, (this.#taken.get(meter) ?? 0) + 1)
    }
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
