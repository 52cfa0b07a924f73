import { z } from 'zod'
import { BIGQUERY_FIELDS } from './bigquery-cells.ts'

// Answers of the REST API (v2), as far as they are read: https://cloud.google.com/bigquery/docs/reference/rest

const DIGITS = z.string().regex(/^\d+$/)
/** What is known of a table. */
export const TABLE_ANSWER = z.object({
  kind: z.literal('bigquery#table'),
  type: z.string(),
  numRows: DIGITS.optional(),
  numBytes: DIGITS.default('0'),
  lastModifiedTime: DIGITS.optional(),
  schema: z.object({ fields: BIGQUERY_FIELDS.default([]) }).default({ fields: [] }),
  streamingBuffer: z.unknown().optional(),
  timePartitioning: z.object({ field: z.string().optional() }).optional(),
  rangePartitioning: z.object({ field: z.string() }).optional(),
})
export type TableAnswer = z.infer<typeof TABLE_ANSWER>

/** A page of a list of tables. */
export const TABLE_LIST_ANSWER = z.object({
  kind: z.literal('bigquery#tableList'),
  tables: z
    .array(z.object({ type: z.string(), tableReference: z.object({ tableId: z.string() }) }))
    .default([]),
  nextPageToken: z.string().optional(),
})

/** What is known of a dataset. */
export const DATASET_ANSWER = z.object({
  kind: z.literal('bigquery#dataset'),
  location: z.string(),
  access: z.array(z.object({ role: z.string(), userByEmail: z.string() }).partial()).default([]),
})
