import { z } from 'zod'
import { count, resultOf, type ValueOf } from '../../result-parts.ts'
import { partTrace, wholeTrace } from '../../studio/trace.ts'

const text = z.string().nullable()

/** What `explain` answers. */
export const explainResult = resultOf('explain', {
  found: z.boolean(),
  read: count.describe('records'),
  preset: text,
  file: text,
  unit: z.enum(['line', 'element', 'row']).nullable(),
  number: count.nullable(),
  record: text,
  child: count.nullable().describe('if an event was looked for'),
  generated: z.enum(['$identify', 'group']).nullable().describe('if an event was looked for'),
  twin: count,
  whole: wholeTrace.nullable().describe('if the whole record became nothing'),
  parts: z.array(partTrace),
  test: z
    .strictObject({ name: z.string(), file: text, yaml: text })
    .nullable()
    .describe('made by `--as-test`'),
  not_found: z
    .strictObject({ why: z.string(), hint: z.string() })
    .nullable()
    .describe('if no record was found'),
})

export type ExplainResult = ValueOf<typeof explainResult>
