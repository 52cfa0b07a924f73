import { CsvError, type Options, Parser } from 'csv-parse'
import { parse as parseWhole } from 'csv-parse/sync'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from './input-file.ts'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const CR = 0x0d
const LF = 0x0a

/** What is to be known of a table before it is cut. */
export interface CsvTable extends Pick<InputFile, 'path' | 'delimiter'> {
  /** True for COPY's text form. */
  readonly escapes?: boolean | undefined
}

/** A row of a table, while it is handed over. */
export interface CsvRow {
  /** In latin1, one character for each byte. */
  readonly cells: readonly string[]
  /** Offset at which the row before ended: empty lines come first. */
  readonly offset: number
  /** The line on which the row begins, from 1. */
  readonly line: number
  /** The row as it is in the file; line ends may be left at either side. */
  readonly raw: Buffer
}

/**
 * A parser whose rows are handed on at once: through its queue, or by `on_record`, which is told everything about each row,
 * a table takes twice as long.
 */
class RowParser extends Parser {
  readonly #row: (cells: string[]) => void

  constructor(options: Options, row: (cells: string[]) => void) {
    super(options)
    this.#row = row
  }

  cut(chunk: Buffer): void {
    this._transform(chunk, 'latin1', raise)
  }

  finish(): void {
    this._flush(raise)
  }

  override push(cells: string[] | null): boolean {
    if (cells) this.#row(cells)
    return true
  }
}

function raise(error?: Error | null): void {
  if (error) throw error
}

/**
 * Cuts the bytes of a table into rows, by csv-parse. A quote opens a cell only at its beginning, and closes it only before a
 * delimiter or a line end: others belong to their cell, as warehouses write JSON into TSV. A cell of `\N` without quotes is
 * empty. Empty lines are no rows. A row ends with LF or CRLF, in a file whose head has CR alone with CR. Code `input` for a
 * row that has no end, or whose cells hold more than `maxBytes`.
 *
 * With `escapes` the table is in COPY's text form: quotes are data, and backslash escapes are undone; `\.` ends it.
 */
export class CsvRows {
  readonly #options: Options
  readonly #parser: RowParser
  readonly #path: string
  readonly #maxBytes: number
  readonly #row: (row: CsvRow) => void
  readonly #rowEnd: number
  /** Of a table in COPY's text form. */
  readonly #copy: CopyCells | undefined
  /** Length of the mark of the byte order, which csv-parse isn't shown: it is no part of the first cell. */
  readonly #mark: number
  /** What came since the end of the row before. */
  #chunks: Buffer[] = []
  /** Offset at which the chunks begin, and at which they end. */
  #from: number
  #to = 0
  #lastByte = 0
  /** The row before: where it ended, on which line, and how many empty lines there were up to it. */
  #offset = 0
  #line = 1
  #emptyBefore = 0

  /** `head` is the table's first bytes: they tell which line ends it has. */
  constructor(
    head: Buffer,
    { path, delimiter = ',', escapes = false }: CsvTable,
    maxBytes: number,
    row: (row: CsvRow) => void,
  ) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#row = row
    this.#rowEnd = head.includes(CR) && !head.includes(LF) ? CR : LF
    this.#mark = head.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
    this.#from = this.#mark
    const lineEnd = String.fromCharCode(this.#rowEnd)
    if (escapes) this.#copy = new CopyCells(delimiter, lineEnd)
    this.#options = {
      encoding: 'latin1',
      delimiter,
      record_delimiter: this.#rowEnd === CR || escapes ? lineEnd : ['\r\n', lineEnd],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: !escapes,
      max_record_size: maxBytes,
      ...(escapes && { quote: null, escape: null }),
    }
    this.#parser = new RowParser(this.#options, (cells) => this.#record(cells))
  }

  /** Takes the next bytes, which must not change until the row they begin is handed over. */
  push(chunk: Buffer): void {
    const bytes = this.#to === 0 ? chunk.subarray(this.#mark) : chunk
    this.#lastByte = chunk.at(-1) ?? this.#lastByte
    this.#to += chunk.length
    this.#chunks.push(bytes)
    this.#step(() => this.#parser.cut(bytes))
  }

  /** Takes what is left as the last row. */
  end(): void {
    this.#step(() => this.#parser.finish())
    const left = this.#copy?.end()
    if (left) this.#hand(left, this.#to)
  }

  #step(take: () => void): void {
    try {
      take()
    } catch (error) {
      throw error instanceof CsvError ? this.#endless(error) : error
    }
  }

  #record(pieces: string[]): void {
    const { bytes, empty_lines } = this.#parser.info
    const end = bytes + this.#mark
    const copy = this.#copy
    if (!copy) {
      this.#hand(pieces, end, empty_lines)
      return
    }
    const cells = copy.line(pieces, end < this.#to || this.#lastByte === this.#rowEnd)
    if (cells) this.#hand(cells, end)
    else if (copy.waiting === 0) this.#take(end)
    else if (copy.waiting > this.#maxBytes) throw this.#endless()
  }

  #hand(read: string[], end: number, emptyLines = 0): void {
    const line = this.#line + emptyLines - this.#emptyBefore
    const raw = this.#take(end)
    const cells = !this.#copy && read.includes(NULL_CELL) ? this.#withoutNulls(read, raw) : read
    this.#row({ cells, offset: this.#offset, line, raw })
    this.#offset = end
    this.#emptyBefore = emptyLines
  }

  /** The bytes up to an offset. */
  #take(end: number): Buffer {
    const size = end - this.#from
    if (this.#chunks[0]!.length < size) this.#chunks = [Buffer.concat(this.#chunks)]
    const [first] = this.#chunks as [Buffer]
    this.#chunks[0] = first.subarray(size)
    this.#from = end
    const bytes = first.subarray(0, size)
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) this.#line++
    return bytes
  }

  /** A second reading tells which cells are quoted, where one may be: csv-parse takes long to tell it of each cell. */
  #withoutNulls(cells: string[], raw: Buffer): string[] {
    if (!raw.includes(`"${NULL_CELL}"`)) return cells.map((cell) => (cell === NULL_CELL ? '' : cell))
    const cast: Options['cast'] = (cell, { quoting }) => (cell === NULL_CELL && !quoting ? '' : cell)
    const [row] = parseWhole(raw, { ...this.#options, cast }) as string[][]
    return row!
  }

  #endless(cause?: Error): PosthaulError {
    return new PosthaulError(
      `${this.#path}: the row that begins on line ${this.#line} has no end; a quote is open, or the file is cut short`,
      { code: 'input', hint: 'mend the file, or write it anew', cause },
    )
  }
}

/** What a letter after a backslash stands for, in Postgres' COPY and MySQL's OUTFILE. */
const LETTERS = new Map(Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', Z: '\x1a' }))

/** The line that ends the data of a COPY, as pg_dump writes it. */
const END_MARK = '\\.'

/**
 * A cell without quotes that is empty: the null of Postgres' COPY, MySQL's OUTFILE, Hive, ClickHouse and Snowflake's unload.
 */
export const NULL_CELL = '\\N'

/** Joins the cells of COPY's text form, which come cut at each delimiter and line end, and undoes their escapes. */
class CopyCells {
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
