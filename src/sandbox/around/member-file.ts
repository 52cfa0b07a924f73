import { invalid } from '../routes/api-error.ts'

const COLUMNS = ['person_id', 'distinct_id', 'email'] as const
export type MemberColumn = (typeof COLUMNS)[number]

/** A file of a cohort's members, as the service takes it. */
interface MemberFile {
  readonly column: MemberColumn
  readonly ids: readonly string[]
}

/**
 * Reads it. Of one column, a first line `person_id` or `email` says what the others are, and any other is a distinct_id
 * itself; several columns need a heading. ApiError 400 for an empty file, or one without such a heading.
 */
export function membersIn(text: string): MemberFile {
  const rows = rowsOf(text.replace(/^\ufeff/, '')).filter((row) => row.some((cell) => cell !== ''))
  const head = rows[0]
  if (!head)
    throw invalid('CSV file is empty. Please upload a CSV file with at least one row of data.', 'csv')
  const names = head.map((cell) => cell.trim().toLowerCase())
  if (head.length === 1) {
    const column = COLUMNS.find((name) => name === names[0] && name !== 'distinct_id')
    const cells = rows.map(([cell]) => cell!.trim())
    return { column: column ?? 'distinct_id', ids: column ? cells.slice(1) : cells }
  }
  const column = COLUMNS.find((name) => names.includes(name))
  if (!column) throw invalid('Multi-column CSV must contain a person_id, distinct_id or email column.', 'csv')
  const at = names.indexOf(column)
  return { column, ids: rows.slice(1).flatMap((row) => row[at]?.trim() || []) }
}

/** The cells of a CSV text. */
function rowsOf(text: string): string[][] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    rows.at(-1)!.push(quoted === undefined ? plain! : quoted.replaceAll('""', '"'))
    if (end === '') break
    if (end !== ',') rows.push([])
  }
  return rows
}
