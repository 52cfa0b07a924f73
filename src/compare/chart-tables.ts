import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DuckDBAppender, DuckDBConnection } from '@duckdb/node-api'
import { loadDuckDB } from '../duckdb.ts'
import { PosthaulError } from '../errors.ts'

const FILE = 'compare.duckdb'
const SPILL = 'spill'

/** One value of a row that SQL answers. */
export type TableValue = string | number | bigint | boolean | null

/** A column of a table that rows are appended to, and its type. */
export type ColumnType = 'VARCHAR' | 'BIGINT' | 'UBIGINT' | 'BOOLEAN'

/**
 * The database of one comparison, a file in a work folder. It is made anew each time: what takes long is to ask others, and
 * their answers are kept elsewhere. What doesn't fit into `memory` is put into a folder beside it.
 */
export class ChartTables {
  readonly #connection: DuckDBConnection
  readonly #close: () => Promise<void>

  private constructor(connection: DuckDBConnection, close: () => Promise<void>) {
    this.#connection = connection
    this.#close = close
  }

  /** Opens an empty database in a folder that is ours. `memory` is the most that it takes, as DuckDB reads it. */
  static async open(folder: string, memory = '128MB'): Promise<ChartTables> {
    const { DuckDBInstance } = await loadDuckDB('compare needs')
    const [file, spill] = [join(folder, FILE), join(folder, SPILL)]
    const remove = async () => {
      for (const path of [file, `${file}.wal`, spill]) await rm(path, { recursive: true, force: true })
    }
    await remove()
    const instance = await DuckDBInstance.create(file, {
      memory_limit: memory,
      threads: '2',
      temp_directory: spill,
      // Order is told by columns; kept by itself it takes memory.
      preserve_insertion_order: 'false',
      // An extension from the user's disk would apply the machine's time zone.
      autoload_known_extensions: 'false',
      autoinstall_known_extensions: 'false',
    })
    return new ChartTables(await instance.connect(), async () => {
      instance.closeSync()
      await remove()
    })
  }

  async run(sql: string): Promise<void> {
    await this.#asking(this.#connection.run(sql))
  }

  async rows(sql: string): Promise<TableValue[][]> {
    return (await this.#asking(this.#connection.runAndReadAll(sql))).getRows() as TableValue[][]
  }

  /** Hands out the rows of a query, some thousand at a time. */
  async *stream(sql: string): AsyncGenerator<TableValue[][]> {
    const found = await this.#asking(this.#connection.stream(sql))
    for await (const rows of found.yieldRows()) yield rows as TableValue[][]
  }

  /** Makes a table to be filled. */
  async fill(
    table: string,
    columns: ReadonlyArray<readonly [name: string, type: ColumnType]>,
  ): Promise<TableFiller> {
    await this.run(
      `CREATE OR REPLACE TABLE ${table} (${columns.map((column) => column.join(' ')).join(', ')})`,
    )
    return new TableFiller(
      await this.#connection.createAppender(table),
      columns.map(([, type]) => type),
    )
  }

  /** Closes the database and removes its files. */
  async close(): Promise<void> {
    await this.#close()
  }

  async #asking<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (cause) {
      throw new PosthaulError(`the charts can't be computed: ${(cause as Error).message.split('\n')[0]}`, {
        code: 'unavailable',
        hint: 'see that the disk of the work folder has room, then run the same command again',
        cause,
      })
    }
  }
}

/** Appends rows to a table. */
export class TableFiller {
  readonly #appender: DuckDBAppender
  readonly #types: readonly ColumnType[]

  constructor(appender: DuckDBAppender, types: readonly ColumnType[]) {
    this.#appender = appender
    this.#types = types
  }

  /** Appends one row: a value for each column, undefined for NULL. */
  row(values: ReadonlyArray<string | number | bigint | boolean | undefined>): void {
    const appender = this.#appender
    for (const [at, type] of this.#types.entries()) {
      const value = values[at]
      if (value === undefined) appender.appendNull()
      else if (type === 'VARCHAR') appender.appendVarchar(value as string)
      else if (type === 'BOOLEAN') appender.appendBoolean(value as boolean)
      else if (type === 'BIGINT') appender.appendBigInt(BigInt(value))
      else appender.appendUBigInt(value as bigint)
    }
    appender.endRow()
  }

  close(): void {
    this.#appender.closeSync()
  }
}

/** SQL for the `seq` of rows in which a key is that of an earlier row. NULL is no key. Only keys that are there twice are sorted. */
export function copiesIn(table: string, key: string, order = 'seq'): string {
  const twice = `SELECT ${key} FROM ${table} WHERE ${key} IS NOT NULL GROUP BY ${key} HAVING count(*) > 1`
  const ranked = `SELECT seq, row_number() OVER (PARTITION BY ${key} ORDER BY ${order}) AS nth FROM ${table} SEMI JOIN (${twice}) USING (${key})`
  return `SELECT seq FROM (${ranked}) WHERE nth > 1`
}
