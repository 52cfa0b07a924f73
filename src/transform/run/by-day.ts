import type { Segment } from './frame.ts'

/** Segments by day, the days in order. */
export function groupByDay(segments: readonly Segment[]): Array<[number, Segment[]]> {
  const days = new Map<number, Segment[]>()
  for (const segment of segments) {
    const day = days.get(segment.day)
    if (day) day.push(segment)
    else days.set(segment.day, [segment])
  }
  return [...days].sort(([a], [b]) => a - b)
}
