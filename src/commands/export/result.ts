import { z } from 'zod'
import { count, counts, errorPart, resultOf, seconds, type ValueOf } from '../../result-parts.ts'

const shortages = z
  .array(z.strictObject({ day: z.string(), event: z.string().nullable(), here: count, vendor: count }))
  .nullable()

/** What `export` answers. */
export const exportResult = resultOf('export', {
  vendor: z.string(),
  dry_run: z.boolean(),
  finished: z.boolean(),
  out: z.string(),
  seconds: seconds.nullable(),
  counts,
  windows: z.strictObject({
    asked: count,
    fetched: count,
    missing: count,
    refused: z.array(z.string()).describe('by the vendor'),
  }),
  dataset: z.strictObject({ parts: count, records: count, bytes: count }).nullable(),
  late: z.array(z.string()).nullable().describe('windows that were fetched while events still came in'),
  skipped_members: count.nullable().describe("of the vendor's archives, in this run: they hold no records"),
  reconciled: z
    .strictObject({
      days: count.nullable(),
      other_days: count.nullable(),
      last_days: count.nullable(),
      zone: z.string().nullable(),
      zone_known: z.boolean().nullable(),
      events: z.strictObject({ here: count, vendor: count }).nullable(),
      short: shortages,
      arriving: shortages,
      untold: z.array(z.string()).nullable(),
      uncertain_parts: count.nullable(),
      uncertain_days: count.nullable(),
      reason: z.string().nullable(),
    })
    .nullable(),
  person_state: z
    .strictObject({
      from: z.enum(['events', 'person_properties', 'persons', 'none', 'unknown']),
      events_without_set: count.nullable(),
      reason: z.string().nullable(),
    })
    .nullable()
    .describe('of PostHog, else null'),
  error: errorPart.nullable(),
  least_seconds: count.nullable().describe('of a dry run, else null'),
  requests: z
    .array(z.strictObject({ window: z.string(), asks: z.string() }))
    .nullable()
    .describe('of a dry run, else null'),
})

export type ExportResult = ValueOf<typeof exportResult>
