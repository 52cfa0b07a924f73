import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `report` answers. */
export const reportResult = resultOf('report', {
  datasets: z.array(z.string()),
  out: z.string(),
  bytes: count.describe('of the page'),
  asked: z.string().nullable().describe('when PostHog was asked, null if nobody did'),
  equal: z.boolean().nullable().describe('null: not known'),
  verdict: z.string().nullable().describe('what it comes to, for a person'),
  missing: z.array(z.string()).describe('sentences for a person'),
  reduced: z.array(z.string()).describe('sentences for a person'),
})

export type ReportResult = ValueOf<typeof reportResult>
