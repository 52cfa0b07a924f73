/** A day, an event's name, and how many events of it the service holds. */
export type DayCount = readonly [day: string, event: string, count: number]

/** What differs between the counts of a manifest and those of the service, a line each; none when all agree. */
export function differences(
  here: Readonly<Record<string, Readonly<Record<string, number>>>>,
  there: readonly DayCount[],
): string[] {
  const counts = new Map<string, { here: number; there: number }>()
  const at = (day: string, event: string) => {
    const key = `${day} ${event}`
    const known = counts.get(key) ?? { here: 0, there: 0 }
    counts.set(key, known)
    return known
  }
  for (const [day, events] of Object.entries(here)) {
    for (const [event, count] of Object.entries(events)) at(day, event).here = count
  }
  for (const [day, event, count] of there) at(day, event).there = count
  return [...counts]
    .filter(([, count]) => count.here !== count.there)
    .map(([key, count]) => `${key}: ${count.here} here, ${count.there} in the service`)
}
