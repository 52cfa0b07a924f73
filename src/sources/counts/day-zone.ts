import { dayText } from '../../record/time.ts'
import { zoneOffsetMicros } from '../../record/zone.ts'
import { MICROS_PER_MS, MS_PER_DAY, MS_PER_HOUR } from '../../units.ts'
import type { Span } from '../window.ts'
import { SLOT_MS } from './part-counts.ts'

// Clocks show at most this much more, and less, than UTC.
const EAST_MS = 14 * MS_PER_HOUR
const WEST_MS = 12 * MS_PER_HOUR

/** The days from `first` to `last`, both included: `2024-03-01`. */
export function daysFrom(first: string, last: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(first); at <= Date.parse(last); at += MS_PER_DAY)
    days.push(dayText(at / MS_PER_DAY))
  return days
}

/** The first and the last of each run of at most so many days. */
export function spansOf(days: readonly string[], most: number): [first: string, last: string][] {
  const spans: [string, string][] = []
  for (let at = 0; at < days.length; at += most)
    spans.push([days[at]!, days[Math.min(at + most, days.length) - 1]!])
  return spans
}

/** A calendar day of a time zone. */
export function spanOfDay(day: string, zone: string): Span {
  const midnight = Date.parse(day)
  return { start: instantOf(midnight, zone), end: instantOf(midnight + MS_PER_DAY, zone) }
}

function instantOf(wall: number, zone: string): number {
  return zone === 'UTC' ? wall : wall - zoneOffsetMicros(wall * MICROS_PER_MS, zone) / MICROS_PER_MS
}

/** Counts by quarter of an hour, which can be summed over any span. */
export class SlotTotals {
  readonly #first: number
  /** How many there are before each slot, from `#first` on. */
  readonly #before: Float64Array

  constructor(counts: ReadonlyMap<number, number>) {
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const slot of counts.keys()) {
      first = Math.min(first, slot)
      last = Math.max(last, slot)
    }
    this.#first = counts.size === 0 ? 0 : first
    this.#before = new Float64Array(counts.size === 0 ? 1 : last - first + 2)
    for (let i = 1; i < this.#before.length; i++) {
      this.#before[i] = this.#before[i - 1]! + (counts.get(this.#first + i - 1) ?? 0)
    }
  }

  within({ start, end }: Span): number {
    return this.#upTo(end) - this.#upTo(start)
  }

  #upTo(instant: number): number {
    const place = Math.round(instant / SLOT_MS) - this.#first
    return this.#before[Math.max(0, Math.min(place, this.#before.length - 1))]!
  }
}

/**
 * The time zone whose days fit a vendor's counts of days best; undefined when there are too few days to tell. `usable`
 * says whether all of a span was exported.
 *
 * No vendor's report says which zone its days are of, and a wrong one would make every day look too large or too small.
 * A wrong zone can't make a short export look whole, unless it moves events in over the edge of the first or last day.
 * So UTC is left only where some days have more events here than there, and another zone halves the differences.
 */
export function zoneOfDays(
  there: ReadonlyMap<string, number>,
  here: SlotTotals,
  usable: (span: Span) => boolean,
): string | undefined {
  // Days that are whole in any zone: all zones are judged by the same.
  const days = [...there.keys()].filter((day) => {
    const { start, end } = spanOfDay(day, 'UTC')
    return usable({ start: start - EAST_MS, end: end + WEST_MS })
  })
  if (days.length === 0) return undefined
  const differences = (zone: string) => {
    return days.map((day) => here.within(spanOfDay(day, zone)) - there.get(day)!)
  }
  const size = (zone: string) => differences(zone).reduce((sum, one) => sum + Math.abs(one), 0)
  if (!differences('UTC').some((one) => one > 0)) return 'UTC'
  let best = { zone: 'UTC', size: size('UTC') / 2 }
  for (const zone of distinctZones(days)) {
    const of = size(zone)
    if (of < best.size) best = { zone, size: of }
  }
  return best.zone
}

/** One zone of each group whose clocks agree every week. */
function distinctZones(days: readonly string[]): string[] {
  const zones = new Map<string, string>()
  const weeks = days.filter((_, at) => at % 7 === 0 || at === days.length - 1)
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const clock = weeks.map((day) => spanOfDay(day, zone).start).join()
    if (!zones.has(clock)) zones.set(clock, zone)
  }
  return [...zones.values()]
}
