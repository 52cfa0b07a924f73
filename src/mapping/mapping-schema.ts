import { z } from 'zod'
import { compileTimeFormat } from '../record/time-format.ts'
import { isTimeZone } from '../record/zone.ts'
import { CELL_TYPES, ENCODINGS } from './columns.ts'
import { DECIMALS, isCurrency, MINUSES } from './decimal.ts'
import { mappingTests } from './mapping-tests.ts'
import { quotedSegment } from './member-path.ts'

const name = z.string().min(1, 'expected a name, found an empty string')
const names = z.array(name)
const path = z.string().regex(/^("([^"\\]|\\.)+"|[^.]+)(\.("([^"\\]|\\.)+"|[^.]+))*$/, {
  error: ({ input }) =>
    typeof input === 'string' && /^[^.]+\.$/.test(input)
      ? `expected a dotted path, such as properties.plan; a name with a dot goes in quotes: '${quotedSegment(input)}'`
      : 'expected a dotted path, such as properties.plan',
})
const instant = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:?\d{2})?)?$/,
    'expected a day or a time, such as 2024-03-01 or 2024-03-01T12:00:00Z',
  )
// Numbers with a fraction are refused: 1.50 and 1.5 would be one here, and two in the records.
const isCell = (value: unknown) => ['string', 'bigint', 'boolean'].includes(typeof value)
const cells = z
  .unknown()
  .refine((value) => (Array.isArray(value) ? value.length > 0 && value.every(isCell) : isCell(value)), {
    error: 'expected text, a whole number, true or false, or a list of these; put others in quotes',
  })
const timeFormat = name.superRefine((format, context) => {
  try {
    compileTimeFormat(format)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as RangeError).message })
  }
})
const timeFormats = z.union([timeFormat, z.array(timeFormat).min(1, 'expected at least one form')])
const choice = z.union([path, z.array(path).min(1, 'expected at least one path')])

// Whole numbers come from the YAML reader as bigints, so that long ones keep their digits.
const OF_PERSON =
  '$set and $set_once are what an event does to its person; person_properties: drop leaves them out'
const isOfPerson = (name: string) => name === '$set' || name === '$set_once'

const constant = z
  .unknown()
  .refine(isSendable, { error: 'expected a value that JSON has, without half a surrogate pair' })

/** What text is read as. */
const cell = {
  decimal: z
    .enum(DECIMALS)
    .optional()
    .describe('The sign before the fraction of numbers as people write them: $1,234.50 or 1.234,50 €.'),
  minus: z
    .enum(MINUSES)
    .optional()
    .describe('With decimal: where the minus is: -5 (before, the default), 5- (after) or (5) (parentheses).'),
  currency: z
    .string()
    .refine(isCurrency, { error: 'expected a code of ISO 4217, such as EUR, or a sign, such as €' })
    .optional()
    .describe('With decimal: the currency that each cell has. Cells with another one, or none, stay text.'),
  format: timeFormats.optional().describe('Forms of the times of this column, in place of time_format.'),
  separator: z
    .string()
    .min(1, 'expected what is between the elements, such as "|"')
    .optional()
    .describe('What is between the elements of lists; a comma when not given.'),
}
const type = z.enum(CELL_TYPES)

function sound<T extends z.ZodType<{ type?: unknown } & { [key in keyof typeof cell]?: unknown }>>(
  schema: T,
): T {
  return schema
    .refine((value) => !value.decimal || value.type === 'number', { error: 'decimal is for type: number' })
    .refine((value) => value.decimal || !(value.minus || value.currency), {
      error: 'minus and currency go with decimal, the sign before the fraction',
    })
    .refine((value) => !value.format || value.type === 'time', { error: 'format is for type: time' })
    .refine((value) => !value.separator || value.type === 'list', { error: 'separator is for type: list' })
}

const column = z.union([
  path.describe('Dotted path in the record that the cells become strings at.'),
  z.null().describe('The column is left out.'),
  sound(
    z.strictObject({
      to: path.optional().describe("Dotted path in the record; the column's own name when not given."),
      json: z.boolean().optional().describe('The cells hold JSON text, which is kept byte for byte.'),
      type: type
        .optional()
        .describe('Cells that are such a value are written as it; others are strings, and are counted.'),
      ...cell,
    }),
  ).refine((value) => !(value.json && value.type), { error: 'a column has json or a type, not both' }),
])

/** A mapping file as it is written: what a user adds to a preset. The build makes dist/mapping.schema.json of this. */
export const mappingSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Address of this schema, for editors.'),
    preset: name
      .optional()
      .describe('The preset this file adds to, such as mixpanel; when not given, events: rows in any form.'),
    encoding: z
      .enum(ENCODINGS)
      .optional()
      .describe(
        'What the text of the inputs is in, where it is not UTF-8. A byte order mark in a file decides over it.',
      ),
    json: z
      .enum(['python'])
      .optional()
      .describe(
        "For JSON that Python's json or pandas wrote: NaN, Infinity and -Infinity are read as null, and counted.",
      ),
    explode: path
      .optional()
      .describe(
        'The member of a record that holds a list of events: each element becomes an event of its own.',
      ),
    explode_with: names
      .optional()
      .describe(
        'Members beside that list which each event gets as properties. All others are of the envelope, and left out.',
      ),
    columns: z
      .record(z.string(), column)
      .optional()
      .describe('For CSV and TSV: where the cells of each column go in the record.'),
    columns_from: name
      .optional()
      .describe(
        'Path, from this file, of the names of the columns, divided by tabs or lines, for TSV without a header.',
      ),
    columns_header: names
      .min(1, 'expected at least one name')
      .optional()
      .describe('Names of all columns, in their order, for CSV and TSV whose first row is a record already.'),
    columns_escape: z
      .enum(['backslash', 'quotes'])
      .optional()
      .describe(
        'backslash undoes \\t, \\n, \\\\ and the other escapes in tables that COPY, INTO OUTFILE, Hive or ClickHouse wrote; quotes are data then. quotes undoes \\" within quotes.',
      ),
    columns_rest: z
      .enum(['keep', 'drop'])
      .optional()
      .describe('What becomes of columns not named above: kept under their own name (default), or dropped.'),
    types: z
      .record(path, z.union([type, sound(z.strictObject({ type, ...cell }))]))
      .optional()
      .describe('Dotted path in the record: what its text is read as. Text that is no such value stays.'),
    fields: z
      .strictObject({
        event: choice.optional(),
        distinct_id: choice.optional(),
        timestamp: choice.optional(),
        time: z
          .array(path, 'expected a list of two paths: of the day, and of the time of day')
          .length(2, 'expected two paths: of the day, and of the time of day')
          .optional()
          .describe(
            'In place of timestamp: paths of the day and of the time of day, read with a blank between.',
          ),
        uuid: choice
          .nullable()
          .optional()
          .describe('The id of an event. null: no member is one, and the uuid is made of the whole record.'),
        anonymous_id: choice.optional(),
        session_id: choice.optional(),
        session_start: choice.optional(),
      })
      .refine((fields) => !(fields.time && fields.timestamp), {
        error: 'the time of an event is timestamp or, in two members, time: not both',
      })
      .optional()
      .describe(
        'Dotted paths in the record that take the place of the preset’s choice. In a list, the first with a value.',
      ),
    events: z
      .strictObject({
        rename: z.record(name, name).optional().describe('Old name: new name.'),
        drop: names.optional().describe('Events to leave out.'),
        keep: names.optional().describe('When given, all other events are left out.'),
      })
      .optional()
      .describe('Events by their name in the source, or by the name the preset gives them.'),
    properties: z
      .strictObject({
        rename: z
          .record(name, name)
          .refine((names) => !Object.entries(names).flat().some(isOfPerson), { error: OF_PERSON })
          .optional()
          .describe('Old name: new name.'),
        drop: names
          .refine((all) => !all.some(isOfPerson), { error: OF_PERSON })
          .optional()
          .describe('Properties to leave out.'),
        hash: names
          .optional()
          .describe(
            'Properties of events, persons and groups that are sent as HMAC-SHA-256, with the key in POSTHAUL_HASH_KEY. distinct_id: all ids.',
          ),
        set: z
          .record(name, constant)
          .refine((set) => !Object.hasOwn(set, 'distinct_id'), {
            error: 'distinct_id is no property to set; fields.distinct_id says where an event has its own',
          })
          .refine((set) => !Object.values(set).some((one) => one === null || one === ''), {
            error: 'null and "" would set nothing; properties: { drop: [name] } leaves a property out',
          })
          .optional()
          .describe('Name: value, set on every event.'),
      })
      .optional()
      .describe('Event properties by the name the preset gives them.'),
    filter: z
      .strictObject({
        from: instant.optional().describe('Earlier events are left out. UTC when no offset is given.'),
        to: instant.optional().describe('Events of this moment and later ones are left out.'),
        where: z
          .record(path, cells)
          .optional()
          .describe(
            'Dotted path in the record: its value, or a list of them. Records with another are left out.',
          ),
      })
      .optional(),
    groups: z
      .record(name, path)
      .refine((types) => Object.keys(types).length <= 5, { error: 'the service has at most 5 group types' })
      .optional()
      .describe('Group type: dotted path in the record of the group’s key.'),
    group_type: name
      .optional()
      .describe('The type of groups whose records name none: segment_group, company or the preset’s other.'),
    group_types: z
      .record(z.string().regex(/^[0-4]$/, 'expected the index of a group type, 0 to 4'), name)
      .optional()
      .describe('PostHog: the name of each group type, by its index, for groups whose records have no name.'),
    forget: z
      .union([name, z.strictObject({ file: name, all: z.boolean().optional() })])
      .optional()
      .describe(
        'Path, from this file, of a list of ids, one a line: all records of these people are left out, in any id they had. As file, with all: true, each id must be found in the records.',
      ),
    base_url: z
      .string()
      .regex(/^https?:\/\/[^\s/?#]+[^\s?#]*$/, 'expected an address, such as https://stats.example.com')
      .optional()
      .describe('Matomo: the address of your server. Ids of events are made with it: never change it.'),
    source_timezone: z
      .string()
      .refine(isTimeZone, { error: 'no such time zone; expected a name such as Europe/Vienna' })
      .optional()
      .describe('The zone of source times that carry no offset (IANA name); UTC when not given.'),
    time_format: timeFormats
      .optional()
      .describe(
        'Forms of times, such as MM/DD/YYYY hh:mm A, epoch_ns or excel, that fields.timestamp and columns of type time have.',
      ),
    person_properties: z
      .enum(['set', 'set_once', 'drop'])
      .optional()
      .describe(
        'What becomes of person properties: set (default), set_once (keeps what a live project knows), drop.',
      ),
    big_integers: z
      .enum(['keep', 'string'])
      .optional()
      .describe(
        'Integers over 2^53 and numbers over 17 digits, which the service rounds: kept as they are (default), or made strings.',
      ),
    deep: z
      .enum(['keep', 'text'])
      .optional()
      .describe(
        'Arrays nested more than 8 deep, which make all properties of an event unreadable: kept (default), or made their own JSON text.',
      ),
    tests: mappingTests.optional(),
  })
  .describe('What a user adds to a preset of posthaul transform.')

export type MappingInput = z.infer<typeof mappingSchema>

/** The same as a program writes it: what the file holds. */
export type MappingObject = z.input<typeof mappingSchema>

/** False for what the service would refuse together with the whole batch. */
function isSendable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).every(([key, inner]) => isSendable(key) && isSendable(inner))
  }
  // With the u flag a pair is one character, so only an unpaired surrogate matches.
  return typeof value !== 'string' || !/\p{Cs}/u.test(value)
}
