import { pad, visible, width } from './visible.ts'

/** A column: its heading and how a row's cell is made. */
export interface Column<Row> {
  readonly title: string
  readonly cell: (row: Row) => unknown
  /** Numbers stand at the right. */
  readonly side?: 'left' | 'right'
  /** Shown whole or not at all: half a date is worth nothing. */
  readonly whole?: boolean
}

const GAP = '  '
const LEAST = 4
const WIDEST = 48
/** Characters of a cell that are looked at: to tell the letters of a megabyte apart takes minutes. */
const LOOKED_AT = 2000

/** Lays rows out under headings. The columns' widths come from the first rows; later ones are cut to them. */
export class Table<Row> {
  readonly #columns: readonly Column<Row>[]
  readonly #widths: readonly number[]

  /** `sample` is what the widths are made for; `total` the terminal's width. */
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

/** A value as one line of a table, from its beginning: nothing for null, JSON for containers. */
function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return visible((typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, LOOKED_AT))
}

/** Makes the widest column narrower until all fit; columns that cannot fit at all are left out from the right. */
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
