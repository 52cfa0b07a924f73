import { isUtf8 } from 'node:buffer'
import { PosthaulError } from '../errors.ts'
import type { ColumnMapping } from '../mapping/index.ts'
import { MAX_LINE_BYTES, recordOf } from '../record/index.ts'
import { KIB } from '../text/index.ts'
import { AsRead } from './as-read.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter, textOf } from './csv-row.ts'
import { type CsvRow, CsvRows } from './csv-rows.ts'
import type { InputFile } from './input-file.ts'
import type { RecordSink } from './record-sink.ts'

/** Enough to hold a header's line end. */
const HEAD_BYTES = 16 * KIB

/** Reads CSV or TSV: the first row names the columns unless `columns.names` does; each further row becomes one record. */
export async function readTable(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  columns: ColumnMapping,
  maxBytes: number = MAX_LINE_BYTES,
  asRead = new AsRead(),
): Promise<void> {
  const table = new Table(input, sink, columns, asRead)
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    rows ??= new CsvRows(chunk, input, maxBytes, (row) => table.row(row), columns.escapes)
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
    else if (cells.length === this.#width) this.#record(this.#writer, row)
    else if (cells.length > 1 || cells[0]!.trim() !== '') this.#ragged(row)
  }

  #record(writer: RowWriter, { cells, line, offset }: CsvRow): void {
    const bad = writer.write(cells)
    if (bad) this.#sink.reject({ line, offset, ...writer.rejectOf(bad, cells) })
    else writer.hand(this.#sink, this.#asRead, cells, offset, line)
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
