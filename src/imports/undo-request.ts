import { z } from 'zod'
import { count, type ValueOf } from '../result-parts.ts'

/** A request to delete what an import sent, as results show it. */
export const undoRequestPart = z.strictObject({
  submission_id: z.string(),
  id: z.string().nullable(),
  status: z.string(),
  filed_at: z.string(),
  left: count.nullable().describe('events; null until it is done'),
})

export type ShownRequest = ValueOf<typeof undoRequestPart>
