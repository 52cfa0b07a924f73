import { MS_PER_DAY } from '../text/index.ts'
import type { ChartInterval, ChartSpan } from './chart.ts'

/**
 * The whole days, weeks from Monday, or months of a span, in their order; those that the span's ends cut are left out.
 * `whole`: the span itself.
 */
export function periodsOf(span: ChartSpan, interval: ChartInterval): ChartSpan[] {
  if (interval === 'whole') return [span]
  const periods: ChartSpan[] = []
  let first = periodOf(span.first, interval)
  if (first < span.first) first = NEXT[interval](first)
  for (let next = NEXT[interval](first); dayBefore(next) <= span.last; next = NEXT[interval](next)) {
    periods.push({ first, last: dayBefore(next) })
    first = next
  }
  return periods
}

/** The first day of the period that a day is in. */
export function periodOf(day: string, interval: Exclude<ChartInterval, 'whole'>): string {
  if (interval === 'day') return day
  if (interval === 'month') return `${day.slice(0, 7)}-01`
  return dayAfter(day, -((new Date(day).getUTCDay() + 6) % 7))
}

/** How many days a span has. */
export function spanDays({ first, last }: ChartSpan): number {
  return (Date.parse(last) - Date.parse(first)) / MS_PER_DAY + 1
}

/** The first day of the period after the one that begins on a day. */
const NEXT: Readonly<Record<Exclude<ChartInterval, 'whole'>, (first: string) => string>> = {
  day: (first) => dayAfter(first, 1),
  week: (first) => dayAfter(first, 7),
  month: (first) => periodOf(dayAfter(first, 31), 'month'),
}

function dayAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * MS_PER_DAY).toISOString().slice(0, 10)
}

const dayBefore = (day: string): string => dayAfter(day, -1)
