import { isJson } from '../record/json-values.ts'
import { formatInstant } from '../record/time.ts'
import { type TimeReader, timeReader } from '../record/time-format.ts'
import { type AmountForm, type Decimal, decimalNumber } from './decimal.ts'

/** What a mapping file can say that the cells of a column are. */
export const CELL_TYPES = ['number', 'boolean', 'time', 'list', 'json'] as const

export type CellType = (typeof CELL_TYPES)[number]

/** What the cells of a column are, and how they are written. */
export interface CellRule extends Omit<AmountForm, 'decimal'> {
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
