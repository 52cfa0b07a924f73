import { z } from 'zod'
import { count, counts, notes, resultOf, tally, type ValueOf } from '../../result-parts.ts'

/** What `groups export` answers. */
export const groupsExportResult = resultOf('groups export', {
  out: z.string(),
  counts: counts.extend({ generated: count }),
  days: z.record(z.string(), tally).describe('events by day and name'),
  parts: count,
  rejects: tally.describe('by reason'),
  mends: tally,
  big_integers: notes.big_integers,
})

export type GroupsExportResult = ValueOf<typeof groupsExportResult>
