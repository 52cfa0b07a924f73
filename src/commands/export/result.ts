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
  preset: z.string().nullable().describe('fits the records'),
  seconds: seconds.nullable(),
  counts,
  windows: z.strictObject({
    asked: count,
    fetched: count,
    missing: count,
    bytes: count.describe('as stored'),
    refused: z.array(z.string()).describe('by the vendor'),
  }),
  dataset: z.strictObject({ parts: count, records: count, bytes: count }).nullable(),
  late: z.array(z.string()).nullable().describe('windows fetched too early'),
  renews: z.boolean().describe('the same command fetches them again'),
  reconciled: z
    .strictObject({
      by: z.string().describe('who counts'),
      asked: z.boolean(),
      counted: z.array(z.string()).describe('`day`, `event`'),
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
      shown_from: z.string().nullable().describe('older days are hidden by retention'),
      apart: z.string().nullable().describe('a name that PostHog keeps elsewhere: not exported'),
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
    .describe('PostHog only'),
  error: errorPart.nullable(),
  next_command: z.string().nullable(),
  least_seconds: count.nullable().describe('dry run only'),
  requests: z
    .array(z.strictObject({ window: z.string(), asks: z.string() }))
    .nullable()
    .describe('dry run only'),
})

export type ExportResult = ValueOf<typeof exportResult>
