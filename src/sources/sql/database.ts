import type { WindowSpan } from '../window.ts'

/** A table or a view. */
export interface TablePath {
  /** Schema, database or dataset; undefined for that of the connection. */
  readonly schema: string | undefined
  readonly name: string
}

/** What rows are read from. */
export type Relation =
  | ({ readonly kind: 'table' } & TablePath)
  /** A SELECT of the user's or of a shape. `{from}` and `{to}` in it are the ends of a window. */
  | { readonly kind: 'query'; readonly name: string; readonly text: string }

/**
 * How a column tells the time. `instant`: a point in time. `naive`: a wall clock without a zone. `date`: a day without a zone.
 */
export type TimeKind = 'instant' | 'naive' | 'date'

export interface TableColumn {
  readonly name: string
  /** As the server calls it: `timestamp(6) without time zone`. */
  readonly type: string
  readonly nullable: boolean
  /** Undefined for a column that windows can't go by. */
  readonly time: TimeKind | undefined
  /** True if it can hold what is in no window besides NULL: infinity, 0000-00-00. */
  readonly timeless: boolean
  /** True for whole numbers that a key can be cut by. */
  readonly integer: boolean
}

/** Only rows that have this value there. */
export interface Only {
  readonly column: string
  readonly value: string
}

/** Which rows of a relation one part has. */
export type Where =
  /** Half-open. A naive column is held against the same digits: `2024-03-01 00:00:00` of its own clock. */
  | { readonly by: 'time'; readonly column: TableColumn; readonly span: WindowSpan }
  /** Rows that are in no window: NULL, and what the engine has beside times (infinity, days that are none). */
  | { readonly by: 'no time'; readonly column: TableColumn }
  /** Half-open. */
  | { readonly by: 'key'; readonly column: TableColumn; readonly from: bigint; readonly to: bigint }
  /** The whole relation, in the order of a unique key if one is given. */
  | { readonly by: 'all'; readonly order?: TableColumn | undefined }
  /** A query that has `{from}` and `{to}` in it. */
  | { readonly by: 'ends'; readonly span: WindowSpan }

/** The rows that one part has. */
export interface Slice {
  readonly relation: Relation
  readonly where: Where
  readonly only: readonly Only[]
}

/** A value that goes to the server beside the text of a statement, never in it. */
export type Parameter =
  | { readonly kind: 'time'; readonly column: TableColumn | undefined; readonly at: number }
  | { readonly kind: 'key' | 'only'; readonly column: string; readonly value: string }

/** A row: the JSON text of each column, in the order of `columns`. Null is NULL. */
export type JsonRow = readonly (string | null)[]

/** What a reading may use. */
export interface ReadCall {
  readonly signal: AbortSignal
  /** Counts a value that JSON has no number for, and that is null: NaN, an infinity. */
  notFinite(column: string): void
  /** Counts a string whose bytes are not UTF-8, and that is `base64:` and these bytes. */
  notText(column: string): void
  /** The columns of the rows, before the first of them. */
  columns(names: readonly string[]): void
  /**
   * The server's own count of the rows, taken at the snapshot that the rows are read at; without snapshots before the first row
   * and after the last. Left out by those who read the first rows only: a count can take minutes.
   */
  counted?(rows: number): void
}

/** A table of a database, for a list. */
export interface TableInfo extends TablePath {
  /** May be the server's estimate; undefined if it has none. */
  readonly rows: number | undefined
  readonly bytes: number | undefined
  readonly isView: boolean
}

/** A table of a database, as someone looks at it who is to say what is read. */
export interface ListedTable extends TableInfo {
  /** Columns that windows can go by. */
  readonly times: readonly string[]
  /** Whole numbers that are never NULL, of which one may be the key. */
  readonly keys: readonly string[]
  /** The ends of the first of `times`, as the server writes them; undefined if it has none, no rows, or does not tell in time. */
  readonly span: readonly [first: string, last: string] | undefined
  /** Why its columns can't be told, in the server's words: it is gone by now, or a view that no longer works. */
  readonly problem: string | undefined
}

export interface TableList {
  /** `Postgres 15.18, database shop, user reader`. */
  readonly about: string
  readonly tables: readonly ListedTable[]
  /** Words of `--like` that the tables fit. */
  readonly shapes: readonly string[]
}

/** What is known of a server and of the login. */
export interface ServerInfo {
  /** `Postgres 15.18, database shop, user reader`. */
  readonly about: string
  /** Rights to write that the user has, in words; empty for one who may only read. */
  readonly mayWrite: readonly string[]
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number
}

/** How the server would read a slice. */
export interface ReadPlan {
  /** True if all of the table is read for it. */
  readonly scans: boolean
  /** The plan in the server's words, short. */
  readonly text: string
}

/**
 * A database that rows are read from, by one engine's dialect. Sessions are read-only, and one statement runs at a time. Errors are
 * VendorErrors: `retry` for a connection that broke and a server that is busy, `stop` for a login, a right and a statement.
 */
export interface Database {
  /** `Postgres`, for messages. */
  readonly engine: string
  /** Host, port and database, without a login: it identifies an export. */
  readonly server: string
  /** Where it is asked by requests that proxies serve; left out for drivers that go through none. */
  readonly origin?: string
  /** Finds the ends of windows in a query of its dialect. */
  readonly ends: RegExp
  /** What makes windows quick, before the name of their column: `an index on`. */
  readonly quick: string
  /** Whether whole tables are read without a key: they are listed in the engine's own order. Left out for no. */
  readonly listsTables?: true
  info(signal: AbortSignal): Promise<ServerInfo>
  /** Tables and views, but for the server's own. `schema`: only of this one. */
  tables(schema: string | undefined, signal: AbortSignal): Promise<readonly TableInfo[]>
  columns(relation: Relation, signal: AbortSignal): Promise<readonly TableColumn[]>
  /** The least and the greatest value of a column as the server writes them; undefined without rows. */
  span(
    relation: Relation,
    column: TableColumn,
    signal: AbortSignal,
  ): Promise<readonly [least: string, greatest: string] | undefined>
  count(slice: Slice, signal: AbortSignal): Promise<number>
  /** Batches of rows, read through a cursor or a stream: memory does not grow with the slice. */
  read(slice: Slice, call: ReadCall): AsyncIterable<readonly JsonRow[]>
  plan(slice: Slice, signal: AbortSignal): Promise<ReadPlan>
  close(): Promise<void>
}
