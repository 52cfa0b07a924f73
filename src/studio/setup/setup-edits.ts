import { type Document, isMap, isScalar, isSeq } from 'yaml'
import { FILL_IN } from '../../mapping/mapping.ts'
import type { ColumnRule, EditableField, SetupEdit } from '../studio-data.ts'
import { pairOf, remove, set, setOrRemove, yamlScalarText } from '../yaml-nodes.ts'

/** Makes a change of where things are, and how they are read, in the text of a mapping file. */
export function changeSetup(document: Document, edit: SetupEdit): void {
  switch (edit.kind) {
    case 'set_field':
      // Without the line a preset may take a member for the id: null says that none is one.
      if (edit.field === 'uuid' && edit.path === null) set(document, ['fields', 'uuid'], null)
      else setOrRemove(document, ['fields', edit.field], edit.path)
      // Of the two, a file has one.
      if (edit.field === 'timestamp') remove(document, ['fields', 'time'])
      break
    case 'add_field': {
      const before = pathsOf(document, edit.field)
      if (!before.includes(edit.path)) setPaths(document, edit.field, [...before, edit.path])
      if (edit.field === 'timestamp') remove(document, ['fields', 'time'])
      break
    }
    case 'remove_field':
      setPaths(
        document,
        edit.field,
        pathsOf(document, edit.field).filter((path) => path !== edit.path),
      )
      break
    case 'set_day_and_time':
      set(document, ['fields', 'time'], [edit.day, edit.time])
      remove(document, ['fields', 'timestamp'])
      if (edit.format !== null) set(document, ['time_format'], edit.format)
      break
    case 'set_group':
      setOrRemove(document, ['groups', edit.type], edit.path)
      break
    case 'set_timezone':
      setOrRemove(document, ['source_timezone'], edit.zone)
      break
    case 'set_formats':
      setOrRemove(document, ['time_format'], oneOrAll(edit.formats))
      break
    case 'set_big_integers':
      setOrRemove(document, ['big_integers'], edit.as)
      break
    case 'set_explode':
      setOrRemove(document, ['explode'], edit.path)
      remove(document, ['explode_with'])
      break
    case 'set_column':
      setColumn(document, edit.column, edit.rule, edit.to)
      break
    // Made into the others: see said-columns.ts.
    case 'set_name':
    case 'set_owner':
    case 'set_rows':
  }
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
