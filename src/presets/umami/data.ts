import type { SideTable } from '../../mapping/side-table.ts'
import { isJson, members } from '../../record/json-values.ts'
import { textIn } from '../../record/text.ts'
import { parseTime } from '../../record/time.ts'

/** What `data_type` says; strings are 1. */
const NUMBER = '2'
const BOOLEAN = '3'
const ARRAY = '5'

/** A column of a row of event_data or session_data, as text; undefined where it is empty. */
type Column = (name: string) => string | undefined

/**
 * The value of a row as JSON; undefined for none. A number has its text beside it, with four decimals; booleans and
 * arrays are text alone (saveEventData.ts of umami). The column that holds the value is asked for last.
 */
export function dataValue(column: Column): string | undefined {
  const type = column('data_type')
  const number = column('number_value')
  if (type === NUMBER && isNumber(number)) return number
  const date = column('date_value')
  if (date !== undefined) return JSON.stringify(date)
  const text = column('string_value')
  if (text === undefined) return number === undefined ? undefined : JSON.stringify(column('number_value'))
  if (type === BOOLEAN && (text === 'true' || text === 'false')) return text
  // Line breaks stand between its values, if anywhere; a row has no line break.
  return type === ARRAY && isJson(text) ? text.replace(/[\r\n]/g, ' ') : JSON.stringify(text)
}

/** True for text that is a number in JSON too. */
export function isNumber(text: string | undefined): text is string {
  return text !== undefined && /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)
}

/** Many rows of an event: one object of all that was sent with it. */
const EVENT_DATA: SideTable = {
  name: 'event_data',
  help: 'without it, events lack what was sent with them',
  on: { 'event_id|website_event_id': ['event_id'] },
  as: 'event_data',
  several: (held = '{}', row) => {
    const column = columnsOf(row)
    const value = dataValue(column)
    const key = column('data_key')
    if (key === undefined || value === undefined) return held
    return `${held.slice(0, -1)}${held === '{}' ? '' : ','}${JSON.stringify(key)}:${value}}`
  },
  expected: false,
}

/** The first event of each visit: rows say to which visit they belong, not when it began, and come in any order. */
const VISITS: SideTable = {
  name: 'visits',
  help: 'when each visit began',
  on: { visit_id: ['visit_id'] },
  as: 'visit',
  ofRecords: ['created_at'],
  several: (held, row) => (held === undefined || instantOf(row) < instantOf(held) ? row : held),
  expected: false,
}

export const UMAMI_SIDE_TABLES: readonly SideTable[] = [EVENT_DATA, VISITS]

/** Only for comparison: times of one file are of one zone. One that can't be read comes last. */
function instantOf(row: string): number {
  const text = columnsOf(row)('created_at')
  try {
    return text === undefined ? Number.POSITIVE_INFINITY : parseTime(text, undefined)
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function columnsOf(row: string): (name: string) => string | undefined {
  const columns = new Map(members(row))
  return (name) => {
    const json = columns.get(name)
    if (json === undefined || json === 'null' || json === '""') return undefined
    return textIn(json)
  }
}
