import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `report` answers. */
export const reportResult = resultOf('report', {
  datasets: z.array(z.string()),
  out: z.string(),
  bytes: count.describe('of the page'),
  asked: z.string().nullable().describe('when PostHog was asked'),
  equal: z.boolean().nullable().describe('null: unknown'),
  verdict: z.string().nullable().describe('a sentence'),
  missing: z.array(z.string()).describe('sentences'),
  reduced: z.array(z.string()).describe('sentences'),
})

export type ReportResult = ValueOf<typeof reportResult>
