import { type ChartInterval, type ChartSpan, periodsOf } from '../charts/index.ts'
import { dayText } from '../record/index.ts'
import { spanOfDay } from '../sources/index.ts'
import { MICROS_PER_DAY, MICROS_PER_MS, MS_PER_DAY } from '../text/index.ts'

/** Days since the epoch. */
function numberOf(day: string): number {
  return Date.parse(day) / MS_PER_DAY
}

/** A run of days that begin at the same time by UTC. */
interface DayRun {
  readonly first: number
  readonly last: number
  /** Microseconds since the epoch. */
  readonly start: number
}

/**
 * The days of a span in a time zone, as SQL. Its rules come from Intl, as those of the sides that are asked: DuckDB's own
 * could be of another year.
 */
export class ZoneDays {
  readonly #runs: DayRun[] = []
  /** Instants of the span, [start, end), in microseconds. */
  readonly start: number
  readonly end: number

  constructor(span: ChartSpan, zone: string) {
    const startOf = (day: number) => spanOfDay(dayText(day), zone).start * MICROS_PER_MS
    const [first, last] = [numberOf(span.first), numberOf(span.last)]
    let from = first
    for (let day = first; day <= last; day++) {
      if (day < last && startOf(day + 1) - startOf(day) === MICROS_PER_DAY) continue
      // A day that is longer or shorter ends its run.
      this.#runs.push({ first: from, last: day, start: startOf(from) })
      from = day + 1
    }
    this.start = startOf(first)
    this.end = startOf(last + 1)
  }

  /** SQL for the number of the day that an instant in the span lies in. */
  dayOf(instant: string): string {
    const runs = this.#runs
    const branches = runs.map(({ first, last, start }, at) => {
      const day = `least(${last}, ${first} + (${instant} - ${start}) // ${MICROS_PER_DAY})`
      return at === runs.length - 1 ? `ELSE ${day}` : `WHEN ${instant} < ${runs[at + 1]!.start} THEN ${day}`
    })
    return runs.length === 1 ? branches[0]!.slice('ELSE '.length) : `CASE ${branches.join(' ')} END`
  }

  /** SQL that holds for instants of the span. */
  within(instant: string): string {
    return `${instant} >= ${this.start} AND ${instant} < ${this.end}`
  }
}

// The first Monday before every day that is met.
const MONDAYS = 700_003

/** SQL for the number of a period, which counts up by one, and for its first day as text; of a day's number. */
export const PERIODS: Readonly<
  Record<Exclude<ChartInterval, 'whole'>, { number(day: string): string; first(day: string): string }>
> = {
  day: { number: (day) => day, first: (day) => dateOf(day) },
  week: {
    number: (day) => `(${day} + ${MONDAYS}) // 7`,
    first: (day) => dateOf(`((${day} + ${MONDAYS}) // 7 * 7 - ${MONDAYS})`),
  },
  month: {
    number: (day) => `date_part('year', ${asDate(day)}) * 12 + date_part('month', ${asDate(day)})`,
    first: (day) => `date_trunc('month', ${asDate(day)})::DATE::VARCHAR`,
  },
}

function asDate(day: string): string {
  return `(DATE '1970-01-01' + (${day})::INTEGER)`
}

function dateOf(day: string): string {
  return `${asDate(day)}::VARCHAR`
}

/** The whole periods of a span as one span; undefined if there is none. */
export function wholePeriods(span: ChartSpan, interval: ChartInterval): ChartSpan | undefined {
  const periods = periodsOf(span, interval)
  return periods.length === 0 ? undefined : { first: periods[0]!.first, last: periods.at(-1)!.last }
}
