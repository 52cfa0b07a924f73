import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBTimestampValue,
  DuckDBUUIDValue,
} from '@duckdb/node-api'
import type { StoredEvent } from '../pipeline/stored-event.ts'
import type { GroupTypes } from './group-types.ts'
import { LOG_TABLE } from './schema.ts'

interface Pending {
  readonly events: readonly StoredEvent[]
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The one writer of the log. Requests that arrive in the same turn of the event loop share a commit. A promise
 * of `write` resolves after the commit's fsync, so that an acknowledged event survives the end of the process.
 */
export class LogWriter {
  readonly #connection: DuckDBConnection
  readonly #types: GroupTypes
  #log: DuckDBAppender
  #seq: bigint
  #pending: Pending[] = []
  #stored = 0
  #closed = false
  #draining: Promise<void> | undefined

  private constructor(
    connection: DuckDBConnection,
    log: DuckDBAppender,
    start: { seq: bigint; types: GroupTypes },
  ) {
    this.#connection = connection
    this.#log = log
    this.#seq = start.seq
    this.#types = start.types
  }

  static async open(connection: DuckDBConnection, types: GroupTypes): Promise<LogWriter> {
    const last = await connection.runAndReadAll(`SELECT coalesce(max(seq), 0) FROM ${LOG_TABLE}`)
    const log = await connection.createAppender(LOG_TABLE)
    return new LogWriter(connection, log, { seq: BigInt(String(last.getRows()[0]?.[0] ?? 0)), types })
  }

  /** Events stored since the start, duplicates included. */
  get stored(): number {
    return this.#stored
  }

  write(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve()
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    return new Promise((resolve, reject) => {
      this.#pending.push({ events, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Refuses further events, and resolves when all earlier ones are written. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#draining
  }

  async #drain(): Promise<void> {
    // Requests whose bodies arrived together go into one commit.
    await new Promise((resolve) => setImmediate(resolve))
    while (this.#pending.length > 0) await this.#commit(this.#pending.splice(0))
    this.#draining = undefined
  }

  async #commit(group: readonly Pending[]): Promise<void> {
    try {
      // Types are written first: a type without events does no harm, events without their type do.
      await this.#types.save(this.#connection)
      for (const { events } of group) for (const event of events) this.#append(event)
      this.#log.flushSync()
      for (const { events } of group) this.#stored += events.length
      for (const { resolve } of group) resolve()
    } catch (error) {
      // Rows that a failed appender still holds must not get into the next commit.
      this.#log.clear()
      this.#log = await this.#connection.createAppender(LOG_TABLE)
      for (const { reject } of group) reject(error)
    }
  }

  #append(event: StoredEvent): void {
    const log = this.#log
    log.appendBigInt(++this.#seq)
    log.appendUUID(DuckDBUUIDValue.fromUint128(event.uuid))
    log.appendVarchar(event.event)
    log.appendVarchar(event.distinctId)
    log.appendTimestamp(new DuckDBTimestampValue(event.timestamp))
    log.appendVarchar(event.properties)
    for (const text of [event.cleaned, event.lasting, event.nulls]) this.#appendText(text)
    log.appendVarchar(event.elementsChain)
    log.appendBoolean(event.historical)
    log.appendTimestamp(new DuckDBTimestampValue(event.receivedAt))
    log.appendBoolean(event.profile)
    log.appendBoolean(event.copies)
    for (const text of [event.set, event.setOnce, event.unset, ...event.groups, event.joins])
      this.#appendText(text)
    log.endRow()
  }

  #appendText(text: string | null): void {
    if (text === null) this.#log.appendNull()
    else this.#log.appendVarchar(text)
  }
}
