import type { DraftQuestion } from './draft-facts.ts'
import { comment, example } from './yaml-text.ts'

/** Cells that no column is called by: a time, a UUID, an address, the null of COPY. */
const OF_RECORD =
  /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{1,2}[./]\d{1,2}[./]\d{4}.*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[^\s@]+@[^\s@]+\.[^\s@]+|https?:\/\/\S+)$/i
/** Years and other numbers do name columns. */
const NUMBER = /^-?\d+(?:[.,]\d+)?$/

/** What a mapping file says of the first row of tables. */
export interface HeaderDraft {
  /** Names for the columns, where the first row is taken for a record. */
  readonly names: readonly string[] | undefined
  readonly lines: readonly string[]
  readonly questions: readonly DraftQuestion[]
}

/**
 * Tells a first row that is a record from one that names the columns: by a cell that no column is called by. Numbers alone
 * are asked about. `first` is undefined where there is no table.
 */
export function headerDraft(first: readonly string[] | undefined): HeaderDraft {
  const told = first?.find((cell) => OF_RECORD.test(cell.trim()))
  const numbers = first?.filter((cell) => NUMBER.test(cell.trim())) ?? []
  if (first === undefined || (told === undefined && numbers.length === 0))
    return { names: undefined, lines: [], questions: [] }
  const names = first.map((_, index) => `column_${index + 1}`)
  const line = `columns_header: [${names.join(', ')}]`
  const odd = example('', told ?? numbers[0]!)
  const text =
    told === undefined
      ? `the first row has ${odd}: does it name the columns, as it is taken for here? If it is a record, take the # of the next line away`
      : `the first row has ${odd}, which no column is called: it is taken for a record. If it names the columns, delete the next line; else write your names in it`
  const questions = [{ about: 'columns_header', text }]
  const lines = [...comment(text, '', '# ? '), told === undefined ? `# ${line}` : line, '']
  return { names: told === undefined ? undefined : names, lines, questions }
}
