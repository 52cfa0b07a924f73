import { dayText } from '../../record/time.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import type { Timeline } from '../studio-data.ts'
import { commonest } from './event-rows.ts'
import type { MadeEvent } from './mapped-sample.ts'

/** Names that are told apart: more colours nobody can tell apart. */
const MOST_NAMES = 8

/** Events by UTC day. */
export function timelineOf(events: readonly MadeEvent[]): Timeline {
  const names = commonest(events.map(({ name }) => name)).slice(0, MOST_NAMES)
  const places = new Map(names.map((name, index) => [name, index]))
  const days = new Map<number, { counts: number[]; others: number }>()
  for (const { instant, name } of events) {
    const day = Math.floor(instant / MICROS_PER_DAY)
    const known = days.get(day) ?? { counts: names.map(() => 0), others: 0 }
    days.set(day, known)
    const place = places.get(name)
    if (place === undefined) known.others++
    else known.counts[place]!++
  }
  return {
    names,
    days: [...days].sort(([a], [b]) => a - b).map(([day, counted]) => ({ day: dayText(day), ...counted })),
  }
}
