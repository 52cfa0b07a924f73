import { type Document, isMap, isScalar, isSeq } from 'yaml'
import { FILL_IN } from '../../mapping/mapping.ts'
import type { ColumnRule, Edit, EditableField } from '../studio-data.ts'
import { pairOf, remove, set, setOrRemove, yamlScalarText } from '../yaml-nodes.ts'

/** The name that the preset gives an event of the source. */
export type PresetName = (source: string) => string

export type Edits = {
  readonly [K in Edit['kind']]?: (
    document: Document,
    edit: Extract<Edit, { kind: K }>,
    presetName: PresetName,
  ) => void
}

/** How the text of a mapping file is changed: where things are, and how they are read. What is not here is made into these: see said-columns.ts. */
export const SETUP_EDITS: Edits = {
  set_field(document, { field, path }) {
    // Without the line a preset may take a member for the id: null says that none is one.
    if (field === 'uuid' && path === null) set(document, ['fields', 'uuid'], null)
    else setOrRemove(document, ['fields', field], path)
    // Of the two, a file has one.
    if (field === 'timestamp') remove(document, ['fields', 'time'])
  },
  add_field(document, { field, path }) {
    const before = pathsOf(document, field)
    if (!before.includes(path)) setPaths(document, field, [...before, path])
    if (field === 'timestamp') remove(document, ['fields', 'time'])
  },
  remove_field(document, { field, path }) {
    const left = pathsOf(document, field).filter((one) => one !== path)
    setPaths(document, field, left)
  },
  set_day_and_time(document, { day, time, format }) {
    set(document, ['fields', 'time'], [day, time])
    remove(document, ['fields', 'timestamp'])
    if (format !== null) set(document, ['time_format'], format)
  },
  set_group: (document, { type, path }) => setOrRemove(document, ['groups', type], path),
  set_timezone: (document, { zone }) => setOrRemove(document, ['source_timezone'], zone),
  set_formats: (document, { formats }) => setOrRemove(document, ['time_format'], oneOrAll(formats)),
  set_big_integers: (document, { as }) => setOrRemove(document, ['big_integers'], as),
  set_explode(document, { path }) {
    setOrRemove(document, ['explode'], path)
    remove(document, ['explode_with'])
  },
  set_column: (document, { column, rule, to }) => setColumn(document, column, rule, to),
}

function pathsOf(document: Document, field: EditableField): string[] {
  const node = document.getIn(['fields', field], true)
  const paths = isSeq(node) ? node.items.map(yamlScalarText) : [yamlScalarText(node)]
  return paths.filter((path): path is string => path !== undefined && path !== FILL_IN)
}

function setPaths(document: Document, field: EditableField, paths: readonly string[]): void {
  setOrRemove(document, ['fields', field], oneOrAll(paths))
}

/** A list of one is written as that one. */
function oneOrAll(list: readonly string[]): readonly string[] | string | null {
  return list.length > 1 ? list : (list[0] ?? null)
}

function setColumn(document: Document, column: string, rule: ColumnRule, to?: string | null): void {
  const place = to === undefined ? placeOf(document, column) : (to ?? undefined)
  const { type, formats, ...rest } = rule
  if (type === 'dropped') {
    set(document, ['columns', column], null)
    return
  }
  const format = formats && (formats.length > 1 ? formats : formats[0])
  const says = {
    ...(place !== undefined && { to: place }),
    ...(type !== 'text' && { type }),
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    ...(format !== undefined && { format }),
  }
  const keys = Object.keys(says)
  if (keys.length === 0) remove(document, ['columns', column])
  else set(document, ['columns', column], keys.length === 1 && place !== undefined ? place : says)
}

/** Where the mapping file puts a column; undefined for its own name. */
function placeOf(document: Document, column: string): string | undefined {
  const columns = document.getIn(['columns'], true)
  const value = isMap(columns) ? pairOf(columns, column)?.value : undefined
  if (isMap(value)) return yamlScalarText(value.get('to', true))
  return isScalar(value) && value.value !== null ? yamlScalarText(value) : undefined
}
