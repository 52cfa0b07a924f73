import { once } from 'node:events'
import { Transform, type Writable } from 'node:stream'
import ndjson from 'ndjson'
import type { Io } from '../io.ts'
import { type Column, Table } from '../text/table.ts'
import { plainJson } from '../text/visible.ts'

export type Format = 'table' | 'json' | 'ndjson'

/** How rows of one kind are shown: columns for people, JSON for programs. */
export interface RowView<Row> {
  /** A row as JSON on one line, for rows that keep JSON as text so that numbers keep their digits. */
  readonly json?: (row: Row) => string
  /** Columns of the table, chosen by the first rows. */
  readonly tableColumns: (sample: readonly Row[]) => readonly Column<Row>[]
}

/** A view of rows that always have the same fields. */
export function plainView<Row>(...titles: (keyof Row & string)[]): RowView<Row> {
  return {
    tableColumns: (sample) =>
      titles.map((title) => ({
        title,
        cell: (row) => row[title],
        side: sample.length > 0 && sample.every((row) => typeof row[title] === 'number') ? 'right' : 'left',
      })),
  }
}

const SAMPLE = 100
const DEFAULT_WIDTH = 80

type Out = Writable & { readonly columns?: number | undefined; readonly isTTY?: boolean }

/** Writes rows in a format as they come. The first hundred are held back, because they decide the columns. */
export class RowPrinter<Row extends object> {
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

  /** Writes the rows that are held back, and the end of the output. To be called once, after the last row. */
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
  const json = (row: Row) => plainJson(view.json?.(row) ?? JSON.stringify(row))
  if (format === 'ndjson') return view.json ? textSink(out, '', (row) => `${json(row)}\n`) : ndjsonSink(out)
  if (format === 'json')
    return textSink(out, '[', (row, first) => `${first ? '' : ','}\n${json(row)}`, '\n]\n')
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
    // A reader can be slower than the service: waiting for it keeps memory flat.
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
  const plain = new Transform({ transform: (line, _, done) => done(null, plainJson(String(line))) })
  lines.pipe(plain).pipe(out, { end: false })
  return {
    row: async (row) => {
      if (!lines.write(row)) await once(lines, 'drain')
    },
    end: async () => {
      lines.end()
      if (!plain.readableEnded) await once(plain, 'end')
    },
  }
}

interface FormatValues {
  readonly format: Format | undefined
}

/** The format that was asked for. Default: a table on a terminal, NDJSON elsewhere. */
export function formatOf({ format }: FormatValues, io: Pick<Io, 'stdout'>): Format {
  return format ?? (io.stdout.isTTY ? 'table' : 'ndjson')
}

/** Writes a list that is in memory, in the format that was asked for. */
export async function writeRows<Row extends object>(
  rows: readonly Row[],
  view: RowView<Row>,
  values: FormatValues,
  io: Io,
): Promise<void> {
  const writer = new RowPrinter(formatOf(values, io), view, io.stdout)
  for (const row of rows) await writer.write(row)
  await writer.end()
}
