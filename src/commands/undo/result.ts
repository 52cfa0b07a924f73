import { z } from 'zod'
import { undoRequestPart } from '../../imports/undo-words.ts'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `undo` answers. */
export const undoResult = resultOf('undo', {
  project: z.strictObject({ id: z.string(), name: z.string() }),
  import_ids: z.array(z.string()),
  first: z.string().describe('day'),
  last: z.string().describe('day'),
  events: count.describe('found now'),
  others: count.nullable().describe('not of the dataset'),
  cells: z.array(
    z.strictObject({ day: z.string(), event: z.string(), events: count, others: count.nullable() }),
  ),
  hidden: z
    .strictObject({
      events: count.nullable().describe('null without a dataset'),
      months: count.describe("of the project's retention"),
      shown_from: z.string().describe('the first day it shows'),
    })
    .nullable()
    .describe('hidden by retention: not selected'),
  query: z.string().describe('HogQL that selects them'),
  allowed: z.boolean().nullable().describe('the project takes requests'),
  refusal: z.string().nullable().describe('why not'),
  request: undoRequestPart.nullable(),
})

export type UndoResult = ValueOf<typeof undoResult>
