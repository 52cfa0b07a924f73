import { z } from 'zod'
import { isJsonObject } from '../text/json.ts'
import { readSettings } from './settings-text.ts'

// Tests of a mapping file: what records become by it. They stand in the file itself, or in a file beside it.

const name = z.string().min(1, 'expected a name, found an empty string')
const names = z.array(name)
const reasons = z.union([name, names.min(1, 'expected at least one reason')])

const event = z.strictObject({
  uuid: z.string().optional(),
  event: z.string().optional(),
  distinct_id: z.string().optional(),
  timestamp: z.string().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
})

const mappingTest = z
  .strictObject({
    name: name.describe('What the test shows. Each test of a file has another name.'),
    record: z
      .unknown()
      .refine((value) => value === undefined || typeof value === 'string' || isJsonObject(value), {
        error: 'expected a record: JSON in quotes, or names with values',
      })
      .optional()
      .describe('The record: its JSON as text, which keeps every byte, or its members.'),
    row: z
      .record(z.string(), z.string())
      .optional()
      .describe(
        'In place of record, a row of a CSV or TSV file: the name of each column, and its cell as text.',
      ),
    table: name.optional().describe('The table that the record is of, where the preset reads tables.'),
    events: z.array(event).optional().describe('All events that it becomes, with all that they hold.'),
    includes: z
      .array(event)
      .optional()
      .describe('Events that it becomes, with some of what they hold; null for what they do not.'),
    rejected: reasons.optional().describe('Why it is rejected.'),
    filtered: z
      .union([z.literal(true), reasons])
      .optional()
      .describe('That it is left out, or the reason of it.'),
    left_out: names.optional().describe('Paths of all its members that no event holds.'),
    link: z
      .strictObject({ anonymous_id: z.string(), user_id: z.string() })
      .optional()
      .describe('The two ids that it says are of one person.'),
  })
  .superRefine(({ record, row, events, includes }, context) => {
    const refuse = (message: string, ...path: string[]) => context.addIssue({ code: 'custom', message, path })
    if (record === undefined && row === undefined) refuse('has no record; give record or row')
    if (record !== undefined && row !== undefined) refuse('has two records; give one of record or row')
    if (events && includes) refuse('events says all, and includes some of it; give one of them', 'includes')
  })

export const mappingTests = z
  .array(mappingTest)
  .superRefine((tests, context) => {
    const known = new Set<string>()
    for (const [at, { name }] of tests.entries()) {
      if (known.has(name))
        context.addIssue({ code: 'custom', message: 'another test has this name', path: [at, 'name'] })
      known.add(name)
    }
  })
  .describe('What records become by this file: posthaul test says whether they do.')

const testFileSchema = z.strictObject({
  options: z
    .strictObject({
      preset: name.optional(),
      source_timezone: name.optional(),
      group_type: name.optional(),
      person_properties: z.enum(['set', 'set_once', 'drop']).optional(),
      big_integers: z.enum(['keep', 'string']).optional(),
      with: names.optional(),
      join: z.record(name, name).optional().describe('Name of the table: its path from here.'),
    })
    .optional()
    .describe('What transform is told besides the mapping file, by the names of its options.'),
  tests: mappingTests,
})

export type TestOptions = NonNullable<z.infer<typeof testFileSchema>['options']>

const TEST_FILE = {
  schema: testFileSchema,
  what: 'a file of tests',
  exactNumbers: true,
  examples: {
    '': "tests: [{ name: a sign-up, record: '{…}', includes: [{ event: signed_up }] }]",
    options: 'options: { with: [labels] }',
  },
}

/** Reads a file of tests. Code `config`, with `name`, line and column, for what may not be in it. */
export function parseTests(text: string, name: string) {
  const { value } = readSettings(text, name, TEST_FILE)
  const options: TestOptions = value.options ?? {}
  return { options, tests: testsOf(value.tests) }
}

export type MappingTest = Readonly<ReturnType<typeof testsOf>[number]>

/** What a record must become; undefined for what is not asked. Events are JSON. */
export type ExpectedOutcome = Readonly<MappingTest['expected']>

export function testsOf(tests: z.infer<typeof mappingTests>) {
  return tests.map(({ name, table, events, includes, rejected, filtered, left_out, link, ...source }) => ({
    name,
    table,
    source: sourceOf(source),
    expected: {
      events: events?.map(constantJson),
      includes: includes?.map(constantJson),
      rejected: rejected === undefined ? undefined : [rejected].flat(),
      filtered: typeof filtered === 'string' ? [filtered] : filtered,
      leftOut: left_out,
      link,
    },
  }))
}

/** The record of a test: a line of JSON, or a row of a table by its columns. */
export type TestSource = Readonly<ReturnType<typeof sourceOf>>

function sourceOf({ record, row }: Pick<z.infer<typeof mappingTest>, 'record' | 'row'>) {
  if (row) return { kind: 'row' as const, cells: row }
  // JSON has no line breaks but between its values.
  const json = typeof record === 'string' ? record.trim().replaceAll(/\s*\n\s*/g, '') : constantJson(record)
  return { kind: 'record' as const, json }
}

export function constantJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(constantJson).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([key, inner]) => `${JSON.stringify(key)}:${constantJson(inner)}`,
    )
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value)
}
