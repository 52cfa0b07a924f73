import { isJson } from '../record/json-values.ts'
import { formatInstant } from '../record/time.ts'
import { type TimeReader, timeReader } from '../record/time-format.ts'
import { type AmountForm, type Decimal, decimalNumber } from './decimal.ts'

/**
 * What backslashes do in a table: see inputs/csv-rows.ts. `backslash`: all escapes of COPY's text form, in which quotes are data.
 * `quotes`: `\"` within quotes is a quote, as Spark, MySQL and Redshift write it, and `\\` a backslash.
 */
export type Escapes = 'backslash' | 'quotes'

export interface ColumnTarget extends Omit<CellRule, 'type'> {
  /** The path in the record, one name a segment. */
  readonly path: readonly string[]
  /** The cell holds JSON text, which becomes part of the record byte for byte. */
  readonly json: boolean
  /** What cells are written as when they are it. Others are strings, and counted. */
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
  /** The first row of the first of several tables: a piece of it that has no header is told by it. */
  readonly first?: { readonly path: string; readonly names: readonly string[] }
  /** The names of all columns, in order, of tables that have no header: lines of text between tabs. */
  readonly header?: readonly string[]
  /** The names of all columns, in order, of tables whose first row is a record already. Quotes are read as ever. */
  readonly names?: readonly string[] | undefined
  readonly escapes?: Escapes | undefined
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
export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const

export type Encoding = (typeof ENCODINGS)[number]

export const CELL_TYPES = ['number', 'boolean', 'time', 'list', 'json'] as const

export type CellType = (typeof CELL_TYPES)[number]

interface CellRule extends Omit<AmountForm, 'decimal'> {
  readonly type: CellType
  /** For numbers as people write them; without it, as JSON does. */
  readonly decimal?: Decimal | undefined
  /** Forms of times: in place of those that hold for the whole file. */
  readonly formats?: readonly string[] | undefined
  /** Between the elements of a list. */
  readonly separator?: string | undefined
}

/** The JSON text of a cell; undefined when it isn't of its column's type. */
export type CellReader = (cell: string) => string | undefined

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DAY = /^\d{4}-\d\d-\d\d$/
/** As databases write them: Postgres `t`, MySQL `1`. The user has said that the column holds nothing else. */
const TRUE = /^(?:true|t|1)$/i
const FALSE = /^(?:false|f|0)$/i

/**
 * A reader of the cells of a column. Numbers keep their digits. A time becomes UTC in the form of event timestamps, a day
 * its first moment. `formats`: forms of times of columns that name none; `zone`: of times without an offset.
 */
export function cellReader(
  rule: CellRule,
  {
    formats = [],
    zone,
  }: { readonly formats?: readonly string[] | undefined; readonly zone?: string | undefined },
): CellReader {
  switch (rule.type) {
    case 'number':
      return numberReader(rule)
    case 'boolean':
      return (cell) => {
        const text = cell.trim()
        return TRUE.test(text) ? 'true' : FALSE.test(text) ? 'false' : undefined
      }
    case 'time': {
      const readTime = timeReader(rule.formats ?? formats, zone)
      return (cell) => timeJson(cell.trim(), readTime)
    }
    case 'list': {
      const separator = rule.separator ?? ','
      return (cell) => JSON.stringify(cell.split(separator))
    }
    case 'json':
      return (cell) => {
        const text = cell.trim()
        return isJson(text) ? text : undefined
      }
  }
}

function numberReader({ decimal, minus, currency }: CellRule): CellReader {
  if (decimal !== undefined) return (cell) => decimalNumber(cell, { decimal, minus, currency })
  return (cell) => {
    const text = cell.trim()
    return NUMBER.test(text) ? text : undefined
  }
}

function timeJson(text: string, readTime: TimeReader): string | undefined {
  try {
    return `"${formatInstant(readTime(DAY.test(text) ? `${text}T00:00` : text))}"`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
