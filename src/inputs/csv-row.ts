import { ByteWriter } from '../record/byte-writer.ts'
import { isJson } from '../record/is-json.ts'
import { type Reject, recordOf } from '../record/reject.ts'
import type { AsRead } from './as-read.ts'
import type { PlanNode, TypedCells } from './csv-plan.ts'
import type { RecordSink } from './record-sink.ts'
import type { RowCells } from './row-cells.ts'
import { notOfType, onOneLine } from './typed-record.ts'

const OPEN = 0x7b
const CLOSE = 0x7d
const COMMA = 0x2c
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** What a byte of a cell is in a JSON string: 0 itself, 1 itself after a backslash, 2 a longer escape. */
const ESCAPE = new Uint8Array(256)
ESCAPE.fill(2, 0, 0x20)
ESCAPE[QUOTE] = 1
ESCAPE[BACKSLASH] = 1

/** A cell that is not of the type that the mapping file gives its column. */
export interface BadCell {
  readonly column: string
  readonly problem: string
}

/**
 * Writes rows as records, one line of JSON each. Every byte of the file is kept: cells are copied, or read as latin1, one
 * character for each byte. The scanner checks later that they are UTF-8.
 */
export class RowWriter {
  readonly out = new ByteWriter()
  readonly #plan: readonly PlanNode[]
  readonly #unusable: (what: string) => void
  /** Writes the same rows with the text of their cells; undefined where no column has a type. */
  readonly #untyped: RowWriter | undefined
  #bad: BadCell | undefined

  /** `unusable` is told of cells that are not of their column's type. */
  constructor(plan: readonly PlanNode[], unusable: (what: string) => void) {
    this.#plan = plan
    this.#unusable = unusable
    this.#untyped = hasTypes(plan) ? new RowWriter(untyped(plan), () => undefined) : undefined
  }

  /**
   * Writes one row into `out`, over the last one. Empty cells are left out. Returns the first cell that isn't the
   * JSON it should be; the record holds its text all the same, so that it can be mended in place.
   */
  write(cells: RowCells): BadCell | undefined {
    this.out.length = 0
    this.#bad = undefined
    this.out.byte(OPEN)
    this.#members(this.#plan, cells, true)
    this.out.byte(CLOSE)
    return this.#bad
  }

  /** The record with the text of its cells; undefined where no column has a type, so that the record has them itself. */
  #textOf(cells: RowCells): Buffer | undefined {
    const writer = this.#untyped
    if (!writer) return undefined
    writer.write(cells)
    // A copy: the next row is written over it.
    return Buffer.from(writer.out.bytes.subarray(0, writer.out.length))
  }

  /** Hands on the record that was written last, of these cells. */
  hand(sink: RecordSink, asRead: AsRead, cells: RowCells, offset: number, line: number): void {
    asRead.row = this.#untyped && (() => this.#textOf(cells)!)
    sink.line(this.out.bytes, 0, this.out.length, offset, line)
    asRead.row = undefined
  }

  /** The reject of a row that `write` found a bad cell in. */
  rejectOf(
    { column, problem }: BadCell,
    cells: RowCells,
  ): Pick<Reject, 'reason' | 'message' | 'record' | 'bytes' | 'cells'> {
    const row = this.#textOf(cells)
    const line = row ?? this.out.bytes.subarray(0, this.out.length)
    return {
      reason: 'csv_cell_not_json',
      message: `column ${JSON.stringify(column)} does not hold JSON: ${problem}`,
      // A bad cell such as `1,"x":2` can make valid JSON by accident. The record must stay a reject until it is mended.
      ...recordOf(isJson(line.toString()) ? Buffer.concat([line, Buffer.from(' !')]) : line),
      ...(row && { cells: true }),
    }
  }

  #members(nodes: readonly PlanNode[], cells: RowCells, isFirst: boolean): void {
    let first = isFirst
    for (const node of nodes) {
      if (node.children.length === 0 && cells.isEmpty(node.column)) continue
      const before = this.out.length
      if (!first) this.out.byte(COMMA)
      this.out.copy(node.key, 0, node.key.length)
      if (this.#value(node, cells)) first = false
      else this.out.length = before
    }
  }

  /** Returns false when there is nothing to write. */
  #value(node: PlanNode, cells: RowCells): boolean {
    const { column, json, typed } = node
    if (node.children.length > 0) return this.#object(node, column === -1 ? '' : cells.latin1(column), cells)
    if (json) this.#json(node, cells.latin1(column))
    else if (typed === undefined) this.#cell(cells, column)
    else this.#typed(node, typed, cells)
    return true
  }

  #typed({ column, label }: PlanNode, { type, isUtf8, read }: TypedCells, cells: RowCells): void {
    const value = read(isUtf8 ? cells.utf8(column) : cells.latin1(column))
    if (value !== undefined) this.#raw(value)
    else {
      this.#cell(cells, column)
      this.#unusable(notOfType(label, type))
    }
  }

  /** An object of other columns, after the members of its own JSON cell. */
  #object(node: PlanNode, cell: string, cells: RowCells): boolean {
    const before = this.out.length
    this.out.byte(OPEN)
    const text = cell.trim()
    const given = text !== '' && text !== 'null'
    if (given) {
      const problem = jsonProblem(text) ?? (text.startsWith('{') ? undefined : 'it is no JSON object')
      if (problem !== undefined) this.#bad ??= { column: node.label, problem }
      this.#raw(text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).trim() : text)
    }
    const empty = this.out.length === before + 1
    this.#members(node.children, cells, empty)
    this.out.byte(CLOSE)
    return given || this.out.length > before + 2
  }

  #json(node: PlanNode, cell: string): void {
    const problem = jsonProblem(cell)
    if (problem !== undefined) this.#bad ??= { column: node.label, problem }
    this.#raw(cell)
  }

  #raw(text: string): void {
    this.#latin1(onOneLine(text))
  }

  /** A cell as a JSON string. */
  #cell(cells: RowCells, column: number): void {
    const source = cells.bytes
    const start = cells.start(column)
    const end = cells.end(column)
    const { out } = this
    out.ensure((end - start) * 2 + 2)
    const { bytes } = out
    let to = out.length
    bytes[to++] = QUOTE
    for (let at = start; at < end; at++) {
      const byte = source[at]!
      const needed = ESCAPE[byte]!
      if (needed === 2) {
        this.#latin1(JSON.stringify(cells.latin1(column)))
        return
      }
      if (needed === 1) bytes[to++] = BACKSLASH
      bytes[to++] = byte
    }
    bytes[to++] = QUOTE
    out.length = to
  }

  #latin1(text: string): void {
    this.out.ensure(text.length)
    this.out.length += this.out.bytes.write(text, this.out.length, 'latin1')
  }
}

function hasTypes(plan: readonly PlanNode[]): boolean {
  return plan.some(({ typed, children }) => typed !== undefined || hasTypes(children))
}

function untyped(plan: readonly PlanNode[]): PlanNode[] {
  return plan.map((node) => ({ ...node, typed: undefined, children: untyped(node.children) }))
}

function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as SyntaxError).message
  }
}
