import { z } from 'zod'
import { MS_PER_DAY } from '../text/units.ts'

/** The members of a project that say for how long it shows events. Older and self-hosted servers have none: they show all. */
export const retentionShape = {
  event_retention_months: z.int().min(0).nullish(),
  events_retention_enforced: z.boolean().nullish(),
}

/** A retention that a project enforces. */
export interface Retention {
  readonly months: number
  /** Queries show no event from before this instant, in ms since the epoch. */
  readonly floor: number
  /** The first UTC day that they show as a whole. The floor moves on: what is left of the day before goes within hours. */
  readonly firstDay: string
}

/** What a project hides now (ms since the epoch); undefined if it shows all events. */
export function retentionOf(
  project: z.infer<z.ZodObject<typeof retentionShape>>,
  now: number,
): Retention | undefined {
  const { event_retention_months: months, events_retention_enforced: isEnforced } = project
  if (!isEnforced || months === undefined || months === null) return undefined
  const floor = monthsBefore(now, months)
  const day = new Date(floor)
  if (floor % MS_PER_DAY !== 0) day.setUTCDate(day.getUTCDate() + 1)
  return { months, floor, firstDay: day.toISOString().slice(0, 10) }
}

/** The same time of day so many calendar months before, in UTC; on the last day of a month that has no such day. */
export function monthsBefore(now: number, months: number): number {
  const at = new Date(now)
  const day = at.getUTCDate()
  at.setUTCMonth(at.getUTCMonth() - months)
  // A day that the month has not falls into the next one.
  if (at.getUTCDate() !== day) at.setUTCDate(0)
  return at.getTime()
}
