import { z } from 'zod'
import { undoRequestPart } from '../../imports/undo-request.ts'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `undo` answers. */
export const undoResult = resultOf('undo', {
  project: z.strictObject({ id: z.string(), name: z.string() }),
  import_ids: z.array(z.string()),
  first: z.string().describe('day'),
  last: z.string().describe('day'),
  events: count.describe('with these ids on these days, now'),
  others: count.nullable().describe('of them, not of the dataset; null without one'),
  cells: z.array(
    z.strictObject({ day: z.string(), event: z.string(), events: count, others: count.nullable() }),
  ),
  hidden: z
    .strictObject({
      events: count.nullable().describe('null without a dataset'),
      months: count.describe("of the project's retention"),
      shown_from: z.string().describe('the first day that the project shows'),
    })
    .nullable()
    .describe("events that the project's retention hides: the query does not select them; else null"),
  query: z.string().describe('HogQL that selects them'),
  allowed: z.boolean().nullable().describe('whether the project takes requests; null if it was not asked'),
  refusal: z.string().nullable().describe("the service's words where it does not"),
  request: undoRequestPart.nullable(),
})

export type UndoResult = ValueOf<typeof undoResult>
