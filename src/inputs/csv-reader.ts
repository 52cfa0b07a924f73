import type { ColumnMapping } from '../mapping/columns.ts'
import { isJson } from '../record/is-json.ts'
import { MAX_LINE_BYTES } from '../record/lines.ts'
import { KIB } from '../units.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter } from './csv-row.ts'
import { type CsvRow, CsvRows } from './csv-rows.ts'
import type { InputFile } from './input-file.ts'
import type { RecordSink } from './record-sink.ts'

/** Enough to hold a header's line end. */
const HEAD_BYTES = 16 * KIB

/** Reads CSV or TSV: the first row names the columns, each further row becomes one record. */
export async function readTable(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  columns: ColumnMapping,
  maxBytes: number = MAX_LINE_BYTES,
): Promise<void> {
  const table = new Table(input, sink, columns)
  let rows: CsvRows | undefined
  for await (const chunk of withFullHead(bytes)) {
    rows ??= new CsvRows(chunk, input, maxBytes, (row) => table.row(row))
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
      header ??= cells.texts()
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
  #width = 0
  #writer: RowWriter | undefined

  constructor(input: InputFile, sink: RecordSink, columns: ColumnMapping) {
    this.#input = input
    this.#sink = sink
    this.#columns = columns
  }

  row(row: CsvRow): void {
    const { cells } = row
    if (!this.#writer) this.#writer = this.#writerFor(cells.texts())
    else if (cells.count === this.#width) this.#record(this.#writer, row)
    else if (cells.count > 1 || cells.latin1(0).trim() !== '') this.#ragged(row)
  }

  #record(writer: RowWriter, { cells, line, offset }: CsvRow): void {
    const bad = writer.write(cells)
    const { out } = writer
    if (bad) {
      const message = `column ${JSON.stringify(bad.column)} does not hold JSON: ${bad.problem}`
      const text = out.bytes.toString('utf8', 0, out.length)
      // A bad cell such as `1,"x":2` can make valid JSON by accident. The record must stay a reject until it is mended.
      const record = isJson(text) ? `${text} !` : text
      this.#sink.reject({ line, offset, reason: 'csv_cell_not_json', message, record })
    } else this.#sink.line(out.bytes, 0, out.length, offset, line)
  }

  #ragged(row: CsvRow): void {
    const { cells, line, offset } = row
    const message = `the row has ${count(cells.count)}, the header has ${count(this.#width)}`
    const record = row
      .raw()
      .toString()
      .replace(/^[\r\n]+|[\r\n]+$/g, '')
    this.#sink.reject({ line, offset, reason: 'csv_field_count', message, record })
  }

  #writerFor(header: readonly string[]): RowWriter {
    this.#width = header.length
    const plan = planColumns(header, this.#columns, this.#input.path)
    return new RowWriter(plan, (what) => this.#sink.unusable(what))
  }
}

function count(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`
}
