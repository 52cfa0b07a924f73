import { CsvError, type Options, Parser } from 'csv-parse'
import { PosthaulError } from '../errors.ts'
import type { Escapes } from '../mapping/columns.ts'
import { sum } from '../text/lists.ts'
import type { InputFile } from './input-file.ts'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])
const CR = 0x0d
const LF = 0x0a

export interface CsvTable extends Pick<InputFile, 'path' | 'delimiter'> {
  readonly escapes?: Escapes | undefined
  /** True where blanks beside delimiters are no part of a cell. */
  readonly isPadded?: boolean
  /** True where CRLF was written as CR CR LF. */
  readonly isDoubled?: boolean
  /** Told of a row whose cells hold more than `maxBytes`, which is skipped; without it, such a row ends the reading. */
  readonly tooLong?: (offset: number, length: number, line: number) => void
}

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
    if (options.trim) trimBlanks((this as unknown as { state: State }).state)
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

/** Spaces and tabs. */
const BLANKS = [0x20, 0x09]

/** What csv-parse trims by. */
interface State {
  timchars: Buffer[]
  timcharFirstBytes: Uint8Array
  readonly wasQuoting: boolean
  readonly field: { toString(encoding: BufferEncoding): string | { trimRight(): string } }
}

/**
 * Has csv-parse trim blanks alone. It trims what JavaScript calls white space, which are other bytes in latin1: of U+2028 that of
 * `(`, of U+202F that of `/`, and at the end of a cell 0xA0, with which the UTF-8 of `à` ends.
 */
function trimBlanks(state: State): void {
  state.timchars = BLANKS.map((byte) => Buffer.from([byte]))
  state.timcharFirstBytes = Uint8Array.from({ length: 256 }, (_, byte) => Number(BLANKS.includes(byte)))
  const { field } = state
  const textOf = field.toString.bind(field) as (encoding: BufferEncoding) => string
  field.toString = (encoding) => {
    const text = textOf(encoding)
    let end = text.length
    while (end > 0 && BLANKS.includes(text.charCodeAt(end - 1))) end--
    return state.wasQuoting ? text : { trimRight: () => text.slice(0, end) }
  }
}

/** Thrown through the parser, for a row of several lines whose cells hold too much. */
const TOO_LONG = new Error('too long')

function raise(error?: Error | null): void {
  if (error) throw error
}

/**
 * Cuts the bytes of a table into rows, by csv-parse. A quote opens a cell only at its beginning, and closes it only before a
 * delimiter or a line end: others belong to their cell, as warehouses write JSON into TSV. A cell of `\N` without quotes is
 * empty. Empty lines are no rows. A row ends with LF or CRLF, in a file whose head has CR alone with CR. Code `input` for a
 * row that has no end, and, where nobody is told of it, for one whose cells hold more than `maxBytes`.
 *
 * Where all backslashes escape the table is in COPY's text form: quotes are data, and escapes are undone; `\.` ends it.
 */
export class CsvRows {
  readonly #options: Options
  #parser: RowParser
  readonly #path: string
  readonly #maxBytes: number
  readonly #row: (row: CsvRow) => void
  readonly #rowEnd: number
  /** Of a table in COPY's text form. */
  #copy: CopyCells | undefined
  /** Length of the mark of the byte order, which csv-parse isn't shown: it is no part of the first cell. */
  readonly #mark: number
  /** What came since the end of the row before. */
  #chunks: Buffer[] = []
  readonly #tooLong: CsvTable['tooLong']
  readonly #delimiter: string
  readonly #escapes: Escapes | undefined
  /** Offset from which the parser counts its bytes. */
  #base: number
  /** Set while the rest of a row is skipped that is too long. */
  #skipped: RowEnd | undefined
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
    { path, delimiter = ',', escapes, isPadded, isDoubled, tooLong }: CsvTable,
    maxBytes: number,
    row: (row: CsvRow) => void,
  ) {
    this.#path = path
    this.#maxBytes = maxBytes
    this.#row = row
    this.#rowEnd = head.includes(CR) && !head.includes(LF) ? CR : LF
    this.#mark = head.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
    this.#from = this.#mark
    this.#base = this.#mark
    this.#tooLong = tooLong
    this.#delimiter = delimiter
    const lineEnd = String.fromCharCode(this.#rowEnd)
    const isCopy = escapes === 'backslash'
    if (isCopy) this.#copy = this.#newCopy()
    this.#escapes = escapes
    this.#options = {
      encoding: 'latin1',
      delimiter,
      record_delimiter:
        this.#rowEnd === CR || isCopy ? lineEnd : isDoubled ? ['\r\r\n', '\r\n', '\n'] : ['\r\n', lineEnd],
      ...(isPadded && !isCopy && { trim: true }),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: !isCopy,
      max_record_size: maxBytes,
      ...(isCopy && { quote: null, escape: null }),
      ...(escapes === 'quotes' && { escape: '\\' }),
    }
    this.#parser = new RowParser(this.#options, (cells) => this.#record(cells))
  }

  /** Takes the next bytes, which must not change until the row they begin is handed over. */
  push(chunk: Buffer): void {
    const bytes = this.#to === 0 ? chunk.subarray(this.#mark) : chunk
    this.#lastByte = chunk.at(-1) ?? this.#lastByte
    this.#to += chunk.length
    if (this.#skipped) this.#skip(this.#skipped, bytes)
    else this.#feed(bytes)
  }

  #feed(bytes: Buffer): void {
    this.#chunks.push(bytes)
    this.#step(() => this.#parser.cut(bytes))
  }

  /** Takes what is left as the last row. */
  end(): void {
    if (this.#skipped) {
      if (this.#skipped.isQuoted) throw this.#endless()
      this.#skipTo(this.#skipped, this.#to)
      return
    }
    this.#step(() => this.#parser.finish())
    const left = this.#copy?.end()
    if (left) this.#hand(left, this.#to)
  }

  #step(take: () => void): void {
    try {
      take()
    } catch (error) {
      const isOfParser = error instanceof CsvError
      const isLong = isOfParser ? error.code === 'CSV_MAX_RECORD_SIZE' : error === TOO_LONG
      if (!isLong || !this.#tooLong) throw isLong || isOfParser ? this.#endless(error) : error
      const held = this.#chunks
      this.#chunks = []
      this.#skip(new RowEnd(this.#delimiter, this.#rowEnd, this.#escapes), Buffer.concat(held))
    }
  }

  /** Passes over what is left of a row, and reads on behind it. */
  #skip(row: RowEnd, bytes: Buffer): void {
    this.#skipped = row
    const end = row.find(bytes)
    if (end === -1) return
    this.#skipTo(row, this.#to - bytes.length + end)
    if (end < bytes.length) this.#feed(bytes.subarray(end))
  }

  #skipTo(row: RowEnd, end: number): void {
    this.#skipped = undefined
    this.#tooLong?.(this.#from + row.before, end - this.#from - row.before, this.#line + row.linesBefore)
    this.#line += row.lines
    this.#offset = end
    this.#from = end
    this.#base = end
    this.#emptyBefore = 0
    this.#parser = new RowParser(this.#options, (cells) => this.#record(cells))
    if (this.#copy) this.#copy = this.#newCopy()
  }

  #newCopy(): CopyCells {
    return new CopyCells(this.#delimiter, String.fromCharCode(this.#rowEnd))
  }

  #record(pieces: string[]): void {
    const { bytes, empty_lines } = this.#parser.info
    const end = bytes + this.#base
    const copy = this.#copy
    if (!copy) {
      this.#hand(pieces, end, empty_lines)
      return
    }
    const { waiting } = copy
    if (waiting > 0 && waiting + sum(pieces, (piece) => piece.length) > this.#maxBytes) throw TOO_LONG
    const cells = copy.line(pieces, end < this.#to || this.#lastByte === this.#rowEnd)
    if (cells) this.#hand(cells, end)
    else if (copy.waiting === 0) this.#take(end)
  }

  #hand(read: string[], end: number, emptyLines = 0): void {
    const line = this.#line + emptyLines - this.#emptyBefore
    const raw = this.#take(end)
    const cells = !this.#copy && read.includes(NULL_CELL) ? this.#withoutNulls(read, raw) : read
    this.#row({ cells, offset: this.#offset, line, raw })
    this.#offset = end
    this.#emptyBefore = emptyLines
  }

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
    let row = cells
    const parser = new RowParser({ ...this.#options, cast }, (read) => {
      row = read
    })
    parser.cut(raw)
    parser.finish()
    return row
  }

  #endless(cause?: unknown): PosthaulError {
    const isBehind = cause instanceof CsvError && cause.code === 'CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE'
    const why = isBehind
      ? 'has text behind a closing quote; a quote in a cell is written twice'
      : 'has no end; a quote is open, or the file is cut short'
    return new PosthaulError(`${this.#path}: the row that begins on line ${this.#line} ${why}`, {
      code: 'input',
      hint: 'mend the file, or write it anew',
      cause,
    })
  }
}

/** Counts the rows of a table that has a header, as its reader cuts them, and keeps nothing of them. */
export class RowTally {
  readonly #delimiter: string
  #rows = 0
  #row: RowEnd

  constructor(delimiter: string) {
    this.#delimiter = delimiter
    this.#row = new RowEnd(delimiter, LF)
  }

  push(chunk: Buffer): void {
    for (let rest = chunk; rest.length > 0; ) {
      const end = this.#row.find(rest)
      if (end === -1) return
      this.#rows++
      this.#row = new RowEnd(this.#delimiter, LF)
      rest = rest.subarray(end)
    }
  }

  /** The records: rows without the header. */
  get lines(): number {
    return Math.max(0, this.#rows - 1)
  }

  get open(): boolean {
    return this.#row.isBegun
  }

  /** A row without its line end may have lost more than that. */
  get isWhole(): boolean {
    return !this.open
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Finds where a row ends, by the rules of `CsvRows`, and keeps nothing of it. In COPY's text form nothing is quoted, and a
 * backslash before a line end makes it a part of the row.
 */
class RowEnd {
  /** Line ends of empty lines before the row, and all lines up to its end. */
  before = 0
  linesBefore = 0
  lines = 0
  readonly #delimiter: number
  readonly #rowEnd: number
  readonly #escapes: Escapes | undefined
  #isEscaped = false
  #state: 'before' | 'cell' | 'text' | 'quoted' | 'quote' | 'return' = 'before'

  constructor(delimiter: string, rowEnd: number, escapes?: Escapes) {
    this.#delimiter = delimiter.charCodeAt(0)
    this.#rowEnd = rowEnd
    this.#escapes = escapes
  }

  /** True once a byte of it came. */
  get isBegun(): boolean {
    return this.#state !== 'before'
  }

  get isQuoted(): boolean {
    return this.#state === 'quoted'
  }

  /** The end of the row in the next bytes; -1 where it is behind them. */
  find(bytes: Buffer): number {
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!
      if (byte === LF) this.lines++
      if (this.#escapes === 'backslash') {
        if (byte === this.#rowEnd && !this.#isEscaped) return at + 1
        this.#isEscaped = byte === BACKSLASH && !this.#isEscaped
        continue
      }
      if (this.#isBefore(byte)) continue
      if (this.#state === 'quoted') {
        if (byte === QUOTE && !this.#isEscaped) this.#state = 'quote'
        this.#isEscaped = this.#escapes === 'quotes' && byte === BACKSLASH && !this.#isEscaped
      } else if (byte === this.#rowEnd) return at + 1
      else this.#state = this.#next(byte)
    }
    return -1
  }

  #isBefore(byte: number): boolean {
    if (this.#state !== 'before') return false
    if (byte === LF || byte === CR) {
      this.before++
      this.linesBefore = this.lines
      return true
    }
    this.#state = 'cell'
    return false
  }

  #next(byte: number): 'cell' | 'text' | 'quoted' | 'return' {
    const state = this.#state
    if (state === 'cell' && byte === QUOTE) return 'quoted'
    if (byte === this.#delimiter && state !== 'return') return 'cell'
    if (state === 'quote') return byte === CR ? 'return' : 'quoted'
    return state === 'return' ? 'quoted' : 'text'
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
