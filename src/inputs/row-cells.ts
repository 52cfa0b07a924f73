import { isUtf8 } from 'node:buffer'

const FEW = 64
const BACKSLASH = 0x5c
const CAPITAL_N = 0x4e

/** True for `\N` in [start, end): the null of Postgres' COPY, MySQL's OUTFILE, Hive, ClickHouse and Snowflake's unload. */
export function isNullCell(bytes: Buffer, start: number, end: number): boolean {
  return end - start === 2 && bytes[start] === BACKSLASH && bytes[start + 1] === CAPITAL_N
}

/** The cells of one row: spans of bytes in one buffer. They hold until the next row is read. */
export class RowCells {
  bytes: Buffer = Buffer.alloc(0)
  count = 0
  #starts = new Int32Array(FEW)
  #ends = new Int32Array(FEW)

  add(start: number, end: number): void {
    if (this.count === this.#starts.length) {
      this.#starts = grown(this.#starts)
      this.#ends = grown(this.#ends)
    }
    this.#starts[this.count] = start
    this.#ends[this.count++] = end
  }

  start(column: number): number {
    return this.#starts[column]!
  }

  end(column: number): number {
    return this.#ends[column]!
  }

  /** True also for a cell that the row lacks. */
  isEmpty(column: number): boolean {
    return column >= this.count || this.#starts[column] === this.#ends[column]
  }

  /** A cell in latin1, one character for each byte; empty when the row lacks it. */
  latin1(column: number): string {
    return this.isEmpty(column) ? '' : this.bytes.toString('latin1', this.#starts[column], this.#ends[column])
  }

  utf8(column: number): string {
    return this.bytes.toString('utf8', this.#starts[column], this.#ends[column])
  }

  /** True if every cell is UTF-8. */
  get areUtf8(): boolean {
    return this.count === 0 || isUtf8(this.bytes.subarray(this.#starts[0], this.#ends[this.count - 1]))
  }

  /** All cells in UTF-8. */
  texts(): string[] {
    return Array.from({ length: this.count }, (_, column) => this.utf8(column))
  }
}

function grown(spans: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(spans.length * 2)
  larger.set(spans)
  return larger
}
