import { pad, visible, width } from './visible.ts'

/** A column: its heading and how a row's cell is made. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => unknown
  /** The side that cells are aligned to; `right` is for numbers. */
  readonly side?: 'left' | 'right'
  /** The column is never cut, only left out: half a date says nothing. */
  readonly whole?: boolean
}

const GAP = '  '
const LEAST = 4
const WIDEST = 48
/** Only this many characters of a cell are read: splitting a megabyte into letters takes minutes. */
const MOST_CHARACTERS = 2000

/** Lays rows out under headings. The columns' widths come from the first rows; later ones are cut to them. */
export class Table<Row> {
  readonly #columns: readonly Column<Row>[]
  readonly #widths: readonly number[]

  /** `sample`: the rows that decide the widths. `total`: the terminal's width in columns. */
  constructor(columns: readonly Column<Row>[], sample: readonly Row[], total: number) {
    const wanted = columns.map(({ title, cell }) =>
      Math.min(WIDEST, Math.max(width(visible(title)), ...sample.map((row) => width(cellText(cell(row)))))),
    )
    this.#widths = shrink(wanted, total, columns)
    this.#columns = columns.slice(0, this.#widths.length)
  }

  head(): string {
    return this.#line(this.#columns.map(({ title }) => visible(title)))
  }

  row(row: Row): string {
    return this.#line(this.#columns.map(({ cell }) => cellText(cell(row))))
  }

  #line(cells: readonly string[]): string {
    const padded = cells.map((text, i) => pad(text, this.#widths[i]!, this.#columns[i]!.side))
    // No blanks at the line's end: they wrap on a terminal that is made narrower.
    return padded.join(GAP).trimEnd()
  }
}

/** The text of a cell, from its beginning: nothing for null, JSON for containers. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return visible(
    (typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, MOST_CHARACTERS),
  )
}

/** Makes the widest column narrower until all fit. Columns that cannot fit are left out, the last ones first. */
function shrink(
  wanted: readonly number[],
  total: number,
  columns: readonly Pick<Column<unknown>, 'whole'>[],
): number[] {
  const widths = [...wanted]
  const used = () => widths.reduce((sum, w) => sum + w + GAP.length, -GAP.length)
  while (used() > total) {
    const cuttable = widths.map((w, i) => (columns[i]!.whole ? 0 : w))
    const widest = cuttable.indexOf(Math.max(...cuttable))
    if (cuttable[widest]! > LEAST * 2) widths[widest]!--
    else if (widths.length > 1) widths.pop()
    else return [Math.max(LEAST, total)]
  }
  return widths
}
