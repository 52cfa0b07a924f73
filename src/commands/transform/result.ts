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
    .describe('commonest first'),
  other_names: count,
  rejects: z
    .array(z.strictObject({ reason: z.string(), message: z.string(), record: text }))
    .describe('one for each reason'),
  records: z
    .array(
      z.strictObject({ file: z.string(), line: count.nullable(), record: text, events: z.array(z.string()) }),
    )
    .describe('six that differ'),
})

const shape = {
  dry_run: z.boolean(),
  sample: z
    .strictObject({ records: count, ...samplePart })
    .nullable()
    .describe('`--sample` only'),
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
      unlike: count.describe('differ from the event that was kept'),
      estimated: z.boolean().describe('from a part of the ids'),
    })
    .describe('same id, name, person and day'),
  twins: count.nullable().describe('no id, and equal to another in every member; null in a dry run'),
  late: count.nullable().describe('no id, at a time that `--after` has'),
  days: count,
  parts: count,
  trial: z
    .strictObject({ people: count, whole_events: count })
    .nullable()
    .describe('`--people` and `--days` only'),
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
      as: z.string().describe('the member with the row'),
      help: z.string(),
      expected: z.boolean().describe('each record should find a row'),
      of_records: z.boolean().describe('made from the records'),
    }),
  ),
  after: z.array(z.string()).describe('the datasets of earlier windows'),
  ...notes,
  ...inventory,
  group_types: groupTypes,
  groups: groupTypes,
  distinct_ids: distinctIds,
  foreign_clock: z.strictObject({ offsets: z.array(z.string()), records: count, of: count }).nullable(),
  forgets: z.boolean().describe('people are left out'),
  zone: z.string().nullable().describe('for times without an offset'),
  idle_rules: z.array(z.string()).describe('that matched nothing'),
  idle_in_all: z.boolean().describe('in all records, not only the first'),
  preview: preview.nullable().describe('dry run only'),
  next_command: z.string().nullable(),
  mend_command: z.string().nullable().describe('transforms mended rejects'),
  error: errorPart.nullable(),
}

/** What `transform` answers. */
export const transformResult = resultOf('transform', shape)

export type TransformResult = ValueOf<typeof transformResult>
