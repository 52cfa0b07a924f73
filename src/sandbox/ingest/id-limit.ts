import type { WarningLog } from '../warnings/log.ts'
import type { CapturedEvent } from './event.ts'
import { uuidText } from './uuid.ts'

const MINUTE_MS = 60_000

/**
 * The service's limit of events a minute for one distinct_id, by its first 200 characters. What is over it is stored without
 * person, merge and groups, and warned of. It is counted by the strictest window: any 60 seconds up to now.
 */
export class IdLimit {
  readonly #most: number
  readonly #now: () => number
  readonly #warnings: WarningLog
  readonly #arrivals = new Map<string, number[]>()

  /** `most`: 0 is no limit. */
  constructor(most: number, now: () => number, warnings: WarningLog) {
    this.#most = most
    this.#now = now
    this.#warnings = warnings
  }

  /** Counts an event. True if it is over the limit. */
  isOver({ uuid, event, distinctId }: CapturedEvent): boolean {
    if (this.#most === 0) return false
    const now = this.#now()
    const id = [...distinctId].slice(0, 200).join('')
    const arrivals = this.#arrivals.get(id) ?? []
    while (arrivals.length > 0 && arrivals[0]! <= now - MINUTE_MS) arrivals.shift()
    arrivals.push(now)
    this.#arrivals.set(id, arrivals)
    if (arrivals.length <= this.#most) return false
    const eventUuid = uuidText(uuid)
    const details = { eventUuid, event, distinctId }
    this.#warnings.add({ type: 'high_volume_distinct_id', eventUuid, distinctId, details })
    return true
  }
}
