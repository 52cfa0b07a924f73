import {
  type CellReader,
  type ColumnMapping,
  type ColumnTarget,
  cellReader,
  ENCODINGS,
  type Encoding,
} from '../../mapping/columns.ts'
import { FILL_IN, MAPPED_FIELDS } from '../../mapping/mapping.ts'
import { parseMapping } from '../../mapping/mapping-file.ts'
import { quotedSegment } from '../../mapping/member-path.ts'
import { isTooDeep } from '../../mapping/settings-text.ts'
import { TABLE_MEMBER } from '../../mapping/side-table.ts'
import { placeOfColumn } from '../profile/member.ts'
import type { ColumnRule, Edit, EditableField } from '../studio-data.ts'
import { documentOf, remove } from '../yaml-nodes.ts'

type Keys = Readonly<Record<string, unknown>>

/** The member of the person's properties, and the name of an event that only sets them. */
export const SET = '$set'

/** The keys of a mapping file, whatever else is wrong with it; undefined for a text that is no map. */
export function keysIn(yaml: string): Keys | undefined {
  if (isTooDeep(yaml)) return undefined
  try {
    const document = documentOf(yaml)
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

/** The text without the fields that a draft leaves to be filled in. */
export function withoutOpen(yaml: string): string {
  const keys = keysIn(yaml)
  if (keys === undefined) return yaml
  const document = documentOf(yaml)
  for (const field of MAPPED_FIELDS) if (isOpen(keys, field)) remove(document, ['fields', field])
  return String(document)
}

export function saidPaths(keys: Keys, field: EditableField): string[] {
  return textsAt(keys, 'fields', field)
}

/** What a mapping file says of columns; nothing where a rule of them can't be read. */
export function columnsIn(keys: Keys): ColumnMapping {
  const { columns, columns_escape, time_format, source_timezone } = keys
  const said = JSON.stringify(
    { columns: columns ?? {}, columns_escape, time_format, source_timezone },
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  )
  try {
    const { columns: read, mapping } = parseMapping(said, '')
    return { ...read, zone: mapping.sourceTimezone }
  } catch {
    return { columns: {}, rest: 'keep' }
  }
}

/** What the text of the input is in, by a mapping file; undefined where it does not say one that there is. */
export function encodingIn({ encoding }: Keys): Encoding | undefined {
  return ENCODINGS.find((one) => one === encoding)
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
  return { type: json ? 'json' : (type ?? 'text'), decimal, minus, currency, formats, separator }
}

/** The rule that a text such as `{ type: number, decimal: ',' }` writes; undefined for one that is none. */
export function ruleIn(text: string): ColumnRule | undefined {
  const { columns } = columnsIn(keysIn(`columns:\n  x: ${text}`) ?? {})
  return columns.x ? ruleOf(columns.x) : undefined
}

/** True where each row is called as its table, and each table `$set`. */
export function areRowsPeople(keys: Keys): boolean {
  const renamed = Object.values(isKeys(keys.events) && isKeys(keys.events.rename) ? keys.events.rename : {})
  const [event, ...others] = saidPaths(keys, 'event')
  const isTable = event === TABLE_MEMBER && others.length === 0
  return isTable && renamed.length > 0 && renamed.every((name) => name === SET)
}

function isKeys(value: unknown): value is Keys {
  return typeof value === 'object' && value !== null
}

/** The path by which a mapping file names a column. A name that no path can say gets a place without dots. */
export function pathOfColumn(
  column: string,
  { columns }: Pick<ColumnMapping, 'columns'>,
  all: Iterable<string> = [],
): string {
  const to = Object.hasOwn(columns, column) ? columns[column]?.path : undefined
  if (to !== undefined && !(to.length === 1 && to[0] === column)) return to.map(quotedSegment).join('.')
  return column.includes('.') ? placeOfColumn(column, all) : column
}

/** What of the input an edit can be about. */
export interface EditedInput {
  readonly columns: ReadonlySet<string>
  readonly tables: readonly string[]
  /** The path of a member that the page shows, as a mapping file writes it. */
  readonly says: (path: string) => string
}

/**
 * The changes that an edit means which names columns and members as the page shows them: a column with dots in its name gets
 * a place first.
 */
export function withPlaces(yaml: string, edit: Edit, input: EditedInput): Edit[] {
  const { columns, says } = input
  const keys = keysIn(yaml) ?? {}
  const said = columnsIn(keys)
  if (edit.kind === 'set_owner') return ownedBy(edit.person, edit.column, said, columns)
  if (edit.kind === 'set_rows') return rowsAs(edit.are, keys, input)
  if (edit.kind === 'set_name') {
    return input.tables.map((event): Edit => ({ kind: 'rename_event', event, to: edit.to }))
  }
  const places: Edit[] = []
  const placed = (path: string): string => {
    if (!path.includes('.')) return path
    if (!columns.has(path)) return says(path)
    const target = Object.hasOwn(said.columns, path) ? said.columns[path] : undefined
    const to = pathOfColumn(path, said, columns)
    if (target?.path.map(quotedSegment).join('.') !== to)
      places.push({ kind: 'set_column', column: path, rule: ruleOf(target), to })
    return to
  }
  // What is taken out is named as the file has it.
  const named = edit.kind === 'remove_field' || edit.kind === 'set_explode' ? [] : PATHS
  const changed = Object.entries(edit).map(([name, value]) => {
    return [name, named.includes(name) && typeof value === 'string' ? placed(value) : value]
  })
  return [...places, Object.fromEntries(changed) as Edit]
}

/** Members of edits that name columns and members as the page shows them. */
const PATHS: readonly string[] = ['path', 'day', 'time']

/** Puts a column among the properties of the person, or takes it out of them. */
function ownedBy(
  isPersons: boolean,
  column: string,
  said: ColumnMapping,
  columns: EditedInput['columns'],
): Edit[] {
  const target = Object.hasOwn(said.columns, column) ? said.columns[column] : undefined
  const [first, ...rest] = target?.path ?? []
  if ((first === SET) === isPersons || target === null) return []
  const own = pathOfColumn(column, { columns: {} }, columns)
  const name = own === column ? quotedSegment(column) : own
  const to = isPersons
    ? `${SET}.${first === undefined ? name : target!.path.map(quotedSegment).join('.')}`
    : own
  const isOwn = !isPersons && rest.length === 1 && own === column
  return [{ kind: 'set_column', column, rule: ruleOf(target), to: isOwn ? null : to }]
}

/** Makes rows people, whose properties are all columns that no field takes; or makes them events again. */
function rowsAs(are: 'events' | 'people', keys: Keys, { columns, tables }: EditedInput): Edit[] {
  const said = columnsIn(keys)
  const isPeople = are === 'people'
  if (areRowsPeople(keys) === isPeople) return []
  const taken = MAPPED_FIELDS.flatMap((field) => (field === 'event' ? [] : saidPaths(keys, field)))
  taken.push(...textsAt(keys, 'fields', 'time'))
  const free = [...columns].filter((column) => !taken.includes(pathOfColumn(column, said, columns)))
  return [
    { kind: 'set_field', field: 'event', path: isPeople ? TABLE_MEMBER : null },
    ...tables.map((event): Edit => {
      return isPeople ? { kind: 'rename_event', event, to: SET } : { kind: 'reset_event', event }
    }),
    ...free.flatMap((column) => ownedBy(isPeople, column, said, columns)),
  ]
}
