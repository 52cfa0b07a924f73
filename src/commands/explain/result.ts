import { z } from 'zod'
import { count, resultOf, tally, type ValueOf } from '../../result-parts.ts'

const text = z.string().nullable()
const texts = z.array(z.string())
const why = { reason: text, message: text, remedy: text }

const traced = z.strictObject({
  line: z.string(),
  uuid: z.string(),
  uuid_from: z.enum(['uuid', 'id', 'content']),
  uuid_members: texts,
  twin: count,
  event: z.string(),
  timestamp: z.string(),
  groups: z.array(z.strictObject({ type: z.string(), key: z.string() })),
  group_states: z.array(z.strictObject({ type: z.string(), key: z.string(), json: z.string() })),
  gives_way: z.boolean(),
  places: z.array(z.strictObject({ place: z.string(), value: z.string(), from: texts, origin: text })),
})

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
  whole: z
    .strictObject({ outcome: z.enum(['rejected', 'filtered']), ...why })
    .nullable()
    .describe('if the whole record became nothing'),
  parts: z.array(
    z.strictObject({
      child: count.nullable(),
      outcome: z.enum(['event', 'rejected', 'filtered']),
      ...why,
      source_event: text,
      distinct_id: text,
      link: z.strictObject({ anonymous_id: z.string(), user_id: z.string() }).nullable(),
      members: z.array(
        z.strictObject({
          path: z.string(),
          value: z.string(),
          cell: text,
          fates: texts,
          to: texts,
          rules: texts,
        }),
      ),
      event: traced.nullable(),
      mends: tally,
      unusable: texts,
      big_integers: texts,
      duplicate_keys: count,
    }),
  ),
  test: z
    .strictObject({ name: z.string(), file: text, yaml: text })
    .nullable()
    .describe('made by `--as-test`'),
  not_found: z
    .strictObject({ why: z.string(), hint: z.string() })
    .nullable()
    .describe('if no record was found'),
  dataset_event: text.describe('the line of the event in the dataset'),
})

export type ExplainResult = ValueOf<typeof explainResult>
