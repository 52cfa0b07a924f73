import { z } from 'zod'
import { count, resultOf, samplePart, seconds, tally, type ValueOf } from '../../result-parts.ts'

/** What `init` answers. */
export const initResult = resultOf('init', {
  finished: z.literal(true),
  out: z.string().nullable(),
  tests: z.string().nullable().describe('the file of tests'),
  seconds,
  preset: z.string(),
  recognised: z.strictObject({ title: z.string(), members: z.array(z.string()), records: count }).nullable(),
  encoding: z.string().nullable(),
  sample: z.strictObject({
    records: count,
    read: count,
    refused: count.describe('unreadable'),
    ...samplePart,
  }),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.string(),
      role: z.string().nullable(),
      filled: z.number(),
      example: z.string(),
    }),
  ),
  questions: z.array(z.strictObject({ about: z.string(), text: z.string() })),
  missing: z.array(z.enum(['event', 'distinct_id', 'timestamp'])).describe('where the file says `FILL_IN`'),
  trial: z
    .strictObject({
      ...{ read: count, events: count, rejected: count, filtered: count, reasons: tally },
      list: z.string().nullable().describe('the list that becomes events'),
    })
    .nullable(),
  mapping: z.string().describe('the text'),
  next_command: z.string().describe('tries it'),
  studio_command: z.string().describe('opens it on a page of this machine'),
})

export type InitResult = ValueOf<typeof initResult>
