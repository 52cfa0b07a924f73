import { parseDocument } from 'yaml'
import {
  type CellReader,
  type ColumnMapping,
  type ColumnTarget,
  cellReader,
  FILL_IN,
  isTooDeep,
  parseMapping,
} from '../../mapping/index.ts'
import type { ColumnRule, EditableField } from '../studio-data.ts'

type Keys = Readonly<Record<string, unknown>>

/** The keys of a mapping file, whatever else is wrong with it; undefined for a text that is no map. */
export function keysIn(yaml: string): Keys | undefined {
  if (isTooDeep(yaml)) return undefined
  try {
    const document = parseDocument(yaml, { intAsBigInt: true, prettyErrors: false, uniqueKeys: false })
    const keys: unknown = document.errors.length > 0 ? undefined : (document.toJS() ?? {})
    return typeof keys === 'object' && !Array.isArray(keys) ? (keys as Keys) : undefined
  } catch {
    return undefined
  }
}

/** Texts at a key, of one or of a list; what is still to be filled in is none. */
export function textsAt(keys: Keys, section: string, key?: string): string[] {
  const there = keys[section]
  const value =
    key === undefined ? there : typeof there === 'object' && there !== null ? (there as Keys)[key] : undefined
  return [value].flat().filter((text): text is string => typeof text === 'string' && text !== FILL_IN)
}

/** True for a field that a draft leaves to be filled in. */
export function isOpen({ fields }: Keys, field: EditableField): boolean {
  return typeof fields === 'object' && fields !== null && (fields as Keys)[field] === FILL_IN
}

export function saidPaths(keys: Keys, field: EditableField): string[] {
  return textsAt(keys, 'fields', field)
}

/** What a mapping file says of columns; nothing where a rule of them can't be read. */
export function columnsIn(keys: Keys): ColumnMapping {
  const { columns, time_format, source_timezone } = keys
  const said = JSON.stringify(
    { columns: columns ?? {}, time_format, source_timezone },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )
  try {
    const { columns: read, mapping } = parseMapping(said, '')
    return { ...read, zone: mapping.sourceTimezone }
  } catch {
    return { columns: {}, rest: 'keep' }
  }
}

/** Reads the cells of a column as a transform does; a cell that isn't of the type is undefined. */
export function columnReader(
  target: ColumnTarget | undefined,
  { timeFormats, zone }: ColumnMapping,
): CellReader {
  const type = target?.json ? 'json' : target?.type
  if (target === undefined || type === undefined) return (cell) => JSON.stringify(cell)
  return cellReader({ ...target, type }, { formats: timeFormats, zone })
}

/** What a mapping file says of the cells of a column; text where it says nothing. */
export function ruleOf(target: ColumnMapping['columns'][string] | undefined): ColumnRule {
  if (!target) return { type: 'text' }
  const { json, type, decimal, minus, currency, formats, separator } = target
  return {
    type: json ? 'json' : (type ?? 'text'),
    ...(decimal && { decimal }),
    ...(minus && { minus }),
    ...(currency && { currency }),
    ...(formats && { formats }),
    ...(separator && { separator }),
  }
}

/** The rule that a text such as `{ type: number, decimal: ',' }` writes; undefined for one that is none. */
export function ruleIn(text: string): ColumnRule | undefined {
  const { columns } = columnsIn(keysIn(`columns:\n  x: ${text}`) ?? {})
  return columns.x ? ruleOf(columns.x) : undefined
}
