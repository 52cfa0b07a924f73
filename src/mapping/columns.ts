import type { CellRule, CellType } from './cell-types.ts'

/** Where the cells of one column go. */
export interface ColumnTarget extends Omit<CellRule, 'type'> {
  /** The path in the record, one name a segment. */
  readonly path: readonly string[]
  /** The cell holds JSON text, which becomes part of the record byte for byte. */
  readonly json: boolean
  /** What cells are written as when they are it: see cell-types.ts. Others are strings, and counted. */
  readonly type: CellType | undefined
}

/** How the rows of a CSV file become records: the `columns` section of a mapping file. */
export interface ColumnMapping {
  /** By the column's name in the header; null leaves the column out. */
  readonly columns: Readonly<Record<string, ColumnTarget | null>>
  /** What becomes of other columns: kept under their own name at the top of the record, or left out. */
  readonly rest: 'keep' | 'drop'
  /** Names that other tables of the input have: a file may lack these. */
  readonly elsewhere?: readonly string[]
  /** The names of all columns, in order, of tables that have no header: lines of text between tabs. */
  readonly header?: readonly string[]
  /** The names of all columns, in order, of tables whose first row is a record already. Quotes are read as ever. */
  readonly names?: readonly string[] | undefined
  /** True for tables in COPY's text form, whose backslash escapes are undone: see inputs/unescape-cell.ts. */
  readonly escapes?: boolean
  /** IANA zone of cells of the type `time` that carry no offset; UTC when it is absent. */
  readonly zone?: string | undefined
  /** Forms of cells of the type `time`, beside the usual ones: see record/time-format.ts. */
  readonly timeFormats?: readonly string[]
  /** Set when the preset leaves out members that it does not read: a column that would be lost so is refused. */
  readonly only?: { readonly preset: string; readonly members: readonly string[] }
}

/** Every column under its own name, as a string. */
export const NO_COLUMNS: ColumnMapping = { columns: {}, rest: 'keep' }

/** What the text of an input can be written in, as `encoding` of a mapping file names it. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'iso-8859-1',
  'iso-8859-15',
] as const

export type Encoding = (typeof ENCODINGS)[number]
