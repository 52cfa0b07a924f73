import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'

/** What `preset test` answers. */
export const presetTestResult = resultOf('preset test', {
  preset: z.string(),
  vendor: z.string(),
  fixtures: z.string().describe('the folder'),
  cases: count,
  failures: z
    .array(z.strictObject({ case: z.string(), about: z.string(), differences: z.array(z.string()) }))
    .describe('cases that become something else than they say'),
})

export type PresetTestResult = ValueOf<typeof presetTestResult>
