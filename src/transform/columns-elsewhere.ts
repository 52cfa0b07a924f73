import { type InputFile, openBytes } from '../inputs/index.ts'
import type { ColumnMapping } from '../mapping/index.ts'

/**
 * The columns that a mapping file names and some table of the input has. Of several tables each may lack those of the
 * others, as `pageviews` lacks what `orders` has; a name that no table has is still a mistake. One file of each table is
 * looked at. Undefined where the inputs are one table, whose files must all have the columns.
 */
export async function columnsElsewhere(
  { columns, names }: ColumnMapping,
  inputs: readonly InputFile[],
): Promise<readonly string[] | undefined> {
  const named = Object.keys(columns).filter((label) => columns[label] !== null)
  const tables = new Map<string | undefined, InputFile>()
  for (const input of inputs) {
    const hasHeader = (input.format === 'csv' || input.format === 'tsv') && input.headerless === undefined
    if (hasHeader && !tables.has(input.table)) tables.set(input.table, input)
  }
  if (names || named.length === 0 || tables.size < 2) return undefined
  const { readHeader } = await import('../inputs/csv-reader.ts')
  const found = new Set<string>()
  for (const input of tables.values()) {
    for (const label of await readHeader(input, openBytes(input))) found.add(label)
  }
  return named.filter((label) => found.has(label))
}
