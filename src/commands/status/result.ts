import { z } from 'zod'
import { VIAS } from '../../delivery/route.ts'
import { undoRequestPart } from '../../imports/undo-words.ts'
import { count, fileImportIdsPart, notes, resultOf, tally, type ValueOf } from '../../result-parts.ts'

/** What `status` answers, an object a checkpoint. */
export const statusResult = resultOf('status', {
  checkpoint: z.string(),
  input: z.strictObject({ kind: z.enum(['dataset', 'file', 'files']), name: z.string(), bytes: count }),
  host: z.string(),
  via: z.enum(VIAS),
  rules: z.string().nullable(),
  import_ids: fileImportIdsPart,
  done: z.boolean(),
  sent: z.boolean().describe('all was sent, even if deleted since'),
  running: z.boolean(),
  held_by: z
    .strictObject({
      process: z.string(),
      since: z.string(),
      purpose: z.string(),
      seen: z.boolean().describe('visible from this machine'),
    })
    .nullable(),
  started_at: z.string(),
  saved_at: z.string(),
  written: count,
  unconfirmed: count.describe('a part of `written`'),
  rejected: count,
  pending: count.nullable().describe('null for files'),
  rejects: tally,
  share: z.number().nullable().describe('0 to 1'),
  import_command: z.string().nullable(),
  ends_at: z.string().nullable().describe('ISO time, at the earliest: at the rate cap'),
  caps: z.strictObject({ events_per_minute: count, events: count, approved: z.boolean() }),
  migration: z
    .strictObject({ events: count, delivered: count, since: z.string(), imports: count })
    .nullable(),
  warnings: tally,
  unmerged: tally,
  ...notes,
  undo: undoRequestPart
    .nullable()
    .describe('the deletion request of [`undo`](undo.md); `done` is false then'),
  undo_command: z.string().nullable().describe('asks how far it is'),
})

export type StatusResult = ValueOf<typeof statusResult>
