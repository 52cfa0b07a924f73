import type { Connection, FieldPacket } from 'mysql2'
import { PosthaulError } from '../../errors.ts'
import { loadDriver } from '../sql/driver.ts'
import { cutShort } from '../vendor-client.ts'
import type { MysqlAddress } from './mysql-address.ts'
import { mysqlError } from './mysql-error.ts'

/** A row: the bytes of each column as the server writes them. */
export type MysqlRow = readonly (Buffer | null)[]

interface RawRows {
  readonly fields: readonly FieldPacket[]
  readonly rows: readonly MysqlRow[]
}

type Driver = Pick<typeof import('mysql2'), 'createConnection'>

/** A server that sessions are opened at. */
export interface MysqlServer {
  readonly address: MysqlAddress
  readonly driver: Driver
  /** The longest that the server may be silent, in milliseconds. */
  readonly quietMs: number
}

/** Rows are handed on when they have so many bytes. */
const BATCH_BYTES = 256 * 1024
/** Writing to a reader that waits is not given up for an hour: the disk or the store of parts may be slow. */
const WRITE_SECONDS = 3600
const CONNECT_MS = 30_000
/** The server's own limit comes first, since it says what was too slow. */
const LATER_MS = 1000

export async function loadMysql(): Promise<Driver> {
  return (await loadDriver('mysql2', 'MySQL', () => import('mysql2'))).default
}

/**
 * One connection that only reads, in one snapshot. Whatever ends it ends what waits for it: an error, silence, an interruption.
 * Closing it stops a statement that still runs.
 */
export class MysqlSession {
  readonly #server: MysqlServer
  readonly #signal: AbortSignal
  readonly #connection: Connection
  #failure: PosthaulError | undefined
  #onFailure: ((failure: PosthaulError) => void) | undefined
  #isBusy = false
  readonly #onAbort = () => this.#fail(new PosthaulError('interrupted', { code: 'interrupted' }))

  private constructor(server: MysqlServer, signal: AbortSignal) {
    this.#server = server
    this.#signal = signal
    this.#connection = connectTo(server)
    // A statement without a callback hangs for ever when its connection breaks: only this event comes (node-mysql2#3082).
    this.#connection.on('error', (error) => this.#broken(error))
    signal.addEventListener('abort', this.#onAbort)
    if (signal.aborted) this.#onAbort()
  }

  /** Logs in, makes the session read-only and UTC, and takes the snapshot. */
  static async open(server: MysqlServer, signal: AbortSignal): Promise<MysqlSession> {
    const session = new MysqlSession(server, signal)
    try {
      await session.ask(
        `SET NAMES utf8mb4, net_write_timeout = ${WRITE_SECONDS}, sql_select_limit = ${2n ** 64n - 1n}`,
      )
      await session.ask(settingsText(server.quietMs))
      await session.ask('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
      await session.ask('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY')
      return session
    } catch (error) {
      await session.close()
      throw error
    }
  }

  /** The whole answer to a statement that has a small one. */
  ask(sql: string): Promise<RawRows> {
    return this.#wait((resolve) => {
      this.#connection.query<never>(raw(sql), (error, rows: unknown, fields) => {
        if (error) return this.#broken(error)
        this.#isBusy = false
        resolve({ fields: fields ?? [], rows: Array.isArray(rows) ? rows : [] })
      })
    })
  }

  /** The rows of a statement, however many. The server waits while they are not taken, and no clock runs then. */
  async *batches(sql: string): AsyncGenerator<readonly MysqlRow[]> {
    // The server's limit counts the reader's pauses too.
    await this.ask(settingsText(0))
    let rows: MysqlRow[] = []
    let bytes = 0
    let isOver = false
    let wake = () => {}
    const query = this.#connection.query(raw(sql))
    query.on('error', (error) => this.#broken(error))
    query.on('end', () => {
      isOver = true
      wake()
    })
    query.on('result', (row: unknown) => {
      const cells = row as MysqlRow
      rows.push(cells)
      for (const cell of cells) bytes += 16 + (cell?.length ?? 0)
      if (bytes < BATCH_BYTES) return
      this.#connection.pause()
      wake()
    })
    while (!isOver) {
      await this.#wait<void>((resolve) => {
        wake = resolve
        this.#connection.resume()
      })
      const batch = rows
      rows = []
      bytes = 0
      yield batch
    }
    this.#isBusy = false
  }

  async close(): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#isBusy) await this.#killQuery()
    if (this.#isBusy || this.#failure !== undefined) this.#connection.destroy()
    else this.#connection.end(() => undefined)
  }

  /** Resolves when `start` calls back; rejects when the session fails first. */
  #wait<T>(start: (resolve: (value: T) => void) => void): Promise<T> {
    this.#isBusy = true
    const { quietMs } = this.#server
    const silence = setTimeout(() => {
      this.#fail(cutShort(`MySQL was silent for ${Math.round(quietMs / 1000)} s`))
    }, quietMs + LATER_MS)
    return new Promise<T>((resolve, reject) => {
      if (this.#failure !== undefined) return reject(this.#failure)
      this.#onFailure = reject
      start(resolve)
    }).finally(() => clearTimeout(silence))
  }

  /** The server ended the statement, or the connection is gone. */
  #broken(error: Error): void {
    this.#isBusy = false
    this.#fail(mysqlError(error, this.#server.address))
  }

  #fail(error: PosthaulError): void {
    this.#failure ??= error
    this.#onFailure?.(this.#failure)
  }

  /** A server does not notice by itself that nobody waits for a count any more. */
  async #killQuery(): Promise<void> {
    const { threadId } = this.#connection
    // One who was not let in yet has no statement.
    if (!threadId) return
    const killer = connectTo(this.#server)
    await new Promise<void>((resolve) => {
      killer.on('error', () => resolve())
      killer.query({ sql: `KILL QUERY ${threadId}`, timeout: CONNECT_MS }, () => resolve())
    })
    killer.destroy()
  }
}

function connectTo({ address, driver, quietMs }: MysqlServer): Connection {
  return driver.createConnection({
    ...address.login,
    charset: 'utf8mb4',
    connectTimeout: Math.min(quietMs, CONNECT_MS),
    // These two are on by default: the one changes how queries are read, the other lets the server ask for files.
    flags: ['-IGNORE_SPACE', '-LOCAL_FILES'],
  })
}

/** The text protocol, every cell as its bytes. The binary one has other digits, and its dates lose what is no date. */
function raw(sql: string) {
  return { sql, rowsAsArray: true, typeCast: false }
}

/** Each of the two products has its own name for the limit, and takes the other's for a comment. No limit is 0. */
function settingsText(ms: number): string {
  return `SET time_zone = '+00:00' /*M!100101 , max_statement_time = ${ms / 1000} */ /*!50708 , max_execution_time = ${ms} */`
}
