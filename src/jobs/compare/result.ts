import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../result-parts.ts'

const amount = z.number()
const day = z.string()
const at = z.strictObject({
  at: z.string().describe('first day of a bucket, step of a funnel, or `whole`'),
  by: z.string().nullable(),
  amount,
})
/** Null where a side was not asked, or has no answer. */
const numbers = z.strictObject({
  vendor: amount.nullable(),
  dataset: amount.nullable(),
  posthog: amount.nullable(),
})
const part = z.strictObject({
  cause: z.string().describe('`filtered`, `rejected`, `duplicate`, …; docs/compare.md has all'),
  text: z.string().describe('what it means'),
  amount: amount.describe('of all differences in this chart, those up and those down added up'),
  net: amount.describe('what it adds to the number from the vendor to PostHog'),
  cells: count,
  example: at,
})

/** What `compare` answers. */
export const compareResult = resultOf('compare', {
  datasets: z.array(z.string()),
  with: z.string().nullable(),
  first: day.nullable().describe('whole days that were compared; null where none were'),
  last: day.nullable(),
  zones: z.strictObject({ vendor: z.string().nullable(), posthog: z.string().nullable() }),
  tolerance: z.strictObject({ events: amount, people: amount }),
  equal: z.boolean().describe('nothing is unexplained beyond the tolerance'),
  unexplained: z
    .strictObject({ chart: z.string(), amount, share: amount, charts: count })
    .nullable()
    .describe('the chart with most of it, and how many charts are beyond the tolerance; null for none'),
  charts: z
    .array(
      z.strictObject({
        name: z.string(),
        kind: z.string(),
        report: z.string().nullable(),
        numbers: numbers.describe(
          'its cells added up; of a funnel those of the last step, of retention those of later periods',
        ),
        unanswered: z.array(z.strictObject({ side: z.string(), why: z.string() })),
        causes: z.array(part),
        unexplained: z.strictObject({ amount, share: amount, cells: count, example: at.nullable() }),
        equal: z.boolean(),
        estimated: z.boolean(),
        notes: z.array(z.string()),
        cells: z
          .array(numbers.extend({ at: z.string(), by: z.string().nullable(), unexplained: amount }))
          .describe('those that differ, most unexplained first, 50 at most'),
        other_cells: count.describe('more that differ'),
      }),
    )
    .describe('most unexplained first'),
  causes: z.array(part.extend({ charts: count, chart: z.string().describe('of the example') })),
  asked: z.array(
    z.strictObject({
      side: z.string(),
      charts: count,
      kept: count.describe('of them, answered earlier'),
      since: z.string().nullable(),
    }),
  ),
  reports: z
    .array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        kind: z.string(),
        charts: z.array(z.string()),
        why: z.string().nullable().describe('it can not be compared'),
      }),
    )
    .nullable()
    .describe('with --list-reports, which compares nothing; else null'),
  notes: z.array(z.string()),
})

export type CompareResult = ValueOf<typeof compareResult>
