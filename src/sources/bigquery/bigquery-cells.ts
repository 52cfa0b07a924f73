import { z } from 'zod'
import { isJson } from '../../record/index.ts'
import { jsonCell, numberCell } from '../sql/sql-cells.ts'

/** A column of a table or of an answer, as BigQuery describes it. */
export interface BigQueryField {
  readonly name: string
  readonly type: string
  readonly mode?: string | undefined
  readonly fields?: readonly BigQueryField[] | undefined
}

export const BIGQUERY_FIELDS: z.ZodType<readonly BigQueryField[]> = z.lazy(() =>
  z.array(
    z.object({
      name: z.string(),
      type: z.string(),
      mode: z.string().optional(),
      fields: BIGQUERY_FIELDS.optional(),
    }),
  ),
)

/** The API calls some types by the names of its older SQL. */
const STANDARD: Readonly<Record<string, string>> = {
  INTEGER: 'INT64',
  FLOAT: 'FLOAT64',
  BOOLEAN: 'BOOL',
  RECORD: 'STRUCT',
}

/** A field's type by its name in standard SQL. */
export function typeOf({ type }: BigQueryField): string {
  return STANDARD[type] ?? type
}

/** How cells are written. */
export interface BigQueryCellOptions {
  /** Whether NULL within a record is written, or the member left out. */
  readonly nulls: boolean
  notFinite(column: string): void
}

/** The JSON of a cell `{v: …}`; null for NULL. TypeError for a cell that is not of its field. */
export function cellJson(
  field: BigQueryField,
  cell: unknown,
  options: BigQueryCellOptions,
  within = '',
): string | null {
  const value = memberOf(cell, 'v')
  if (field.mode !== 'REPEATED') return valueJson(field, value, options, within)
  if (value === null) return null
  if (!Array.isArray(value)) throw new TypeError(`${field.name} has no list`)
  return `[${value.map((one) => valueJson(field, memberOf(one, 'v'), options, within) ?? 'null').join(',')}]`
}

/** The JSON of each cell of a row `{f: […]}`. */
export function rowJson(
  fields: readonly BigQueryField[],
  row: unknown,
  options: BigQueryCellOptions,
  within = '',
): (string | null)[] {
  const cells = memberOf(row, 'f')
  if (!Array.isArray(cells) || cells.length !== fields.length) throw new TypeError('a row has other columns')
  return fields.map((field, at) => cellJson(field, cells[at], options, within))
}

function valueJson(
  field: BigQueryField,
  value: unknown,
  options: BigQueryCellOptions,
  within: string,
): string | null {
  if (value === null) return null
  const name = `${within}${field.name}`
  const type = typeOf(field)
  if (type === 'STRUCT') return recordJson(field.fields ?? [], value, options, `${name}.`)
  if (typeof value !== 'string') throw new TypeError(`${name} has no text`)
  if (/^(?:INT64|(?:BIG)?NUMERIC|FLOAT64)$/.test(type)) return numberCell(value, name, options)
  if (type === 'TIMESTAMP') return JSON.stringify(instantText(BigInt(value)))
  if (type === 'BOOL' && /^(?:true|false)$/.test(value)) return value
  if (type === 'JSON' && isJson(value)) return jsonCell(value)
  if (type === 'BOOL' || type === 'JSON') throw new TypeError(`${name} is not of its type`)
  // BYTES come as base64, and the others as the text that SQL has for them.
  return JSON.stringify(value)
}

function recordJson(
  fields: readonly BigQueryField[],
  value: unknown,
  options: BigQueryCellOptions,
  within: string,
): string {
  const members = rowJson(fields, value, options, within).flatMap((json, at) =>
    json === null && !options.nulls ? [] : [`${JSON.stringify(fields[at]!.name)}:${json}`],
  )
  return `{${members.join(',')}}`
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !(name in value)) throw new TypeError('not a cell')
  return (value as Readonly<Record<string, unknown>>)[name]
}

/** Microseconds since the epoch as RFC 3339. They go from the year 1 to 9999: too far for a number. */
function instantText(micros: bigint): string {
  const rest = ((micros % 1000n) + 1000n) % 1000n
  const text = new Date(Number((micros - rest) / 1000n)).toISOString()
  return /\.000Z$/.test(text) && rest === 0n
    ? text.replace('.000Z', 'Z')
    : text.replace('Z', `${String(rest).padStart(3, '0')}Z`)
}
