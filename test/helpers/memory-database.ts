import type {
  Database,
  JsonRow,
  ReadCall,
  Relation,
  Slice,
  TableColumn,
} from '../../src/sources/sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../../src/sources/sql/query-ends.ts'

/** A row: the JSON of each column. A time column has the ISO text of an instant. */
export type MemoryRow = Record<string, string | null>

/** A column of an instant that is never NULL. */
export const AT: TableColumn = column({ name: 'at', type: 'timestamptz', time: 'instant' })
/** A whole number that is never NULL. */
export const ID: TableColumn = column({ name: 'id', type: 'bigint', integer: true })

export function column(parts: Partial<TableColumn> & { readonly name: string }): TableColumn {
  return { type: 'text', nullable: false, time: undefined, timeless: false, integer: false, ...parts }
}

/** A database of one table in memory, whose rows tests change behind the reader's back. */
export class MemoryDatabase implements Database {
  readonly engine = 'Memory'
  readonly ends = queryEnds(QUERY_TEXTS.doubled)
  readonly quick: string = 'an index on'
  readonly server = 'localhost:1/test'
  readonly info = async () => ({ about: 'Memory 1', mayWrite: [...this.mayWrite], now: this.now })
  mayWrite: string[] = []
  now = Date.now()
  scans = false
  /** How many fewer rows a reading gives than it counts. */
  lost = 0
  /** Called before each count. */
  counting: (slice: Slice) => void = () => undefined

  readonly tableColumns: readonly TableColumn[]
  readonly rows: MemoryRow[]

  constructor(tableColumns: readonly TableColumn[], rows: MemoryRow[]) {
    this.tableColumns = tableColumns
    this.rows = rows
  }

  async tables() {
    return [{ schema: 'app', name: 'events', rows: this.rows.length, bytes: 1000, isView: false }]
  }

  async columns(_: Relation) {
    return this.tableColumns
  }

  async span(_: Relation, { name }: TableColumn): Promise<readonly [string, string] | undefined> {
    const values = this.rows.flatMap((row) => (row[name] === null ? [] : [row[name]!]))
    const order = values.sort((a, b) => (/^-?\d+$/.test(a) ? Number(BigInt(a) - BigInt(b)) : a < b ? -1 : 1))
    return order.length === 0 ? undefined : [order[0]!, order.at(-1)!]
  }

  async count(slice: Slice): Promise<number> {
    this.counting(slice)
    return this.rows.filter((row) => isIn(row, slice)).length
  }

  async *read(slice: Slice, call: ReadCall): AsyncGenerator<readonly JsonRow[]> {
    const found = this.rows.filter((row) => isIn(row, slice))
    call.columns(this.tableColumns.map(({ name }) => name))
    call.counted?.(found.length)
    for (const row of found.slice(this.lost)) yield [this.tableColumns.map(({ name }) => row[name] ?? null)]
  }

  async plan() {
    return { scans: this.scans, text: 'Seq Scan on events' }
  }

  async close() {}
}

function isIn(row: MemoryRow, { where, only }: Slice): boolean {
  if (only.some(({ column, value }) => row[column] !== value)) return false
  if (where.by === 'all' || where.by === 'ends') return true
  const value = row[where.column.name] ?? null
  if (where.by === 'no time') return value === null
  if (value === null) return false
  if (where.by === 'key') return BigInt(value) >= where.from && BigInt(value) < where.to
  const at = Date.parse(JSON.parse(value))
  return at >= where.span.start && at < where.span.end
}
