import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBTimestampValue,
  DuckDBUUIDValue,
  type DuckDBValue,
} from '@duckdb/node-api'
import type { GroupCreatedAt } from '../options.ts'
import { LOG_TABLE, TYPES_TABLE } from './schema.ts'

/** An event as the store keeps it. Times are microseconds since the epoch. */
export interface StoredEvent {
  readonly uuid: bigint
  readonly event: string
  readonly distinctId: string
  readonly timestamp: bigint
  /** JSON text, with `$set` and `$set_once` inside. */
  readonly properties: string
  /** JSON text of the properties as the storage of JSON columns gives them back; null where that changes nothing. */
  readonly cleaned: string | null
  /** The same once the temporary properties are gone; null where the event has none. */
  readonly lasting: string | null
  /** A JSON array of the paths of nulls; null where there is none. */
  readonly nulls: string | null
  /** The clicked elements, which are not among the properties. */
  readonly elementsChain: string
  readonly historical: boolean
  readonly receivedAt: bigint
  /** False if the event asks not to make or change a person. */
  readonly profile: boolean
  /** True if its properties hold what is to be copied to the person, and `$set` and `$set_once` do not have it yet. */
  readonly copies: boolean
  readonly set: string | null
  readonly setOnce: string | null
  /** A JSON array of names. */
  readonly unset: string | null
  /** The key of the group of each type, by the type's index; null where it has none. */
  readonly groups: readonly (string | null)[]
  /** The id that an identity event joins to its distinct_id. */
  readonly joins: string | null
}

/** The service keeps this many group types a project. */
const MAX_GROUP_TYPES = 5

/** The project's group types. The place of a type in the list is its index; neither changes, nor does created_at. */
export class GroupTypes {
  readonly #createdAt: GroupCreatedAt
  readonly #indexes: Map<string, number>
  /** Rows of types that are not in the table yet. */
  readonly #unsaved: DuckDBValue[][] = []

  constructor(known: readonly string[], createdAt: GroupCreatedAt) {
    this.#indexes = new Map(known.map((name, index) => [name, index]))
    this.#createdAt = createdAt
  }

  static async load(connection: DuckDBConnection, createdAt: GroupCreatedAt): Promise<GroupTypes> {
    const rows = await connection.runAndReadAll(
      `SELECT group_type FROM ${TYPES_TABLE} ORDER BY group_type_index`,
    )
    return new GroupTypes(
      rows.getRows().map(([name]) => String(name)),
      createdAt,
    )
  }

  /** The index of a type, which the event makes if it is new. Undefined for a sixth type, which the service ignores. */
  indexOf(name: string, event: { timestamp: bigint; receivedAt: bigint }): number | undefined {
    const known = this.#indexes.get(name)
    if (known !== undefined || this.#indexes.size >= MAX_GROUP_TYPES) return known
    const created = { event: event.timestamp, arrival: event.receivedAt, null: null }[this.#createdAt]
    const index = this.#indexes.size
    this.#unsaved.push([name, index, created === null ? null : new DuckDBTimestampValue(created)])
    this.#indexes.set(name, index)
    return index
  }

  /** Writes new types to the table. Those that can't be written are tried again by the next call. */
  async save(connection: DuckDBConnection): Promise<void> {
    for (let type = this.#unsaved[0]; type; type = this.#unsaved[0]) {
      await connection.run(`INSERT INTO ${TYPES_TABLE} VALUES ($1, $2, $3)`, type)
      this.#unsaved.shift()
    }
  }
}

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
  readonly types: GroupTypes
  #log: DuckDBAppender
  #seq: bigint
  #pending: Pending[] = []
  /** Events stored since the start, duplicates included. */
  stored = 0
  #closed = false
  #draining: Promise<void> | undefined

  private constructor(connection: DuckDBConnection, log: DuckDBAppender, seq: bigint, types: GroupTypes) {
    this.#connection = connection
    this.#log = log
    this.#seq = seq
    this.types = types
  }

  static async open(connection: DuckDBConnection, types: GroupTypes): Promise<LogWriter> {
    const last = await connection.runAndReadAll(`SELECT coalesce(max(seq), 0) FROM ${LOG_TABLE}`)
    const log = await connection.createAppender(LOG_TABLE)
    return new LogWriter(connection, log, BigInt(String(last.getRows()[0]?.[0] ?? 0)), types)
  }

  write(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve()
    if (this.#closed) return Promise.reject(new Error('the store is closed'))
    return new Promise((resolve, reject) => {
      this.#pending.push({ events, resolve, reject })
      this.#draining ??= this.#drain()
    })
  }

  /** Refuses further events, and closes its connection when all earlier ones are written. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#draining
    this.#connection.closeSync()
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
      await this.types.save(this.#connection)
      for (const { events } of group) for (const event of events) this.#append(event)
      this.#log.flushSync()
      for (const { events } of group) this.stored += events.length
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
