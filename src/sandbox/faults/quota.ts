import type { CapturedEvent } from '../ingest/event.ts'
import type { Meter } from './fault.ts'

/** How many events each meter takes. */
export type Quota = Partial<Readonly<Record<Meter, number>>>

/** Meters in the order in which the service looks at their quotas. */
export const METERS = ['exceptions', 'surveys', 'ai', 'events'] as const satisfies readonly Meter[]

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
  standing(meter: Meter): {
    readonly limited: boolean
    readonly usage: number
    readonly limit: number | null
  } {
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
