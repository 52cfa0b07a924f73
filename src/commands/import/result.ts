import { z } from 'zod'
import { VIAS } from '../../delivery/route.ts'
import { ERROR_CODES } from '../../errors.ts'
import {
  count,
  counts,
  errorPart,
  fileImportIdsPart,
  findingPart,
  ingestionWarningsPart,
  notes,
  resultOf,
  seconds,
  tally,
  type ValueOf,
} from '../../result-parts.ts'
import { plannedRequests } from '../planned-requests.ts'

/** What `import` answers. */
export const importResult = resultOf('import', {
  dry_run: z.boolean(),
  kind: z.enum(['dataset', 'file']),
  input: z.string(),
  bytes: count.describe('of the input'),
  host: z.string().nullable(),
  seconds,
  counts: counts.extend({ unconfirmed: count.exactOptional() }),
  conserved: z.boolean(),
  finished: z.boolean(),
  reason: z.enum(['stop_after', 'dry_run', ...ERROR_CODES]).nullable(),
  left: z.strictObject({ events: count.nullable(), bytes: count }).nullable(),
  written_now: count.nullable(),
  rejected_now: count.nullable(),
  own_events: count.nullable(),
  via: z.enum(VIAS),
  warnings: tally,
  unmerged: tally,
  unknown_answers: count,
  persons: z
    .strictObject({
      distinct_ids: count,
      taken_at: z.string(),
      put_right: z.strictObject({ persons: count, values: count, newer: count }).nullable(),
    })
    .nullable(),
  arrived: z.boolean().nullable(),
  ingestion_warnings: ingestionWarningsPart.nullable(),
  import_ids: fileImportIdsPart,
  rejects: tally.describe('by reason'),
  filtered: tally.describe('by reason'),
  young_events: count,
  migration: z.strictObject({ events: count, since: z.string(), max_events: count }).nullable(),
  rejects_file: z.string().nullable(),
  remarks: z.array(z.string()).describe('what is odd about the input'),
  events_per_minute: count.describe('the rate cap'),
  verify_command: z.string(),
  mend_command: z.string().nullable().describe('imports mended rejects'),
  fetch_command: z.string().nullable().describe('copies rejects from a bucket'),
  next_command: z.string().nullable().describe('continues, or sends after a dry run'),
  ...notes,
  findings: z.array(findingPart).describe('of guards'),
  error: errorPart.nullable(),
  plan: z
    .strictObject({
      events: count,
      batches: count,
      body_bytes: count,
      seconds_at_cap: count,
      requests: plannedRequests,
      volume_cap_reached: z.boolean(),
    })
    .nullable()
    .describe('dry run only'),
})

export type ImportResult = ValueOf<typeof importResult>
