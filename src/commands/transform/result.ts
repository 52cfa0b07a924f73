import { z } from 'zod'
import { REMARKS } from '../../inputs/manifests/remark.ts'
import {
  children,
  count,
  counts,
  distinctIds,
  errorPart,
  eventsPart,
  inventory,
  notes,
  records,
  resultOf,
  samplePart,
  seconds,
  tally,
  type ValueOf,
} from '../../result-parts.ts'

const groupTypes = z.record(z.string(), z.strictObject({ events: count, oldest: z.string() }))

const text = z.string().nullable()
const preview = z.strictObject({
  names: z
    .array(
      z.strictObject({
        from: text,
        outcome: z.enum(['event', 'rejected', 'filtered']),
        to: text,
        records: count,
      }),
    )
    .describe('of all that `counts` count, commonest first'),
  other_names: count,
  rejects: z
    .array(z.strictObject({ reason: z.string(), message: z.string(), record: text }))
    .describe('one a reason'),
  records: z
    .array(
      z.strictObject({ file: z.string(), line: count.nullable(), record: text, events: z.array(z.string()) }),
    )
    .describe('that differ from one another'),
})

const shape = {
  dry_run: z.boolean(),
  sample: z
    .strictObject({ records: count, ...samplePart })
    .nullable()
    .describe('of `--sample`, else null'),
  finished: z.boolean(),
  out: z.string().nullable(),
  seconds,
  counts: counts.extend({ earlier: count, generated: count }),
  records,
  children: children.nullable(),
  events: eventsPart,
  duplicates: z
    .strictObject({
      count,
      unlike: count.describe('of these, those that differ from the event that is kept'),
      estimated: z.boolean().describe('of a dry run of a large input, over a part of the ids'),
    })
    .describe('events that are dropped for one of the same id, name, person and day'),
  days: count,
  parts: count,
  trial: z
    .strictObject({ people: count, whole_events: count })
    .nullable()
    .describe('of `--people` and `--days`, else null'),
  rejects: tally.describe('by reason'),
  filtered: tally.describe('by reason'),
  input_files: z.array(
    z.strictObject({
      what: z.enum(Object.keys(REMARKS) as (keyof typeof REMARKS)[]),
      vendor: z.string(),
      count,
      names: z.array(z.string()),
    }),
  ),
  side_tables: z.array(
    z.strictObject({
      name: z.string(),
      files: count,
      rows: count,
      keys: count,
      repeated: count,
      without_key: count,
      unreadable: count,
      found: count,
      missing: count,
      sha256: z.string().nullable(),
      as: z.string().describe('the member of a record that has the row'),
      help: z.string(),
      expected: z.boolean().describe('each record should find a row'),
      of_records: z.boolean().describe('made of the records themselves'),
    }),
  ),
  after: z.array(z.string()).describe('the datasets of earlier windows'),
  ...notes,
  ...inventory,
  group_types: groupTypes,
  groups: groupTypes,
  distinct_ids: distinctIds,
  unheard: tally.describe('members that the preset has no rule for, with the records that had them'),
  foreign_clock: z.strictObject({ offsets: z.array(z.string()), records: count, of: count }).nullable(),
  forgets: z.boolean().describe('people are left out'),
  zone: z.string().nullable().describe('of times without an offset'),
  idle_rules: z
    .array(z.string())
    .describe(
      'that matched nothing: in all records, or in those that were tried first where looking on would take long',
    ),
  idle_in_all: z.boolean().describe('rules were looked for in all records'),
  preview: preview.nullable().describe('of a dry run, else null'),
  next_command: z.string().nullable(),
  mend_command: z.string().nullable().describe('transforms rejects that were mended'),
  error: errorPart.nullable(),
}

/** What `transform` answers. */
export const transformResult = resultOf('transform', shape)

export type TransformResult = ValueOf<typeof transformResult>
