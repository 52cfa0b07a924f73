/** What a letter after a backslash stands for, in Postgres' COPY and MySQL's OUTFILE. */
const LETTERS = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', Z: '\x1a' }))

/** The line that ends the data of a COPY, as pg_dump writes it. */
const END_MARK = '\\.'

/**
 * A cell without quotes that is empty: the null of Postgres' COPY, MySQL's OUTFILE, Hive, ClickHouse and Snowflake's unload.
 */
export const NULL_CELL = '\\N'

/** Joins the cells of COPY's text form, which come cut at each delimiter and line end, and undoes their escapes. */
export class CopyCells {
  readonly #delimiter: string
  readonly #lineEnd: string
  /** The cells so far of a row whose line ends are escaped. */
  #cells: string[] = []
  /** Set while the last cell goes on. */
  #between: string | undefined

  constructor(delimiter: string, lineEnd: string) {
    this.#delimiter = delimiter
    this.#lineEnd = lineEnd
  }

  /** How many bytes wait for the rest of their row. */
  get waiting(): number {
    return this.#cells.reduce((sum, cell) => sum + cell.length, 0)
  }

  /** Takes a line; returns the row that it ends, none of an empty line. `isEnded` tells if the line has a line end. */
  line(pieces: readonly string[], isEnded: boolean): string[] | undefined {
    for (const piece of pieces) {
      if (this.#between === undefined) this.#cells.push(piece)
      else this.#cells.push(this.#cells.pop()! + this.#between + piece)
      this.#between = goesOn(piece) ? this.#delimiter : undefined
    }
    if (!isEnded) return this.end()
    if (this.#between !== undefined) this.#between = this.#lineEnd
    else if (this.#lineEnd === '\n') this.#cells.push(this.#cells.pop()!.replace(/\r$/, ''))
    return this.#between === undefined ? this.end() : undefined
  }

  /** The row that is left. */
  end(): string[] | undefined {
    const cells = this.#cells
    if (this.#between === this.#lineEnd) cells.push(cells.pop()! + this.#between)
    this.#between = undefined
    this.#cells = []
    if (cells.length === 0 || (cells.length === 1 && (cells[0] === '' || cells[0] === END_MARK)))
      return undefined
    return cells.map((cell) => (cell === NULL_CELL ? '' : unescapeCell(cell)))
  }
}

/** True for a cell whose last backslash escapes what comes after it. */
function goesOn(cell: string): boolean {
  let at = cell.length
  while (cell[at - 1] === '\\') at--
  return (cell.length - at) % 2 === 1
}

/**
 * Undoes the backslash escapes of COPY's text form in a cell, one character for each byte. Up to three octal digits or `x`
 * and up to two hexadecimal ones are a byte; any other character stands for itself.
 * Source: PostgreSQL's manual, COPY, "Text Format"; MySQL's, LOAD DATA, "FIELDS ESCAPED BY".
 */
function unescapeCell(cell: string): string {
  return cell.replace(/\\(?:x([\da-fA-F]{1,2})|([0-7]{1,3})|(.))/gs, (_, hex, octal, char) => {
    if (char !== undefined) return LETTERS.get(char) ?? char
    return String.fromCharCode(Number.parseInt(hex ?? octal, hex === undefined ? 8 : 16) & 0xff)
  })
}
