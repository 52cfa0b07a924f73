import { isUtf8 } from 'node:buffer'
import { PosthaulError } from '../errors.ts'
import { type ColumnMapping, NO_COLUMNS } from '../mapping/index.ts'
import { type LineSink, MAX_LINE_BYTES, recordOf } from '../record/index.ts'
import { KIB } from '../text/index.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter, textOf } from './csv-row.ts'
import { type CsvRow, CsvRows, NULL_CELL } from './csv-rows.ts'
import type { InputFile } from './input-file.ts'
import { AsRead, type RecordSink } from './record-sink.ts'

/** Enough to hold a header's line end. */
const HEAD_BYTES = 16 * KIB

/** How the rows of a table become records. */
export interface TableOptions {
  readonly columns?: ColumnMapping | undefined
  /** The longest row. */
  readonly maxBytes?: number | undefined
  readonly asRead?: AsRead | undefined
}

/** Reads CSV or TSV: the first row names the columns unless `columns.names` does; each further row becomes one record. */
export async function readTable(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  { columns = NO_COLUMNS, maxBytes = MAX_LINE_BYTES, asRead = new AsRead() }: TableOptions = {},
): Promise<void> {
  const table = new Table(input, sink, columns, asRead)
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    rows ??= new CsvRows(chunk, { ...input, escapes: columns.escapes }, maxBytes, (row) => table.row(row))
    rows.push(chunk)
  }
  rows?.end()
}

/** The names of a table's columns, as its first row has them; none of an empty file. */
export async function readHeader(input: InputFile, bytes: AsyncIterable<Buffer>): Promise<string[]> {
  let header: string[] | undefined
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    rows ??= new CsvRows(chunk, input, MAX_LINE_BYTES, ({ cells }) => {
      header ??= namesOf(cells, input)
    })
    rows.push(chunk)
    if (header) return header
  }
  rows?.end()
  return header ?? []
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

class Table {
  readonly #input: InputFile
  readonly #sink: RecordSink
  readonly #columns: ColumnMapping
  readonly #asRead: AsRead
  #width = 0
  #writer: RowWriter | undefined

  constructor(input: InputFile, sink: RecordSink, columns: ColumnMapping, asRead: AsRead) {
    this.#asRead = asRead
    this.#input = input
    this.#sink = sink
    this.#columns = columns
    if (columns.names) this.#writer = this.#writerFor(columns.names)
  }

  row(row: CsvRow): void {
    const { cells } = row
    if (!this.#writer) this.#writer = this.#writerFor(namesOf(cells, this.#input))
    else if (cells.length === this.#width) this.#writer.hand(this.#sink, this.#asRead, row)
    else if (cells.length > 1 || cells[0]!.trim() !== '') this.#ragged(row)
  }

  #ragged(row: CsvRow): void {
    const { cells, line, offset, raw } = row
    const message = `the row has ${count(cells.length)}, ${this.#columns.names ? 'columns_header' : 'the header'} has ${count(this.#width)}`
    const text = raw.toString('latin1').replace(/^[\r\n]+|[\r\n]+$/g, '')
    const kept = recordOf(Buffer.from(text, 'latin1'))
    this.#sink.reject({ line, offset, reason: 'csv_field_count', message, ...kept })
  }

  #writerFor(header: readonly string[]): RowWriter {
    this.#width = header.length
    const plan = planColumns(header, this.#columns, this.#input.path)
    return new RowWriter(plan, (what) => this.#sink.unusable(what))
  }
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

/** Rows wider than this are no rows of a table: their columns are not named. */
const MOST_COLUMNS = 2000

/**
 * Turns lines of tabs and text into records, by a list of columns. Nothing is quoted: a quote is a part of its cell. A cell
 * of `\N` is empty.
 */
export class HeaderlessSink implements LineSink {
  readonly #sink: RecordSink
  readonly #columns: readonly string[]
  readonly #mapping: ColumnMapping
  readonly #file: string
  readonly #asRead: AsRead
  /** By the number of cells over the list. */
  readonly #writers = new Map<number, RowWriter>()

  constructor(
    sink: RecordSink,
    columns: readonly string[],
    file: string,
    { columns: mapping = NO_COLUMNS, asRead = new AsRead() }: TableOptions = {},
  ) {
    this.#asRead = asRead
    this.#sink = sink
    this.#columns = columns
    this.#mapping = mapping
    this.#file = file
  }

  line(bytes: Buffer, start: number, end: number, offset: number, line: number): void {
    const cells = bytes
      .toString('latin1', start, end)
      .split('\t')
      .map((cell) => (cell === NULL_CELL ? '' : cell))
    if (cells.length > MOST_COLUMNS) {
      const message = `the row has ${cells.length} columns, over the ${MOST_COLUMNS} of any table`
      this.#sink.reject({ line, offset, reason: 'too_many_columns', message, ...recordOf(bytes, start, end) })
      return
    }
    const writer = this.#writerFor(Math.max(0, cells.length - this.#columns.length))
    writer.hand(this.#sink, this.#asRead, { cells, offset, line })
  }

  tooLong(offset: number, length: number, number: number): void {
    this.#sink.tooLong(offset, length, number)
  }

  #writerFor(more: number): RowWriter {
    const known = this.#writers.get(more)
    if (known) return known
    const named = Array.from({ length: more }, (_, i) => `column_${this.#columns.length + i + 1}`)
    const plan = planColumns([...this.#columns, ...named], this.#mapping, this.#file)
    const writer = new RowWriter(plan, (what) => this.#sink.unusable(what))
    this.#writers.set(more, writer)
    return writer
  }
}
