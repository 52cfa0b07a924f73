import { MS_PER_DAY } from '../../text/index.ts'
import { type PartCounts, SLOT_MS } from './part-counts.ts'

const SLOTS_PER_DAY = MS_PER_DAY / SLOT_MS

/** Days whose copies no part's own counts tell: several parts hold events of them, or a part is too large. */
export interface Overlap {
  /** Slots [from, until). */
  readonly from: number
  readonly until: number
  /** The parts that hold events of these days. */
  readonly parts: readonly string[]
}

/** A part's events by day since the epoch, and whether its own counts tell copies apart. */
export interface PartDays {
  readonly days: ReadonlyMap<number, number>
  readonly told: boolean
}

/**
 * Finds the days whose copies must be told apart over parts, and groups them, oldest first, so that no group of several
 * days has more than `most` events. `shares`: whether a slot is of such a day.
 */
export function overlapsOf(
  parts: ReadonlyMap<string, PartDays>,
  most: number,
): { readonly overlaps: readonly Overlap[]; shares(slot: number): boolean } {
  const holders = new Map<number, { count: number; told: boolean; readonly parts: string[] }>()
  for (const [part, { days, told }] of parts) {
    for (const [day, count] of days) {
      const found = holders.get(day) ?? { count: 0, told: true, parts: [] }
      found.count += count
      found.told &&= told
      found.parts.push(part)
      holders.set(day, found)
    }
  }
  const shared = [...holders]
    .filter(([, { parts, told }]) => parts.length > 1 || !told)
    .sort(([a], [b]) => a - b)
  const overlaps: { from: number; until: number; count: number; parts: Set<string> }[] = []
  for (const [day, { count, parts }] of shared) {
    const last = overlaps.at(-1)
    const [from, until] = [day * SLOTS_PER_DAY, (day + 1) * SLOTS_PER_DAY]
    // A gap between the days is a day that is not shared: it is counted elsewhere.
    if (last?.until === from && last.count + count <= most) {
      last.until = until
      last.count += count
      for (const part of parts) last.parts.add(part)
    } else overlaps.push({ from, until, count, parts: new Set(parts) })
  }
  const days = new Set(shared.map(([day]) => day))
  return {
    overlaps: overlaps.map(({ from, until, parts }) => ({ from, until, parts: [...parts] })),
    shares: (slot) => days.has(Math.floor(slot / SLOTS_PER_DAY)),
  }
}

/** The events of a part by day. */
export function daysOfPart({ counts, copies }: PartCounts): PartDays {
  const days = new Map<number, number>()
  for (const slots of counts.values()) {
    for (const [slot, count] of slots) {
      const day = Math.floor(slot / SLOTS_PER_DAY)
      days.set(day, (days.get(day) ?? 0) + count)
    }
  }
  return { days, told: copies !== null }
}

/** The counts of the slots that a filter lets through. */
export function countsWithin(part: PartCounts, within: (slot: number) => boolean): PartCounts {
  const counts = [...part.counts].map(([name, slots]): [string, Map<number, number>] => [
    name,
    new Map([...slots].filter(([slot]) => within(slot))),
  ])
  return { ...part, counts: new Map(counts) }
}
