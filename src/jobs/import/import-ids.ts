import { FILE_IMPORT_ID, importIdsOf, type Notes } from '../../record/index.ts'
import { visible } from '../../text/index.ts'

/** The ids by which `undo` finds what files brought; null of a dataset, whose manifest has them, and where too many have their own. */
export function fileImportIds(kind: 'dataset' | 'file' | 'files', notes: Notes): string[] | null {
  return kind === 'dataset' ? null : importIdsOf(FILE_IMPORT_ID, notes)
}

/** The same for a person, a line each. */
export function importIdLines(kind: 'dataset' | 'file' | 'files', notes: Notes): string[] {
  return (fileImportIds(kind, notes) ?? []).map((id) => `  id        ${visible(id)}`)
}
