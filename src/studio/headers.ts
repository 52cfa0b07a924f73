import { readHeader } from '../inputs/csv-reader.ts'
import { refuseHeaderless } from '../inputs/headerless-piece.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { openBytes } from '../inputs/open-bytes.ts'
import { evenly } from '../inputs/thinned.ts'

/** What the headers of tables say. */
export type Headers = Awaited<ReturnType<typeof readHeaders>>

const MOST_FILES = 200

/** True for CSV and TSV with a header, whose columns can have types. */
export function isTextTable({ format, headerless }: InputFile): boolean {
  return (format === 'csv' || format === 'tsv') && headerless === undefined
}

/** Reads the headers of the tables among some inputs. */
export async function readHeaders(inputs: readonly InputFile[]) {
  const tables = inputs.filter((input) => isTextTable(input) && input.size > 0)
  const some = evenly(tables, MOST_FILES)
  const headers = await Promise.all(some.map((input) => readHeader(input, openBytes(input))))
  const [first, ...others] = headers.map((names, at) => ({ names, path: some[at]!.path }))
  for (const other of others) refuseHeaderless(other, first!)
  const names = [...new Set(headers.flat())]
  const doubled = new Set(
    headers.flatMap((header) => header.filter((name, at) => header.indexOf(name) !== at)),
  )
  // Of several tables each may lack the columns of the others.
  const isOne = new Set(tables.map(({ table }) => table)).size < 2
  const sets = headers.map((header) => new Set(header))
  const partial = isOne ? names.filter((name) => !sets.every((set) => set.has(name))) : []
  const isNameless = (name: string) => name === '' || doubled.has(name)
  return {
    /** In the order in which they come. */
    names: names.filter((name) => !isNameless(name)) as readonly string[],
    /** Names that no mapping can tell apart: empty ones, and those of two columns of one file. */
    nameless: names.filter(isNameless),
    /** Names that a file lacks, where all files are of one table. */
    partial: new Set(partial),
    /** The first row of the first table. */
    first: headers[0],
  }
}
