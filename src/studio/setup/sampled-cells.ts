import { type InputFile, readSpread } from '../../inputs/index.ts'
import { NO_COLUMNS } from '../../mapping/index.ts'
import { readHeaders } from '../headers.ts'
import type { SampleOptions } from '../studio-sample.ts'

/** The cells of a sample as they are in the file, column by column. */
export interface SampledCells {
  /** In the order of the header. */
  readonly columns: ReadonlyMap<string, readonly string[]>
  /** Rows that were read. */
  readonly rows: number
}

/** True for CSV and TSV with a header, whose columns can have types. */
export function isTextTable({ format, headerless }: InputFile): boolean {
  return (format === 'csv' || format === 'tsv') && headerless === undefined
}

/** Undefined where no input is a table of text with a header. */
export async function sampleCells(
  inputs: readonly InputFile[],
  { records: wanted, stop }: SampleOptions,
): Promise<SampledCells | undefined> {
  const tables = inputs.filter(isTextTable)
  if (tables.length === 0) return undefined
  const { names, nameless } = await readHeaders(tables)
  const left = Object.fromEntries(nameless.map((name) => [name, null]))
  const columns = { ...NO_COLUMNS, columns: left }
  const { records } = await readSpread(tables, { records: wanted, columns, stop })
  const cells = new Map(names.map((name) => [name, [] as string[]]))
  for (const { bytes } of records) {
    for (const [name, cell] of Object.entries(JSON.parse(bytes.toString('utf8')) as Record<string, string>))
      cells.get(name)?.push(cell)
  }
  return { columns: cells, rows: records.length }
}
