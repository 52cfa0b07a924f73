import { GROUP_EVENT, GROUP_EVENT_NAMES } from '../record/group-event.ts'
import { MS_PER_DAY } from '../units.ts'

/** The number of events of a UTC day and a name, in the dataset and in the service. */
export interface Difference {
  readonly day: string
  readonly event: string
  readonly here: number
  readonly there: number
}

/** The result of comparing a dataset with the service. */
export interface Comparison {
  readonly days: number
  /** Events in the dataset. */
  readonly here: number
  /** Events in the service with a day and name that the dataset has. */
  readonly there: number
  /** Events in the service on the dataset's days, with names that the dataset does not have on that day. */
  readonly others: number
  readonly differences: readonly Difference[]
}

export type Days = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Group events have either of two names (import's --group-event-name), which count as one. */
function nameInService(name: string): string {
  return GROUP_EVENT_NAMES.includes(name) ? GROUP_EVENT : name
}

/** The counts of several datasets together. */
export function sumOfDays(all: readonly Days[]): Days {
  const sum: Record<string, Record<string, number>> = {}
  for (const [day, names] of all.flatMap((days) => Object.entries(days))) {
    sum[day] ??= Object.create(null) as Record<string, number>
    for (const [name, count] of Object.entries(names)) {
      const sent = nameInService(name)
      sum[day][sent] = (sum[day][sent] ?? 0) + count
    }
  }
  return sum
}

/** A gap longer than this is worth another query. */
const MOST_GAP_DAYS = 31

/** The dataset's days as spans without a wide gap, so that no query reads years without events. */
export function spansOf(days: Days): { readonly first: string; readonly last: string }[] {
  const spans: { first: string; last: string }[] = []
  for (const day of Object.keys(days).sort()) {
    const current = spans.at(-1)
    if (current && Date.parse(day) - Date.parse(current.last) <= MOST_GAP_DAYS * MS_PER_DAY)
      current.last = day
    else spans.push({ first: day, last: day })
  }
  return spans
}

/** Compares the counts of `sumOfDays` with the service's counts, day by day and name by name. */
export async function compare(
  days: Days,
  counts: AsyncIterable<{ readonly day: string; readonly event: string; readonly count: number }>,
): Promise<Comparison> {
  const found = new Map<string, Map<string, number>>()
  let others = 0
  for await (const { day, event: name, count } of counts) {
    const expected = days[day]
    if (!expected) continue
    const event = nameInService(name)
    if (Object.hasOwn(expected, event)) {
      const ofDay = found.get(day) ?? new Map<string, number>()
      found.set(day, ofDay.set(event, (ofDay.get(event) ?? 0) + count))
    } else others += count
  }
  const differences: Difference[] = []
  let [here, there] = [0, 0]
  for (const day of Object.keys(days).sort()) {
    for (const [event, expected] of Object.entries(days[day]!).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const count = found.get(day)?.get(event) ?? 0
      here += expected
      there += count
      if (count !== expected) differences.push({ day, event, here: expected, there: count })
    }
  }
  return { days: Object.keys(days).length, here, there, others, differences }
}
