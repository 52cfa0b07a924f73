import { PosthaulError } from '../errors.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import type { InputFile } from './input-file.ts'
import { isNullCell, RowCells } from './row-cells.ts'
import { unescapeCell } from './unescape-cell.ts'

const BOM = Buffer.from([0xef, 0xbb, 0xbf])

const QUOTE = 0x22
const CR = 0x0d
const LF = 0x0a
const NUL = 0
const BACKSLASH = 0x5c
const DOT = 0x2e

/** What a byte means in a cell without quotes, where it means anything. */
const DELIMITER = 1
const ROW_END = 2
const LINE_END = 3
/** The byte after it belongs to the cell, whatever it is. */
const ESCAPE = 4

/** Where the reading is. */
const AT_CELL = 0
/** In a cell whose quotes are its own. */
const BARE = 1
const QUOTED = 2
/** After a quote in a quoted cell: the next byte tells what it was. */
const AFTER_QUOTE = 3
/** After such a quote and a CR. */
const AFTER_CR = 4
/** After a backslash in a table of COPY's text form. */
const ESCAPED = 5

/** A row of a table, while it is handed over. */
export interface CsvRow {
  readonly cells: RowCells
  /** Offset at which the row before ended: empty lines come first. */
  readonly offset: number
  /** The line on which the row begins, from 1. */
  readonly line: number
  /** The row as it is in the file; line ends may be left at either side. */
  raw(): Buffer
}

/**
 * Cuts the bytes of a table into rows, byte by byte: how they come in chunks changes nothing. A quote opens a cell only
 * at its beginning, and closes it only before a delimiter or a line end: others belong to their cell, as warehouses write
 * JSON into TSV. A quote is doubled inside a quoted cell. A cell of `\N` without quotes is empty. Empty lines are no rows.
 * A row ends with LF or CRLF, in a file whose head has CR alone with CR. Code `input` for a row that has no end, or whose
 * cells hold more than `maxBytes`.
 *
 * With `escapes` the table is in COPY's text form: quotes are data, and backslash escapes are undone; `\.` ends it.
 */
export class CsvRows implements CsvRow {
  readonly cells = new RowCells()
  offset = 0
  line = 1
  readonly #means = new Uint8Array(256)
  readonly #endsWithCr: boolean
  readonly #maxBytes: number
  readonly #escapes: boolean
  readonly #path: string
  readonly #row: (row: CsvRow) => void
  /** The cells of the row under way, one after the other, without quotes. */
  readonly #out = new ByteWriter()
  #state = AT_CELL
  /** Where in #out the cell under way begins. */
  #cell = 0
  #chunk: Buffer = Buffer.alloc(0)
  /** Offset of the chunk's first byte. */
  #base = 0
  /** The row under way, as it is in chunks before and from `#from` in this one. */
  #before: Buffer[] = []
  #from = 0
  #end = 0
  #nextOffset = 0
  #nextLine = 1
  #emptyLines = 0
  /** LF since the end of the row before. */
  #lineEnds = 0

  /** `head` is the table's first bytes: they tell which line ends it has. */
  constructor(
    head: Buffer,
    { path, delimiter = ',' }: Pick<InputFile, 'path' | 'delimiter'>,
    maxBytes: number,
    row: (row: CsvRow) => void,
    escapes = false,
  ) {
    this.#escapes = escapes
    if (escapes) this.#means[BACKSLASH] = ESCAPE
    this.#endsWithCr = head.includes(CR) && !head.includes(LF)
    this.#means[LF] = LINE_END
    this.#means[this.#endsWithCr ? CR : LF] = ROW_END
    this.#means[delimiter.charCodeAt(0)] = DELIMITER
    this.#maxBytes = maxBytes
    this.#path = path
    this.#row = row
    // The mark of the byte order is no part of the first cell.
    this.#from = head.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0
  }

  raw(): Buffer {
    return Buffer.concat([...this.#before, this.#chunk.subarray(this.#from, this.#end)])
  }

  /** Takes the next bytes, which must not change until the row they begin is handed over. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    // A cell holds no more bytes than the file has for it: two quotes and a CR may wait from the chunk before.
    this.#out.ensure(chunk.length + 3)
    for (let at = this.#from; at < chunk.length; ) at = this.#step(at)
    // A CR may still turn out to be of a line end.
    if (this.#out.length > this.#maxBytes + 2) throw this.#endless()
    if (this.#from < chunk.length) this.#before.push(chunk.subarray(this.#from))
    this.#from = 0
    this.#base += chunk.length
  }

  /** Takes what is left as the last row. */
  end(): void {
    if (this.#state === QUOTED) throw this.#endless()
    if (this.#state === AFTER_CR) this.#notClosed()
    if (this.cells.count === 0 && (this.#state === AT_CELL || this.#isEndMark())) return
    this.#endRow(0)
  }

  /** Reads on from a place in the chunk; returns the next one. */
  #step(at: number): number {
    if (this.#state === BARE) return this.#bare(at)
    if (this.#state === QUOTED) return this.#quoted(at)
    const byte = this.#chunk[at]!
    if (this.#state === AT_CELL) {
      this.#state = byte === QUOTE && !this.#escapes ? QUOTED : BARE
      return this.#state === QUOTED ? at + 1 : this.#bare(at)
    }
    if (this.#state === ESCAPED) {
      if (byte === LF) this.#lineEnds++
      this.#out.byte(byte)
      this.#state = BARE
      return at + 1
    }
    return this.#state === AFTER_QUOTE ? this.#afterQuote(byte, at) : this.#afterCr(byte, at)
  }

  #bare(from: number): number {
    const chunk = this.#chunk
    const means = this.#means
    const { bytes } = this.#out
    let to = this.#out.length
    let at = from
    let meaning = 0
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!
      meaning = means[byte]!
      if (meaning !== 0) break
      bytes[to++] = byte
    }
    this.#out.length = to
    if (meaning === DELIMITER) this.#endCell()
    else if (meaning === ROW_END) this.#endLine(at + 1)
    else if (meaning === LINE_END) this.#lineEnd()
    else if (meaning === ESCAPE) {
      this.#out.byte(BACKSLASH)
      this.#state = ESCAPED
    }
    return at + 1
  }

  #quoted(from: number): number {
    const chunk = this.#chunk
    const { bytes } = this.#out
    let to = this.#out.length
    let at = from
    for (; at < chunk.length; at++) {
      const byte = chunk[at]!
      if (byte === QUOTE) {
        this.#state = AFTER_QUOTE
        break
      }
      if (byte === LF) this.#lineEnds++
      bytes[to++] = byte
    }
    this.#out.length = to
    return at + 1
  }

  #afterQuote(byte: number, at: number): number {
    const meaning = this.#means[byte]
    if (meaning === DELIMITER) this.#endCell()
    else if (meaning === ROW_END) this.#endRow(at + 1)
    else if (byte === CR) this.#state = AFTER_CR
    else if (byte === QUOTE) {
      this.#out.byte(QUOTE)
      this.#state = QUOTED
    } else {
      // A NUL closes a cell too, and belongs to it.
      if (byte === NUL) this.#state = BARE
      else this.#notClosed()
      return at
    }
    return at + 1
  }

  #afterCr(byte: number, at: number): number {
    if (byte === LF) {
      this.#endRow(at + 1)
      return at + 1
    }
    this.#notClosed()
    return at
  }

  /** The quotes of the cell under way turn out to be its own. */
  #notClosed(): void {
    const { bytes, length } = this.#out
    bytes.copyWithin(this.#cell + 1, this.#cell, length)
    bytes[this.#cell] = QUOTE
    this.#out.length++
    this.#out.byte(QUOTE)
    if (this.#state === AFTER_CR) this.#out.byte(CR)
    this.#state = BARE
  }

  /** A LF in a file whose rows end with CR. */
  #lineEnd(): void {
    this.#lineEnds++
    this.#out.byte(LF)
  }

  #endCell(): void {
    if (this.#state === BARE) {
      const { bytes, length } = this.#out
      if (isNullCell(bytes, this.#cell, length)) this.#out.length = this.#cell
      else if (this.#escapes) this.#out.length = unescapeCell(bytes, this.#cell, length)
    }
    this.cells.add(this.#cell, this.#out.length)
    this.#cell = this.#out.length
    this.#state = AT_CELL
  }

  /** Ends a row whose last cell is not quoted. */
  #endLine(next: number): void {
    const { bytes, length } = this.#out
    if (!this.#endsWithCr && length > this.#cell && bytes[length - 1] === CR) this.#out.length--
    if ((this.#out.length > 0 && !this.#isEndMark()) || this.cells.count > 0) {
      this.#endRow(next)
      return
    }
    this.#emptyLines++
    if (!this.#endsWithCr) this.#lineEnds++
    this.#state = AT_CELL
    this.#out.length = 0
    this.#from = next
    this.#before = []
  }

  /** The line that ends the data of a COPY, as pg_dump writes it. */
  #isEndMark(): boolean {
    const { bytes, length } = this.#out
    return this.#escapes && length === 2 && bytes[0] === BACKSLASH && bytes[1] === DOT
  }

  #endRow(next: number): void {
    const { cells } = this
    this.#endCell()
    if (this.#out.length > this.#maxBytes + 1) throw this.#endless()
    cells.bytes = this.#out.bytes
    this.offset = this.#nextOffset
    this.line = this.#nextLine + this.#emptyLines
    this.#end = next
    if (!this.#endsWithCr) this.#lineEnds++
    this.#row(this)
    this.#nextOffset = this.#base + next
    this.#nextLine += this.#lineEnds
    this.#emptyLines = 0
    this.#lineEnds = 0
    this.#from = next
    if (this.#before.length > 0) this.#before = []
    this.#out.length = 0
    this.#cell = 0
    cells.count = 0
  }

  #endless(): PosthaulError {
    return new PosthaulError(
      `${this.#path}: the row that begins on line ${this.#nextLine} has no end; a quote is open, or the file is cut short`,
      { code: 'input', hint: 'mend the file, or write it anew' },
    )
  }
}
