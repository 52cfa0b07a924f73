import { isJson } from '../record/is-json.ts'
import { formatInstant } from '../record/time.ts'
import { type Decimal, decimalNumber } from './decimal.ts'
import type { TimeReader } from './time-reader.ts'

/** What a mapping file can say that the cells of a column are. */
export const CELL_TYPES = ['number', 'boolean', 'time', 'json'] as const

export type CellType = (typeof CELL_TYPES)[number]

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const DAY = /^\d{4}-\d\d-\d\d$/
/** As databases write them: Postgres `t`, MySQL `1`. The user has said that the column holds nothing else. */
const TRUE = /^(?:true|t|1)$/i
const FALSE = /^(?:false|f|0)$/i

/**
 * The JSON text of a cell of a type; undefined when it is no such value. Numbers keep their digits. A time becomes UTC in
 * the form of event timestamps, a day its first moment.
 */
export function typedCell(
  type: CellType,
  cell: string,
  readTime: TimeReader,
  decimal?: Decimal,
): string | undefined {
  const text = cell.trim()
  switch (type) {
    case 'number':
      if (decimal !== undefined) return decimalNumber(text, decimal)
      return NUMBER.test(text) ? text : undefined
    case 'boolean':
      return TRUE.test(text) ? 'true' : FALSE.test(text) ? 'false' : undefined
    case 'time':
      return timeJson(text, readTime)
    case 'json':
      return isJson(text) ? text : undefined
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
