import { dayText } from '../record/time.ts'
import { MS_PER_DAY } from '../text/units.ts'

/** No vendor that posthaul reads from is older: an event before this day has a wrong time. */
export const FIRST_DAY = '2005-01-01'

/** A day that should have this number of events is empty by chance less than once in 20,000 times. */
const BUSY = 10
/** So many weeks on each side say what is usual on a day of the week. */
const WEEKS = 4

/** Days without events, between others that have some. */
export interface Hole {
  readonly first: string
  readonly last: string
  readonly days: number
  /** On at least one of these days as many events are usual that there should be some. */
  readonly isOdd: boolean
}

/**
 * The days without events in the span of all others, oldest first. What is usual on a day is the median of the same day of
 * the week, in four weeks before and four after the hole: a product that nobody uses at weekends has no odd hole, and
 * neither has one that hardly anybody uses. Days before 2005 are no part of the span. Pure.
 */
export function missingDays(days: Readonly<Record<string, number>>): Hole[] {
  const there = Object.keys(days)
    .filter((day) => day >= FIRST_DAY && days[day]! > 0)
    .sort()
  const counts = new Map(there.map((day) => [numberOf(day), days[day]!]))
  const [first = 0, last = 0] = [there[0], there.at(-1)].map((day) => (day === undefined ? 0 : numberOf(day)))
  const holes: Hole[] = []
  let before = first
  for (const at of counts.keys()) {
    if (at > before + 1) holes.push(holeOf(before + 1, at - 1))
    before = at
  }
  return holes

  function holeOf(from: number, to: number): Hole {
    let isOdd = false
    // Seven days are all that a week has.
    for (let day = from; day <= Math.min(to, from + 6) && !isOdd; day++)
      isOdd = usualOn(day, from, to) >= BUSY
    return { first: dayText(from), last: dayText(to), days: to - from + 1, isOdd }
  }

  function usualOn(day: number, from: number, to: number): number {
    const same: number[] = []
    for (let n = 1, at = day - 7; n <= WEEKS && at >= first; at -= 7) {
      if (at >= from) continue
      same.push(counts.get(at) ?? 0)
      n++
    }
    for (let n = 1, at = day + 7 * Math.ceil((to + 1 - day) / 7); n <= WEEKS && at <= last; at += 7, n++)
      same.push(counts.get(at) ?? 0)
    // Of less than a week on both sides all days say what is usual.
    const usual = same.length > 0 ? same : [...counts.values()]
    usual.sort((a, b) => a - b)
    return usual[Math.floor((usual.length - 1) / 2)] ?? 0
  }
}

function numberOf(day: string): number {
  return Math.round(Date.parse(day) / MS_PER_DAY)
}
