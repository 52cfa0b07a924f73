import { type ColumnMapping, NO_COLUMNS } from '../mapping/index.ts'
import { type LineSink, recordOf } from '../record/index.ts'
import { AsRead } from './as-read.ts'
import { NULL_CELL } from './copy-cells.ts'
import { planColumns } from './csv-plan.ts'
import { RowWriter } from './csv-row.ts'
import type { RecordSink } from './record-sink.ts'

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
    mapping: ColumnMapping = NO_COLUMNS,
    asRead = new AsRead(),
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
    const bad = writer.write(cells)
    if (bad) this.#sink.reject({ line, offset, ...writer.rejectOf(bad, cells) })
    else writer.hand(this.#sink, this.#asRead, cells, offset, line)
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
