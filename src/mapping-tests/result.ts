import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../result-parts.ts'

const text = z.string().nullable()

/** What `test` answers. */
export const testResult = resultOf('test', {
  finished: z.literal(true),
  mapping: z.string(),
  passed: count,
  failed: count,
  updated: count.describe('rewritten by `--update`'),
  tests: z.array(
    z.strictObject({
      name: z.string(),
      file: z.string(),
      outcome: z.enum(['passed', 'failed', 'updated']),
      differences: z.array(z.strictObject({ member: z.string(), expected: text, came_out: text })),
      messages: z.array(z.string()).describe('why a record was rejected'),
      error: text.describe('why the record could not be read'),
    }),
  ),
})

export type TestResult = ValueOf<typeof testResult>
