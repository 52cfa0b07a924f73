import { isUtf8 } from 'node:buffer'
import { PosthaulError } from '../errors.ts'
import { type ColumnMapping, NO_COLUMNS } from '../mapping/columns.ts'
import { type LineSink, MAX_LINE_BYTES } from '../record/lines.ts'
import { recordOf } from '../record/reject.ts'
import { KIB } from '../text/units.ts'
import { bytes as bytesText } from '../text/words.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter, textOf } from './csv-row.ts'
import { type CsvRow, CsvRows, type CsvTable, NULL_CELL } from './csv-rows.ts'
import { refuseHeaderless } from './headerless-piece.ts'
import { type InputFile, SEP_LINE } from './input-file.ts'
import { AsRead, type RecordSink } from './record-sink.ts'

/** Enough to hold a header's line end. */
const HEAD_BYTES = 16 * KIB
const LONGEST_SEP_LINE = 12

interface TableOptions {
  readonly columns?: ColumnMapping
  readonly maxLineBytes?: number
  readonly asRead?: AsRead
}

/** Reads CSV or TSV: the first row names the columns unless `columns.names` does; each further row becomes one record. */
export async function readTable(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  { columns = NO_COLUMNS, maxLineBytes = MAX_LINE_BYTES, asRead = new AsRead() }: TableOptions = {},
): Promise<void> {
  let width = 0
  let header: readonly string[] | undefined
  let names: ReadonlySet<string> = new Set()
  const writerFor = (header: readonly string[]): RowWriter => {
    width = header.length
    return new RowWriter(planColumns(header, columns, input.path), (what) => sink.unusable(what))
  }
  let writer = columns.names && writerFor(columns.names)
  const refuse = ({ line, offset, raw }: CsvRow, reason: string, message: string): void => {
    const text = raw.toString('latin1').replace(/^[\r\n]+|[\r\n]+$/g, '')
    const kept = recordOf(Buffer.from(text, 'latin1'))
    sink.reject({ line, offset, reason, message, ...kept })
  }
  let isFirst = true
  let dialect: Dialect | undefined
  const faultOf = (row: CsvRow): readonly [reason: string, message: string] | undefined => {
    const { cells } = row
    if (dialect?.escapes === undefined && hasEscapedQuote(row.raw, input))
      return ['csv_escaped_quote', ESCAPED_QUOTE]
    if (cells.length !== width) {
      const has = `the row has ${count(cells.length)}, ${columns.names ? 'columns_header' : 'the header'} has ${count(width)}`
      return ['csv_field_count', has]
    }
    if (dialect?.escapes !== 'backslash' && isRowsInQuotes(row, input)) return ['csv_open_quote', OPEN_QUOTE]
    if (!header || !isHeader(cells, names)) return undefined
    if (!cells.every((cell, at) => cell === header?.[at])) throw otherHeader(row, input)
    return ['csv_header_repeated', 'the row is the header again, as where files were put one after the other']
  }
  const take = (read: CsvRow): void => {
    const isAbove = isFirst && isSepLine(read)
    isFirst = false
    if (isAbove) return
    const row = read.cells[0]!.startsWith(MARK) ? withoutMark(read) : read
    const { cells } = row
    if (!writer) {
      const first = { path: input.path, names: namesOf(cells, input) }
      if (columns.first) refuseHeaderless(first, columns.first)
      writer = writerFor(first.names)
      header = cells
      names = new Set(cells.filter((cell) => cell !== ''))
      return
    }
    // Empty rows: as a spreadsheet saves them, and lines of blanks.
    const isEmpty = cells.every((cell) => cell === '') || (cells.length === 1 && cells[0]!.trim() === '')
    if (width > 1 && isEmpty) return
    const fault = faultOf(row)
    if (fault) refuse(row, ...fault)
    else writer.hand(sink, asRead, row)
  }
  const tooLong = (offset: number, length: number, line: number): void => {
    if (writer) {
      sink.tooLong(offset, length, line)
      return
    }
    throw new PosthaulError(
      `${input.path}: its first row, which names the columns, is over ${bytesText(maxLineBytes)}`,
      {
        code: 'input',
        hint: 'is it a table? If it has no header, name its columns by columns_header in a mapping file',
      },
    )
  }
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    dialect ??= dialectOf(chunk, input, columns)
    rows ??= new CsvRows(chunk, { ...input, ...dialect, tooLong }, maxLineBytes, take)
    rows.push(chunk)
  }
  rows?.end()
}

/** The names of a table's columns, as its first row has them; none of an empty file. */
export async function readHeader(input: InputFile, bytes: AsyncIterable<Buffer>): Promise<string[]> {
  let header: string[] | undefined
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    rows ??= new CsvRows(
      chunk,
      { ...input, ...dialectOf(chunk, input, NO_COLUMNS) },
      MAX_LINE_BYTES,
      (row) => {
        if (row.offset > 0 || !isSepLine(row)) header ??= namesOf(row.cells, input)
      },
    )
    rows.push(chunk)
    if (header) return header
  }
  rows?.end()
  return header ?? []
}

function isSepLine({ raw }: CsvRow): boolean {
  return raw.length <= LONGEST_SEP_LINE && SEP_LINE.test(raw.toString('latin1'))
}

/** Joins the first chunks until they hold a whole header. */
async function* withFullHead(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of bytes) {
    if (!head) {
      yield chunk
      continue
    }
    head = Buffer.concat([head, chunk])
    if (head.length < HEAD_BYTES) continue
    yield head
    head = undefined
  }
  if (head && head.length > 0) yield head
}

/** The names of columns. Code `input` where they aren't UTF-8: with signs of replacement they would be other names. */
function namesOf(cells: readonly string[], { path, encoding }: InputFile): string[] {
  if (isUtf8(Buffer.from(cells.join(''), 'latin1'))) return cells.map(textOf)
  throw new PosthaulError(
    encoding === undefined
      ? `the names of the columns of ${path} are not UTF-8`
      : `the names of the columns of ${path} are not all in ${encoding}`,
    {
      code: 'input',
      hint:
        encoding === undefined
          ? `say in the mapping file what the text is in, such as "encoding: windows-1252"; posthaul init tells which one it is`
          : 'mend the first line of the file, or say another encoding in the mapping file',
    },
  )
}

function count(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`
}

/** The mark of the byte order in latin1: files that were put one after the other have it in their middle. */
const MARK = '\xef\xbb\xbf'

function withoutMark(row: CsvRow): CsvRow {
  const [first = '', ...rest] = row.cells
  return { ...row, cells: [first.slice(MARK.length), ...rest] }
}

/** Rows wider than this are no rows of a table: their columns are not named. */
const MOST_COLUMNS = 2000

/**
 * Turns lines of tabs and text into records, by a list of columns. Nothing is quoted: a quote is a part of its cell. A cell
 * of `\N` is empty.
 */
export function headerlessSink(
  sink: RecordSink,
  columns: readonly string[],
  file: string,
  { columns: mapping = NO_COLUMNS, asRead = new AsRead() }: TableOptions,
): LineSink {
  /** By the number of cells over the list. */
  const writers = new Map<number, RowWriter>()
  const writerFor = (more: number): RowWriter => {
    const known = writers.get(more)
    if (known) return known
    const named = Array.from({ length: more }, (_, i) => `column_${columns.length + i + 1}`)
    const plan = planColumns([...columns, ...named], mapping, file)
    const writer = new RowWriter(plan, (what) => sink.unusable(what))
    writers.set(more, writer)
    return writer
  }
  return {
    line(bytes, start, end, offset, line) {
      const cells = bytes
        .toString('latin1', start, end)
        .split('\t')
        .map((cell) => (cell === NULL_CELL ? '' : cell))
      if (cells.length > MOST_COLUMNS) {
        const message = `the row has ${cells.length} columns, over the ${MOST_COLUMNS} of any table`
        sink.reject({ line, offset, reason: 'too_many_columns', message, ...recordOf(bytes, start, end) })
        return
      }
      const writer = writerFor(Math.max(0, cells.length - columns.length))
      writer.hand(sink, asRead, { cells, offset, line })
    },
    tooLong: (offset, length, number) => sink.tooLong(offset, length, number),
  }
}

/** True where a row is made of the names of columns, in any order: more than half of them. Columns without a name don't count. */
function isHeader(cells: readonly string[], names: ReadonlySet<string>): boolean {
  if (!names.has(cells[0]!) && !names.has(cells[1]!)) return false
  return cells.length > 1 && [...names].filter((name) => cells.includes(name)).length > names.size / 2
}

function otherHeader({ line }: CsvRow, { path }: InputFile): PosthaulError {
  return new PosthaulError(`${path}: line ${line} is a header with other columns, or in another order`, {
    code: 'input',
    hint: 'cut the file there: the rows behind it would go under wrong names',
  })
}

/** In text, so many commas fall as those of rows do by chance; tabs do not. */
const FEWEST_COMMAS = 4
const FEWEST_OTHERS = 2
const LF = 0x0a

/** True for a row whose lines each have as many delimiters as a row, and for one in which text follows a quote that closes lines below. */
function isRowsInQuotes({ raw, cells }: CsvRow, { delimiter = ',' }: InputFile): boolean {
  const at = raw.indexOf(LF, 2)
  if (at === -1 || at >= raw.length - 2) return false
  const text = raw.toString('latin1')
  // A cell may begin with a quote of its own, written twice or behind a backslash.
  const isBehind = cells.some((cell) => cell.startsWith('"') && cell.includes('\n'))
  if (isBehind && !/"""|\\"/.test(text)) return true
  const lines = text.trim().split(/\r?\n/)
  const between = cells.length - 1
  const fewest = delimiter === ',' ? FEWEST_COMMAS : FEWEST_OTHERS
  return (
    (lines.length - 1) * between >= fewest &&
    lines.every((line) => line.split(delimiter).length - 1 === between)
  )
}

const OPEN_QUOTE = 'the row goes on over lines that are rows themselves: a quote opens and is not closed'
const MOST_PADDED = 20
const ESCAPED_QUOTE =
  'a backslash stands before a quote within quotes; "columns_escape: quotes" in the mapping file reads it'

type Dialect = Pick<CsvTable, 'isPadded' | 'isDoubled' | 'escapes'>

/** What a table's first bytes tell of how it was written, beside its delimiter. */
function dialectOf(head: Buffer, input: InputFile, columns: Pick<ColumnMapping, 'escapes'>): Dialect {
  const hasEscapes = hasEscapedQuote(head, input)
  if (hasEscapes && columns.escapes === 'backslash') {
    throw new PosthaulError(
      `${input.path} has cells in quotes, which "columns_escape: backslash" reads as text`,
      {
        code: 'config',
        hint: 'write "columns_escape: quotes" in the mapping file',
      },
    )
  }
  const escapes = columns.escapes ?? (hasEscapes ? 'quotes' : undefined)
  return { isPadded: isPadded(head, input), isDoubled: head.includes('\r\r\n'), escapes }
}

/** True where a cell in quotes has `\"` before text: by the rule that doubles quotes the cell ended there, and nothing may follow. */
function hasEscapedQuote(bytes: Buffer, { delimiter = ',' }: Pick<InputFile, 'delimiter'>): boolean {
  if (!bytes.includes('\\"')) return false
  const end = `${delimiter === '|' ? '\\|' : delimiter}\r\n`
  const cell = new RegExp(`(?:^|[${end}])"(?:[^"\\\\]|\\\\[^]|"")*?\\\\"[^"${end}]`)
  return cell.test(bytes.toString('latin1'))
}

/** True where blanks stand beside the delimiters of the header, or of all first rows: they are no part of a cell, then. */
function isPadded(head: Buffer, { delimiter = ',' }: Pick<InputFile, 'delimiter'>): boolean {
  if (delimiter === '\t' || delimiter === ' ') return false
  const lines = head.toString('latin1').split(/[\r\n]+/, MOST_PADDED + 1)
  const whole = lines.length > 1 ? lines.slice(0, -1) : lines
  const bare = whole.map((line) => line.replaceAll(/"[^"]*"/g, '""'))
  const isBeside = (line = '') => line.includes(`${delimiter} `) || line.includes(` ${delimiter}`)
  const [header, ...rows] = bare.filter((line) => line.includes(delimiter))
  return isBeside(header) || (rows.length > 2 && rows.every(isBeside))
}
