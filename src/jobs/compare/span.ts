import type { ChartSpan } from '../../charts/index.ts'
import { dayText } from '../../record/index.ts'
import { spanOfDay } from '../../sources/index.ts'
import { MS_PER_DAY } from '../../text/index.ts'

/** The zones whose days begin last and first: what is whole in both is whole in any. */
const ANY_ZONE = ['Etc/GMT+12', 'Pacific/Kiritimati']

/**
 * The days of which a history has all, in every zone of `zones`: what was exported are UTC days, or those of a vendor's zone, and
 * a day at either end may lie half outside. `undefined` among the zones is one that is not known. Undefined if no day is
 * whole.
 */
export function wholeDays(
  { first, last }: ChartSpan,
  zones: ReadonlyArray<string | undefined>,
): ChartSpan | undefined {
  const known = [...new Set(zones.flatMap((zone) => zone ?? ANY_ZONE))]
  const [start, end] = [Date.parse(first), Date.parse(last) + MS_PER_DAY]
  const isWhole = (day: number) =>
    known.every((zone) => {
      const span = spanOfDay(dayText(day), zone)
      return span.start >= start && span.end <= end
    })
  let [from, to] = [start / MS_PER_DAY - 1, end / MS_PER_DAY]
  while (from <= to && !isWhole(from)) from++
  while (to >= from && !isWhole(to)) to--
  return from <= to ? { first: dayText(from), last: dayText(to) } : undefined
}

/** The days from one on of which both sides have all by now: yesterday is over everywhere once it is over in both zones. */
export function daysSince(first: string, zones: readonly string[], now: number): ChartSpan | undefined {
  let last = Math.floor(now / MS_PER_DAY) + 1
  while (zones.some((zone) => spanOfDay(dayText(last), zone).end > now)) last--
  return dayText(last) < first ? undefined : { first, last: dayText(last) }
}
