/*
 * Days are numbers without a zone here: milliseconds of midnight, as if it were UTC. What a day is in the project's time
 * zone the database knows.
 */

const MS_PER_DAY = 86_400_000

export type Unit = 'day' | 'week' | 'month'

/** What of the project decides where a bucket begins. */
export interface Calendar {
  readonly timeZone: string
  /** 1: weeks begin on Monday; 0 and null: on Sunday. */
  readonly weekStartDay: 0 | 1 | null
}

/** The first day of the bucket that a day is in. */
export function bucketOf(day: string, unit: Unit, calendar: Calendar): string {
  if (unit === 'month') return `${day.slice(0, 7)}-01`
  if (unit === 'day') return day
  const weekday = new Date(day).getUTCDay()
  return plus(day, -((weekday - (calendar.weekStartDay ?? 0) + 7) % 7))
}

/** The first day of the next bucket. */
export function nextBucket(day: string, unit: Unit): string {
  if (unit !== 'month') return plus(day, unit === 'day' ? 1 : 7)
  const date = new Date(day)
  return textOf(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1))
}

/** The first days of all buckets between two days, both included. */
export function buckets(first: string, last: string, unit: Unit, calendar: Calendar): string[] {
  const all: string[] = []
  for (let day = bucketOf(first, unit, calendar); day <= last; day = nextBucket(day, unit)) all.push(day)
  return all
}

/** The same in SQL, of a local time. */
export function bucketSql(local: string, unit: Unit, { weekStartDay }: Calendar): string {
  const start =
    unit === 'week' && weekStartDay !== 1
      ? `date_trunc('week', ${local} + INTERVAL 1 DAY) - INTERVAL 1 DAY`
      : `date_trunc('${unit}', ${local})`
  return `strftime(${start}, '%Y-%m-%d')`
}

/** Midnight of a day as an instant, in ISO with the offset that the zone has then: `2026-10-05T00:00:00+02:00`. */
export function midnight(day: string, { timeZone }: Calendar): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' }).formatToParts(
    new Date(day),
  )
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value.slice('GMT'.length)
  return `${day}T00:00:00${offset || '+00:00'}`
}

function plus(day: string, days: number): string {
  return textOf(Date.parse(day) + days * MS_PER_DAY)
}

function textOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
