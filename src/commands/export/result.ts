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
  preset: z.string().nullable().describe('reads the records; null where only the user knows it'),
  seconds: seconds.nullable(),
  counts,
  windows: z.strictObject({
    asked: count,
    fetched: count,
    missing: count,
    bytes: count.describe('as stored, of those that this run fetched'),
    refused: z.array(z.string()).describe('by the vendor'),
  }),
  dataset: z.strictObject({ parts: count, records: count, bytes: count }).nullable(),
  late: z.array(z.string()).nullable().describe('windows that were fetched while events still came in'),
  renews: z.boolean().describe('the same command looks at these again'),
  reconciled: z
    .strictObject({
      by: z.string().describe('who counts'),
      asked: z.boolean(),
      counted: z.array(z.string()).describe('what is counted, by what: `day`, `event`'),
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
      apart: z
        .string()
        .nullable()
        .describe('a name of events that is in no count and not exported: PostHog keeps them elsewhere'),
      remedy: z.string().nullable(),
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
  next_command: z.string().nullable(),
  least_seconds: count.nullable().describe('of a dry run, else null'),
  requests: z
    .array(z.strictObject({ window: z.string(), asks: z.string() }))
    .nullable()
    .describe('of a dry run, else null'),
})

export type ExportResult = ValueOf<typeof exportResult>
