import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/index.ts'
import type { ColumnMapping, Preset } from '../mapping/index.ts'

/** The columns of a mapping file, for a preset. Code `config` when no input is a table whose columns they could be. */
export function columnsFor(
  columns: ColumnMapping,
  name: string,
  { fields }: Pick<Preset, 'fields'>,
  inputs: readonly InputFile[],
): ColumnMapping {
  // Rejects may be rows of a table, which are run again.
  const isTable = inputs.some(({ format, rejects }) => format === 'csv' || format === 'tsv' || rejects)
  const key = columns.header ? 'columns_from:' : 'columns:'
  if (!isTable && (columns.header || Object.keys(columns.columns).length > 0)) {
    throw new PosthaulError(`the mapping file has ${key}, and no input is CSV or TSV`, {
      code: 'config',
      hint: `say where things are with fields: and groups:, which read the members of any record; take ${key} out`,
    })
  }
  const leavesRestOut = Array.isArray(fields['*']) && fields['*'].length === 0
  if (!leavesRestOut) return columns
  const members = new Set(Object.keys(fields).map((path) => path.split('.')[0]!))
  members.delete('*')
  return { ...columns, only: { preset: name, members: [...members] } }
}
