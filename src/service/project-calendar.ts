import { z } from 'zod'
import { isTimeZone } from '../record/index.ts'
import type { Api } from './api.ts'

/** What of a project decides which day and week an event is of. */
export interface ProjectCalendar {
  /** `Europe/Berlin`. */
  readonly zone: string
  /** False: its weeks begin on Sunday. */
  readonly weeksBeginOnMonday: boolean
}

const WHAT = "the project's time zone"
// Null is a project that never chose a day: its weeks begin on Sunday, as with 0 (posthog/models/team/team.py).
const schema = z.object({
  timezone: z.string().refine(isTimeZone, { error: 'no such time zone' }),
  week_start_day: z.literal([0, 1]).nullish(),
})

export async function projectCalendar(api: Api, projectId: string): Promise<ProjectCalendar> {
  const answer = await api.get(`/api/projects/${projectId}/`, {
    what: WHAT,
    scope: 'project:read',
    projectId,
  })
  const { timezone, week_start_day } = api.read(answer, schema, WHAT)
  return { zone: timezone, weeksBeginOnMonday: week_start_day === 1 }
}
