import { type Info, type Options, type Parser, parse } from 'csv-parse'
import { parse as parseNow } from 'csv-parse/sync'
import { PosthaulError } from '../errors.ts'
import type { ColumnMapping } from '../mapping/columns.ts'
import { isJson } from '../record/is-json.ts'
import { MAX_LINE_BYTES } from '../record/lines.ts'
import { KIB } from '../units.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter } from './csv-row.ts'
import type { InputFile } from './input-file.ts'
import { LineCount } from './line-count.ts'
import type { RecordSink } from './record-sink.ts'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
/** Enough to hold a header's line end. */
const HEAD_BYTES = 16 * KIB

/** What csv-parse gives when asked for the raw text too. */
interface RawRow {
  readonly record: string[]
  readonly raw: string
}

/** Reads CSV or TSV: the first row names the columns, each further row becomes one record. */
export async function readTable(
  input: InputFile,
  bytes: AsyncIterable<Buffer>,
  sink: RecordSink,
  columns: ColumnMapping,
  maxBytes: number = MAX_LINE_BYTES,
): Promise<void> {
  const rows = new Rows(input, sink, columns)
  let parser: Parser | undefined
  try {
    for await (const chunk of withFullHead(bytes)) {
      const start = parser || !chunk.subarray(0, BOM.length).equals(BOM) ? 0 : BOM.length
      rows.bom += start
      const text = chunk.subarray(start)
      parser ??= createParser(text, input, rows, maxBytes)
      rows.lines.chunk(text)
      await settled((done) => parser!.write(text, done))
    }
    if (parser) await settled((done) => parser!.end(done))
  } catch (error) {
    throw tableError(error, input, rows)
  } finally {
    parser?.destroy()
  }
}

/** The names of a table's columns, as its first row has them; none of an empty file. */
export async function readHeader(input: InputFile, bytes: AsyncIterable<Buffer>): Promise<string[]> {
  for await (const head of withFullHead(bytes)) {
    const text = head.subarray(head.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0)
    const [cells] = parseNow(text, { ...optionsFor(text, input), to: 1 }) as string[][]
    return cells?.map(utf8) ?? []
  }
  return []
}

function optionsFor(head: Buffer, input: InputFile): Options {
  return {
    // One character for each byte, so that no byte changes.
    encoding: 'latin1',
    delimiter: input.delimiter ?? ',',
    record_delimiter: head.includes('\r') && !head.includes('\n') ? '\r' : ['\r\n', '\n'],
    relax_column_count: true,
    // Warehouses write TSV with bare quotes in JSON cells.
    relax_quotes: true,
    skip_empty_lines: true,
  }
}

function utf8(cell: string): string {
  return Buffer.from(cell, 'latin1').toString('utf8')
}

function createParser(head: Buffer, input: InputFile, rows: Rows, maxBytes: number): Parser {
  const parser = parse({
    ...optionsFor(head, input),
    max_record_size: maxBytes,
    raw: true,
    on_record: (row: unknown, info) => {
      rows.row(row as RawRow, info)
      return null
    },
  })
  // Errors also reach the write under way. Without a listener they would end the process.
  parser.on('error', () => undefined)
  return parser.resume()
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

function settled(start: (done: (error?: Error | null) => void) => unknown): Promise<void> {
  return new Promise((resolve, reject) => {
    start((error) => (error ? reject(error) : resolve()))
  })
}

class Rows {
  readonly lines = new LineCount()
  /** Length of the byte order mark, which the parser does not count. */
  bom = 0
  readonly #input: InputFile
  readonly #sink: RecordSink
  readonly #columns: ColumnMapping
  #header: readonly string[] | undefined
  #writer: RowWriter | undefined
  #emptyLines = 0
  /** Where the row after the last one begins. */
  #offset = 0

  constructor(input: InputFile, sink: RecordSink, columns: ColumnMapping) {
    this.#input = input
    this.#sink = sink
    this.#columns = columns
  }

  /** The line the row under way begins on. */
  get line(): number {
    return this.lines.at(this.#offset)
  }

  row({ record: cells, raw }: RawRow, { bytes, empty_lines }: Info): void {
    const offset = this.bom + this.#offset
    const line = this.line + empty_lines - this.#emptyLines
    this.#offset = bytes
    this.#emptyLines = empty_lines
    if (!this.#header) this.#readHeader(cells)
    else if (cells.length === this.#header.length) this.#record(cells, line, offset)
    else if (cells.length > 1 || cells[0]!.trim() !== '') {
      const message = `the row has ${count(cells.length)}, the header has ${count(this.#header.length)}`
      const record = Buffer.from(raw.replace(/^[\r\n]+|[\r\n]+$/g, ''), 'latin1').toString('utf8')
      this.#sink.reject({ line, offset, reason: 'csv_field_count', message, record })
    }
  }

  #record(cells: readonly string[], line: number, offset: number): void {
    const writer = this.#writer!
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

  #readHeader(cells: string[]): void {
    this.#header = cells.map(utf8)
    const plan = planColumns(this.#header, this.#columns, this.#input.path)
    this.#writer = new RowWriter(plan, (what) => this.#sink.unusable(what), this.#columns)
  }
}

function count(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`
}

function tableError(error: unknown, input: InputFile, rows: Rows): unknown {
  if (!(error instanceof Error) || !('code' in error) || !String(error.code).startsWith('CSV_')) return error
  const open = error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE'
  return new PosthaulError(
    open
      ? `${input.path}: the row that begins on line ${rows.line} has no end; a quote is open, or the file is cut short`
      : `${input.path}: line ${rows.line}: ${error.message}`,
    { code: 'input', hint: 'mend the file, or write it anew', cause: error },
  )
}
