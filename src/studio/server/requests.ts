import { z } from 'zod'
import { CELL_TYPES, DECIMALS, MAPPED_FIELDS, MINUSES } from '../../mapping/index.ts'

// What the page may ask; its types are in studio-data.ts.

const text = z.string()
const name = z.string().min(1)
const field = z.enum(MAPPED_FIELDS)
const columnRule = z.strictObject({
  type: z.enum(['text', 'dropped', ...CELL_TYPES]),
  decimal: z.enum(DECIMALS).optional(),
  minus: z.enum(MINUSES).optional(),
  currency: name.optional(),
  formats: z.array(name).optional(),
  separator: name.optional(),
})

const simpleEdit = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['drop_event', 'keep_event', 'reset_event']), event: name }),
  z.strictObject({ kind: z.literal('rename_event'), event: name, to: name }),
  z.strictObject({ kind: z.enum(['drop_property', 'keep_property', 'reset_property']), property: name }),
  z.strictObject({ kind: z.literal('rename_property'), property: name, to: name }),
  z.strictObject({ kind: z.literal('set_field'), field, path: name.nullable() }),
  z.strictObject({ kind: z.enum(['add_field', 'remove_field', 'raise_field']), field, path: name }),
  z.strictObject({
    kind: z.literal('set_day_and_time'),
    day: name,
    time: name,
    format: name.nullable(),
  }),
  z.strictObject({ kind: z.literal('set_group'), type: name, path: name.nullable() }),
  z.strictObject({ kind: z.literal('set_preset'), preset: name }),
  z.strictObject({ kind: z.literal('set_timezone'), zone: name.nullable() }),
  z.strictObject({ kind: z.literal('set_formats'), formats: z.array(name) }),
  z.strictObject({ kind: z.literal('set_explode'), path: name.nullable() }),
  z.strictObject({ kind: z.literal('set_big_integers'), as: z.literal('string').nullable() }),
  z.strictObject({
    kind: z.literal('set_column'),
    column: name,
    rule: columnRule,
    to: name.nullable().optional(),
  }),
])
const edit = z.union([
  simpleEdit,
  z.strictObject({ kind: z.literal('settle'), question: name, edits: z.array(simpleEdit) }),
])

export const previewRequest = z.strictObject({ yaml: text })
export const editRequest = z.strictObject({ yaml: text, edit })
export const saveRequest = z.strictObject({ yaml: text, digest: text.nullable() })

const whole = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

const page = { offset: whole.optional(), limit: whole.optional() }

export const columnQuery = z.strictObject({ yaml: text, text: text.optional(), ...page })

export const eventQuery = z.strictObject({
  text: text.optional(),
  fate: z.enum(['mapped', 'unmapped', 'dropped', 'rejected']).optional(),
  sort: z.enum(['source', 'count', 'fate', 'name']).optional(),
  descending: z.stringbool().optional(),
  ...page,
})

export const propertyQuery = z.strictObject({
  event: text.optional(),
  text: text.optional(),
  fate: z.enum(['kept', 'renamed', 'person', 'used', 'changed', 'left out', 'not sent']).optional(),
  ...page,
})

export const recordQuery = z.strictObject({
  event: text.optional(),
  name: text.optional(),
  outcome: z.enum(['event', 'rejected', 'filtered']).optional(),
  reason: text.optional(),
  text: text.optional(),
  ...page,
})

export const testRequest = z.strictObject({ record: z.int().nonnegative(), yaml: text })
