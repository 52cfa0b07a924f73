import { notOfType, onOneLine, type TypedCells } from '../mapping/typed-text.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { isJson } from '../record/json-values.ts'
import { type Reject, recordOf } from '../record/reject.ts'
import type { PlanNode } from './csv-plan.ts'
import type { CsvRow } from './csv-rows.ts'
import type { AsRead, RecordSink } from './record-sink.ts'

/** The cells of a row in latin1, one character for each byte. */
type Cells = readonly string[]

/** A cell that is not of the type that the mapping file gives its column. */
interface BadCell {
  readonly column: string
  readonly problem: string
}

/**
 * Writes rows as records, one line of JSON each. Every byte of the file is kept: cells are in latin1, one character
 * for each byte. The scanner checks later that they are UTF-8.
 */
export class RowWriter {
  readonly #out = new ByteWriter()
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
   * Writes one row into `#out`, over the last one. Empty cells are left out. Returns the first cell that isn't the
   * JSON it should be; the record holds its text all the same, so that it can be mended in place.
   */
  #write(cells: Cells): BadCell | undefined {
    this.#bad = undefined
    const text = `{${this.#members(this.#plan, cells)}}`
    this.#out.length = 0
    this.#out.ensure(text.length)
    this.#out.length = this.#out.bytes.write(text, 'latin1')
    return this.#bad
  }

  /** The record with the text of its cells; undefined where no column has a type, so that the record has them itself. */
  #textOf(cells: Cells): Buffer | undefined {
    const writer = this.#untyped
    if (!writer) return undefined
    writer.#write(cells)
    // A copy: the next row is written over it.
    return Buffer.from(writer.#out.bytes.subarray(0, writer.#out.length))
  }

  hand(sink: RecordSink, asRead: AsRead, row: Pick<CsvRow, 'cells' | 'offset' | 'line'>): void {
    const { cells, offset, line } = row
    const bad = this.#write(cells)
    if (bad) {
      sink.reject({ line, offset, ...this.#rejectOf(bad, cells) })
      return
    }
    asRead.row = this.#untyped && (() => this.#textOf(cells)!)
    sink.line(this.#out.bytes, 0, this.#out.length, offset, line)
    asRead.row = undefined
  }

  #rejectOf(
    { column, problem }: BadCell,
    cells: Cells,
  ): Pick<Reject, 'reason' | 'message' | 'record' | 'bytes' | 'cells'> {
    const row = this.#textOf(cells)
    const line = row ?? this.#out.bytes.subarray(0, this.#out.length)
    return {
      reason: 'csv_cell_not_json',
      message: `column ${JSON.stringify(column)} does not hold JSON: ${problem}`,
      // A bad cell such as `1,"x":2` can make valid JSON by accident. The record must stay a reject until it is mended.
      ...recordOf(isJson(line.toString()) ? Buffer.concat([line, Buffer.from(' !')]) : line),
      ...(row && { cells: true }),
    }
  }

  #members(nodes: readonly PlanNode[], cells: Cells): string {
    let members = ''
    for (const node of nodes) {
      const value = this.#value(node, cells)
      if (value !== undefined) members += members === '' ? node.key + value : `,${node.key}${value}`
    }
    return members
  }

  /** Undefined when there is nothing to write: a cell that is empty, or that the row lacks. */
  #value(node: PlanNode, cells: Cells): string | undefined {
    const { column, json, typed } = node
    const cell = cells[column] ?? ''
    if (node.children.length > 0) return this.#object(node, cell, cells)
    if (cell === '') return undefined
    if (json) return this.#json(node, cell)
    return typed === undefined ? quoted(cell) : this.#typed(node, typed, cell)
  }

  #typed({ label }: PlanNode, { type, isUtf8, read }: TypedCells, cell: string): string {
    const value = read(isUtf8 ? textOf(cell) : cell)
    if (value !== undefined) return onOneLine(value)
    this.#unusable(notOfType(label, type))
    return quoted(cell)
  }

  /** An object of other columns, after the members of its own JSON cell. */
  #object(node: PlanNode, cell: string, cells: Cells): string | undefined {
    const text = cell.trim()
    const given = text !== '' && text !== 'null'
    const own = given ? this.#ownMembers(node, text) : ''
    const members = this.#members(node.children, cells)
    if (!given && members === '') return undefined
    return `{${own}${own !== '' && members !== '' ? ',' : ''}${members}}`
  }

  #ownMembers(node: PlanNode, text: string): string {
    const problem = jsonProblem(text) ?? (text.startsWith('{') ? undefined : 'it is no JSON object')
    if (problem !== undefined) this.#bad ??= { column: node.label, problem }
    return onOneLine(text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1).trim() : text)
  }

  #json(node: PlanNode, cell: string): string {
    const problem = jsonProblem(cell)
    if (problem !== undefined) this.#bad ??= { column: node.label, problem }
    return onOneLine(cell)
  }
}

/** As JSON; few cells need to be escaped. */
function quoted(cell: string): string {
  return /["\\]|[^ -\xff]/.test(cell) ? JSON.stringify(cell) : `"${cell}"`
}

/** The text of a cell in latin1. */
export function textOf(cell: string): string {
  return Buffer.from(cell, 'latin1').toString()
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
