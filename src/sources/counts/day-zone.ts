import { dayText } from '../../record/time.ts'
import { zoneOffsetMicros } from '../../record/zone.ts'
import { sum } from '../../text/lists.ts'
import { MICROS_PER_MS, MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import type { WindowSpan } from '../window.ts'
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

/** Things that follow one another, so many together at most. */
export function runsOf<T>(things: readonly T[], most: number): T[][] {
  const count = Math.ceil(things.length / most)
  return Array.from({ length: count }, (_, at) => things.slice(at * most, (at + 1) * most))
}

export function spanOfDay(day: string, zone: string): WindowSpan {
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

  within({ start, end }: WindowSpan): number {
    return this.#upTo(end) - this.#upTo(start)
  }

  #upTo(instant: number): number {
    const place = Math.round(instant / SLOT_MS) - this.#first
    return this.#before[Math.max(0, Math.min(place, this.#before.length - 1))]!
  }
}

// Fewer days than this do not tell a zone.
const LEAST_DAYS = 3

/**
 * The time zone whose days fit a vendor's counts of days; undefined when there are too few days to tell. `usable` says
 * whether all of a span was exported.
 *
 * No vendor's report says which zone its days are of, and in a wrong one every day looks too large or too small. A
 * wrong zone could also make a short export look whole, where it moves events in over the edge of the first or last
 * day. That mends a day or two. So another zone than UTC must fit three days better and none worse, or so many more
 * better than worse that it is no chance.
 */
export function zoneOfDays(
  there: ReadonlyMap<string, number>,
  here: SlotTotals,
  usable: (span: WindowSpan) => boolean,
): string | undefined {
  // Days that are whole in any zone: all zones are judged by the same.
  const days = [...there.keys()].filter((day) => {
    const { start, end } = spanOfDay(day, 'UTC')
    return usable({ start: start - EAST_MS, end: end + WEST_MS })
  })
  const misfits = (zone: string) =>
    misfitsOf(days.map((day) => here.within(spanOfDay(day, zone)) - there.get(day)!))
  const utc = misfits('UTC')
  if (days.length < LEAST_DAYS) return undefined
  let best = { zone: 'UTC', size: sum(utc) }
  if (best.size === 0) return 'UTC'
  for (const zone of distinctZones(days)) {
    const found = misfits(zone)
    if (fitsBetter(found, utc) && sum(found) < best.size) best = { zone, size: sum(found) }
  }
  return best.zone
}

function fitsBetter(misfits: readonly number[], utc: readonly number[]): boolean {
  const better = misfits.filter((one, at) => one < utc[at]!).length
  const worse = misfits.filter((one, at) => one > utc[at]!).length
  // Days of pure chance are as often better as worse: their difference is above this once in a hundred times.
  return worse === 0 ? better >= LEAST_DAYS : better - worse > 2.5 * Math.sqrt(better + worse)
}

/**
 * How far each day's difference is from the usual one, as a logarithm: a day that is half lost must not outweigh all
 * others, and what is lost or hidden every day says nothing about the zone.
 */
function misfitsOf(differences: readonly number[]): number[] {
  const usual = [...differences].sort((a, b) => a - b)[Math.floor(differences.length / 2)] ?? 0
  return differences.map((one) => Math.log1p(Math.abs(one - usual)))
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
