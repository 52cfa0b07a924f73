import { type ColumnMapping, quotedSegment } from '../../mapping/index.ts'
import type { Edit } from '../studio-data.ts'
import { columnsIn, keysIn, ruleOf } from './said-columns.ts'

/** The path by which a mapping file names a column. A name that no path can say gets a place without dots. */
export function pathOfColumn(column: string, { columns }: Pick<ColumnMapping, 'columns'>): string {
  const to = Object.hasOwn(columns, column) ? columns[column]?.path : undefined
  if (to !== undefined && !(to.length === 1 && to[0] === column)) return to.map(quotedSegment).join('.')
  if (!column.includes('.')) return column
  const name = column.replaceAll('.', '_').replaceAll(/^_+|_+$/g, '')
  return name === '' ? 'column' : name
}

/**
 * The changes that an edit means which names columns and members as the page shows them: a column with dots in its name gets
 * a place first, of any other member `says` tells the path as a mapping file writes it.
 */
export function withPlaces(
  yaml: string,
  edit: Edit,
  columns: ReadonlySet<string>,
  says: (path: string) => string,
): Edit[] {
  if (edit.kind === 'settle') {
    return [{ ...edit, edits: edit.edits.flatMap((one) => withPlaces(yaml, one, columns, says)) }]
  }
  const said = columnsIn(keysIn(yaml) ?? {})
  const places: Edit[] = []
  const placed = <P extends string | null>(path: P): P => {
    if (path === null || !path.includes('.')) return path
    if (!columns.has(path)) return says(path) as P
    const target = Object.hasOwn(said.columns, path) ? said.columns[path] : undefined
    const to = pathOfColumn(path, said)
    const isThere = target !== undefined && target !== null && target.path.map(quotedSegment).join('.') === to
    if (!isThere) {
      places.push({ kind: 'set_column', column: path, rule: ruleOf(target), to })
    }
    return to as P
  }
  const changed = ((): Edit => {
    switch (edit.kind) {
      case 'set_field':
      case 'set_group':
        return { ...edit, path: placed(edit.path) }
      case 'add_field':
        return { ...edit, path: placed(edit.path) }
      case 'set_day_and_time':
        return { ...edit, day: placed(edit.day), time: placed(edit.time) }
      default:
        return edit
    }
  })()
  return [...places, changed]
}

/** The paths that an edit would write. */
export function pathsIn(edit: Edit): string[] {
  switch (edit.kind) {
    case 'set_field':
    case 'set_group':
      return edit.path === null ? [] : [edit.path]
    case 'add_field':
      return [edit.path]
    case 'set_day_and_time':
      return [edit.day, edit.time]
    case 'settle':
      return edit.edits.flatMap(pathsIn)
    default:
      return []
  }
}
