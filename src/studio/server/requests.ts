import { z } from 'zod'
import { CELL_TYPES } from '../../mapping/columns.ts'
import { DECIMALS, MINUSES } from '../../mapping/decimal.ts'
import { MAPPED_FIELDS } from '../../mapping/mapping.ts'

/** What a record can become. */
export const OUTCOMES = ['event', 'rejected', 'filtered'] as const

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

/** A change of the mapping that the page makes without text. Names of events are the source's, those of properties `PropertyRow.editable`. */
const edit = z.discriminatedUnion('kind', [
  /** No longer drops it, and adds it to `events.keep` where that is given; takes a rename back. */
  z.strictObject({ kind: z.enum(['drop_event', 'keep_event', 'reset_event']), event: name }),
  z.strictObject({ kind: z.literal('rename_event'), event: name, to: name }),
  z.strictObject({ kind: z.enum(['drop_property', 'keep_property']), property: name }),
  z.strictObject({ kind: z.literal('rename_property'), property: name, to: name }),
  /** Takes a field of the event from a path in the record; null gives it back to the preset. */
  z.strictObject({ kind: z.literal('set_field'), field, path: name.nullable() }),
  /** Adds one where the paths before it hold no value. */
  z.strictObject({ kind: z.enum(['add_field', 'remove_field']), field, path: name }),
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
])
export type Edit = z.output<typeof edit>

const yaml = { yaml: text }

/** What the page may ask, by name: each is a method of the workbench. What is left out of a question does not count. */
export const CALLS = {
  state: z.strictObject({}),
  preview: z.strictObject(yaml),
  /** `settles`: a question that the changes answer. */
  edit: z.strictObject({ ...yaml, edits: z.array(edit).readonly(), settles: name.optional() }),
  /** `digest`: that of `MappingText`, as the page read it. */
  save: z.strictObject({ ...yaml, digest: text.nullable() }),
  /** `text`: in the column's name; upper and lower case are the same. */
  columns: z.strictObject({ ...yaml, text: text.optional() }),
  records: z.strictObject({
    /** Its name in the source. */
    event: text.optional(),
    outcome: z.enum(OUTCOMES).optional(),
    reason: text.optional(),
    /** Text in the record. */
    text: text.optional(),
  }),
  record: z.strictObject({ number: z.int().nonnegative() }),
} as const

export type Call = keyof typeof CALLS
export type Asked<C extends Call> = z.output<(typeof CALLS)[C]>
