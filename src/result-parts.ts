import { z } from 'zod'
import { FINDING_LEVELS } from './checks/finding.ts'
import { ERROR_CODES } from './errors.ts'

/** What a schema describes. Nothing in it is changed: builders may give lists of the program's own. */
export type ValueOf<Schema extends z.ZodType> = Frozen<z.infer<Schema>>
type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T

export const count = z.int().nonnegative()
/** Counts by names out of the data. */
export const tally = z.record(z.string(), count)
export const seconds = z.number().nonnegative()
export const level = z.enum(FINDING_LEVELS)

/** What `--json` prints for a command: these members, and no other. */
export function resultOf<const Command extends string, Shape extends z.ZodRawShape>(
  command: Command,
  shape: Shape,
) {
  return z.strictObject({ version: z.literal(1), command: z.literal(command), ...shape })
}

export const errorPart = z.strictObject({
  code: z.enum(ERROR_CODES),
  finding: z.string().nullable().describe('the code of the finding that stopped it'),
  message: z.string(),
  hint: z.string().nullable(),
})

/** A finding, as `findingJson` makes it. */
export const findingPart = z.strictObject({
  code: z.string(),
  level: level.describe(FINDING_LEVELS.map((name) => `\`${name}\``).join(', ')),
  rests_on: z.enum(['data', 'document', 'project']).nullable(),
  count: count.nullable(),
  names: z.array(z.string()),
  text: z.string(),
  cause: z.string().nullable(),
  example: z.string().nullable(),
  remedy: z.string().nullable(),
  places: z.array(z.strictObject({ event: z.string(), property: z.string(), count })),
})

/** Where every record ended. */
export const counts = z.strictObject({
  read: count,
  written: count,
  rejected: count,
  filtered: count,
  duplicate: count,
  pending: count,
})

/** What was noticed on the way. */
export const notes = {
  mends: z.strictObject({
    lone_surrogate: count,
    huge_number: count,
    big_integer: count,
    event_name_cut: count,
    id_trimmed: count,
    not_finite: count,
    deep_array: count,
    clock_twice: count,
    clock_skipped: count,
    duplicate_keys: count,
  }),
  big_integers: tally.describe('by property'),
  ignored_members: tally,
  unusable: tally,
}

/** Where records went, and the events that are made of them. */
export const records = z.strictObject({ read: count, mapped: count, rejected: count, filtered: count })
export const children = z.strictObject({ read: count, filtered: count })
export const eventsPart = z.strictObject({
  made: count,
  written: count,
  rejected: count,
  duplicate: count,
  earlier: count,
  pending: count,
  generated: count,
})

/** What records held, and what their events hold; docs/members.md explains it. */
export const inventory = {
  members: z.record(z.string(), tally).describe('by path, what became of each'),
  other_members: tally,
  properties: tally,
  other_properties: count,
}
export const distinctIds = z.strictObject({ approximate: count })

/** What a sample was taken of. */
export const samplePart = {
  whole: z.boolean().describe('that is the whole input'),
  files: count,
  files_read: count,
  bytes: count,
  bytes_read: count,
}

/** What the service warned of, as `warningsJson` makes it. */
export const ingestionWarningsPart = z.strictObject({
  since: z.string(),
  unasked: z.string().nullable(),
  types: z.array(
    z.strictObject({
      type: z.string(),
      severity: z.string().describe('`error`, `warning` or `info`'),
      sampled: count,
      example: z.string().nullable().describe('the uuid of an event'),
      by: z.array(z.string()).exactOptional().describe('the transformations that did it'),
    }),
  ),
})

/** Whether people of an import's files can be told apart by ids of their own. */
export const fileImportIdsPart = z.array(z.string()).nullable().describe('of files, for `undo --import-id`')
