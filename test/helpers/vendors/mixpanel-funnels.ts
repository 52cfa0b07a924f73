import { dayIn } from './days.ts'
import type { MixpanelEvent } from './mixpanel.ts'

/** A funnel that is saved in the project: its steps are names of events. */
export interface SavedFunnel {
  readonly id: number
  readonly name: string
  readonly steps: readonly string[]
  /** The filter of the last step, as an answer tells it. */
  readonly selector?: string
}

const LENGTHS: Readonly<Record<string, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}
/** Steps this close together count in any order. */
const GRACE_MS = 2000

/**
 * How many people came to each step, by the uniques of docs.mixpanel.com/docs/reports/funnels/funnels-advanced: a person
 * enters by the first of its first steps in these days, and has the window from then on; other events may lie between.
 */
export function funnelCounts(
  own: Iterable<readonly MixpanelEvent[]>,
  { steps }: SavedFunnel,
  query: URLSearchParams,
  zone: string,
): number[] {
  const [from, to] = [query.get('from_date') ?? '', query.get('to_date') ?? '']
  const window = Number(query.get('length')) * (LENGTHS[query.get('length_unit') ?? 'day'] ?? Number.NaN)
  const counts = steps.map(() => 0)
  for (const events of own) {
    const entry = events.find(({ event, properties: { time } }) => {
      const day = dayIn(zone, time)
      return event === steps[0] && day >= from && day <= to
    })
    if (!entry) continue
    counts[0]!++
    let at = entry
    for (let step = 1; step < steps.length; step++) {
      const next = events.find((event) => {
        const { time } = event.properties
        const isAfter = time >= at.properties.time - GRACE_MS && event !== at
        return event.event === steps[step] && isAfter && time - entry.properties.time <= window
      })
      if (!next) break
      counts[step]!++
      at = next
    }
  }
  return counts
}
