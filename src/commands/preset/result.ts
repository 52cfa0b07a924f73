import { z } from 'zod'
import { PROMISES, type PromiseName } from '../../mapping-tests/promises.ts'
import { count, resultOf, tally, type ValueOf } from '../../result-parts.ts'

const promise = z.enum(Object.keys(PROMISES) as PromiseName[])

/** What `preset test` answers. */
export const presetTestResult = resultOf('preset test', {
  preset: z.string(),
  vendor: z.string(),
  fixtures: z.string().nullable().describe('the folder'),
  kept: z.boolean().describe('all promises'),
  promises: z.array(z.strictObject({ promise, tried: count, broken: count })),
  breaches: z.array(
    z.strictObject({
      promise,
      case: z.string().nullable(),
      record: count.nullable().describe('of the case, from 1'),
      member: z.string().nullable(),
      text: z.string(),
    }),
  ),
  rejects: tally.describe('by reason'),
  filtered: tally.describe('by reason'),
})

export type PresetTestResult = ValueOf<typeof presetTestResult>
