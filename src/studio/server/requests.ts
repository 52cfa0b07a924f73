import { z } from 'zod'
import { CELL_TYPES } from '../../mapping/columns.ts'
import { DECIMALS, MINUSES } from '../../mapping/decimal.ts'
import { MAPPED_FIELDS } from '../../mapping/mapping.ts'

// What the page may ask. Each member of a query is a parameter of the address; what is not given does not count.

const text = z.string()
const name = z.string().min(1)
const field = z.enum(MAPPED_FIELDS)
/** What the cells of a column are; `dropped` for one that is left out. */
const columnRule = z.strictObject({
  type: z.enum(['text', 'dropped', ...CELL_TYPES]),
  decimal: z.enum(DECIMALS).optional(),
  minus: z.enum(MINUSES).optional(),
  currency: name.optional(),
  formats: z.array(name).readonly().optional(),
  separator: name.optional(),
})
export type ColumnRule = z.output<typeof columnRule>

/** Changes of where things are and how they are read. A column of a table can be given for its path. */
const setupEdits = [
  /** Takes a field of the event from a path in the record; null gives it back to the preset. */
  z.strictObject({ kind: z.literal('set_field'), field, path: name.nullable() }),
  /** Adds one where the paths before it hold no value; raises one before the one that is before it now. */
  z.strictObject({ kind: z.enum(['add_field', 'remove_field', 'raise_field']), field, path: name }),
  /** In place of `timestamp`. `format`: of both with a blank between; null leaves the forms as they are. */
  z.strictObject({
    kind: z.literal('set_day_and_time'),
    day: name,
    time: name,
    format: name.nullable(),
  }),
  z.strictObject({ kind: z.literal('set_group'), type: name, path: name.nullable() }),
  z.strictObject({ kind: z.literal('set_timezone'), zone: name.nullable() }),
  /** An empty list leaves the usual forms alone. */
  z.strictObject({ kind: z.literal('set_formats'), formats: z.array(name).readonly() }),
  /** The list whose elements become events, as a path; null makes one event of a record. */
  z.strictObject({ kind: z.literal('set_explode'), path: name.nullable() }),
  z.strictObject({ kind: z.literal('set_big_integers'), as: z.literal('string').nullable() }),
  /** Without `to` the column keeps its place; null gives it back its own name. */
  z.strictObject({
    kind: z.literal('set_column'),
    column: name,
    rule: columnRule,
    to: name.nullable().optional(),
  }),
  /** Whose property a column is: the person's, or the event's. */
  z.strictObject({ kind: z.literal('set_owner'), column: name, person: z.boolean() }),
  /** The name of events that are called as their table. */
  z.strictObject({ kind: z.literal('set_name'), to: name }),
  /** What a row of a table is: something that happened, or a person whose properties it sets. */
  z.strictObject({ kind: z.literal('set_rows'), are: z.enum(['events', 'people']) }),
] as const
export type SetupEdit = z.output<(typeof setupEdits)[number]>

/** Names of events are the source's, those of properties `PropertyRow.editable`. */
const simpleEdit = z.discriminatedUnion('kind', [
  /** No longer drops it, and adds it to `events.keep` where that is given; takes a rename back. */
  z.strictObject({ kind: z.enum(['drop_event', 'keep_event', 'reset_event']), event: name }),
  z.strictObject({ kind: z.literal('rename_event'), event: name, to: name }),
  z.strictObject({ kind: z.enum(['drop_property', 'keep_property']), property: name }),
  z.strictObject({ kind: z.literal('rename_property'), property: name, to: name }),
  z.strictObject({ kind: z.literal('set_preset'), preset: name }),
  ...setupEdits,
])
export type SimpleEdit = z.output<typeof simpleEdit>

/** A change of the mapping that the page can make without text. */
export type Edit =
  | SimpleEdit
  /** Makes these changes, and takes the question out of the text. */
  | { readonly kind: 'settle'; readonly question: string; readonly edits: readonly Edit[] }
const edit = z.union([
  simpleEdit,
  z.strictObject({ kind: z.literal('settle'), question: name, edits: z.array(simpleEdit) }),
])

export const previewRequest = z.strictObject({ yaml: text })
export const editRequest = z.strictObject({ yaml: text, edit })
/** `digest`: that of `MappingText`, as the page read it. */
export const saveRequest = z.strictObject({ yaml: text, digest: text.nullable() })

const whole = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** A part of a table: from 0, and 50 rows when not given; 200 at most. */
const page = { offset: whole.optional(), limit: whole.optional() }

/** `text`: in the column's name; upper and lower case are the same. */
export const columnQuery = z.strictObject({ yaml: text, text: text.optional(), ...page })
export type ColumnQuery = z.output<typeof columnQuery>

/** Names of events, the commonest first. */
export const eventQuery = z.strictObject({
  /** In the name of the source or of the service; upper and lower case are the same. */
  text: text.optional(),
  fate: z.enum(['mapped', 'unmapped', 'dropped', 'rejected']).optional(),
  ...page,
})
export type EventQuery = z.output<typeof eventQuery>

/** Members of the records. The fullest come first. */
export const propertyQuery = z.strictObject({
  /** Of the records of one event, by its name in the source. */
  event: text.optional(),
  /** In the path, or in a name in the service; upper and lower case are the same. */
  text: text.optional(),
  fate: z.enum(['kept', 'renamed', 'person', 'used', 'changed', 'left out', 'not sent']).optional(),
  ...page,
})
export type PropertyQuery = z.output<typeof propertyQuery>

export const recordQuery = z.strictObject({
  /** Its name in the source. */
  event: text.optional(),
  outcome: z.enum(['event', 'rejected', 'filtered']).optional(),
  reason: text.optional(),
  /** Text in the record. */
  text: text.optional(),
  ...page,
})
export type RecordQuery = z.output<typeof recordQuery>

export type PageQuery = Pick<RecordQuery, keyof typeof page>

/** `accept`: what came out is written into the tests that fail. */
export const testRunRequest = z.strictObject({ yaml: text, accept: z.boolean() })

export const testRequest = z.strictObject({ record: z.int().nonnegative(), yaml: text })
