import { dayText } from '../record/time.ts'
import { MS_PER_DAY } from '../text/units.ts'

/** No vendor that posthaul reads from is older: an event before this day has a wrong time. */
export const FIRST_DAY = '2005-01-01'

/** Days without events, between others that have some. */
interface Hole {
  readonly first: string
  readonly last: string
  readonly days: number
}

/** The days without events in the span of all others, oldest first. Days before 2005 are no part of the span. Pure. */
export function missingDays(days: Readonly<Record<string, number>>): Hole[] {
  const there = Object.keys(days)
    .filter((day) => day >= FIRST_DAY && days[day]! > 0)
    .sort()
    .map((day) => Math.round(Date.parse(day) / MS_PER_DAY))
  return there.flatMap((at, n) => {
    const before = there[n - 1] ?? at - 1
    return at === before + 1
      ? []
      : { first: dayText(before + 1), last: dayText(at - 1), days: at - before - 1 }
  })
}
