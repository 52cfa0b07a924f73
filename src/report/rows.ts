import { once } from 'node:events'
import type { Writable } from 'node:stream'
import ndjson from 'ndjson'
import { csvLine } from './csv.ts'
import { type Column, Table } from './table.ts'

export type Format = 'table' | 'json' | 'ndjson' | 'csv'

/** How rows of one kind are shown: columns for people and spreadsheets, JSON for programs. */
export interface RowView<Row> {
  /** A row as JSON on one line, where `JSON.stringify` would not do: numbers that are kept as text. */
  readonly json?: (row: Row) => string
  /** Columns of the table, chosen by the first rows. */
  readonly tableColumns: (sample: readonly Row[]) => readonly Column<Row>[]
  /** Columns of the CSV file; together they lose nothing. */
  readonly csvColumns: (sample: readonly Row[]) => readonly Column<Row>[]
}

const SAMPLE = 100
const DEFAULT_WIDTH = 80

type Out = Writable & { columns?: number }

/** Writes rows in a format as they come; holds the first hundred, which choose the columns. */
export class RowWriter<Row extends object> {
  readonly #format: Format
  readonly #view: RowView<Row>
  readonly #out: Out
  readonly #held: Row[] = []
  #sink: Sink<Row> | undefined

  constructor(format: Format, view: RowView<Row>, out: Out) {
    this.#format = format
    this.#view = view
    this.#out = out
  }

  async write(row: Row): Promise<void> {
    if (this.#sink) return this.#sink.row(row)
    this.#held.push(row)
    if (this.#held.length === SAMPLE) await this.#begin()
  }

  /** Writes what is held and the end; every run ends with it. */
  async end(): Promise<void> {
    const sink = this.#sink ?? (await this.#begin())
    await sink.end()
  }

  async #begin(): Promise<Sink<Row>> {
    const sink = openSink(this.#format, this.#view, this.#held, this.#out)
    this.#sink = sink
    for (const row of this.#held.splice(0)) await sink.row(row)
    return sink
  }
}

interface Sink<Row> {
  row(row: Row): Promise<void>
  end(): Promise<void>
}

function openSink<Row extends object>(
  format: Format,
  view: RowView<Row>,
  sample: readonly Row[],
  out: Out,
): Sink<Row> {
  const { json = JSON.stringify } = view
  if (format === 'ndjson') return view.json ? textSink(out, '', (row) => `${json(row)}\n`) : ndjsonSink(out)
  if (format === 'json')
    return textSink(out, '[', (row, first) => `${first ? '' : ','}\n${json(row)}`, '\n]\n')
  if (format === 'csv') {
    const columns = view.csvColumns(sample)
    const head = csvLine(columns.map(({ title }) => title))
    return textSink(out, head, (row) => csvLine(columns.map(({ cell }) => cell(row))))
  }
  const table = new Table(view.tableColumns(sample), sample, out.columns ?? DEFAULT_WIDTH)
  return textSink(out, `${table.head()}\n`, (row) => `${table.row(row)}\n`)
}

function textSink<Row>(
  out: Out,
  head: string,
  line: (row: Row, first: boolean) => string,
  foot = '',
): Sink<Row> {
  let before = head
  const put = async (text: string) => {
    // Waits for a reader that is slower than the service: memory stays flat.
    if (text && !out.write(text)) await once(out, 'drain')
  }
  let first = true
  return {
    row: async (row) => {
      const text = before + line(row, first)
      before = ''
      first = false
      await put(text)
    },
    end: () => put(before + foot),
  }
}

function ndjsonSink<Row extends object>(out: Out): Sink<Row> {
  const lines = ndjson.stringify()
  lines.pipe(out, { end: false })
  return {
    row: async (row) => {
      if (!lines.write(row)) await once(lines, 'drain')
    },
    end: async () => {
      lines.end()
      if (!lines.readableEnded) await once(lines, 'end')
    },
  }
}
