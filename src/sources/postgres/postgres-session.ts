import type { Client, ClientConfig } from 'pg'
import { PosthaulError } from '../../errors.ts'
import { loadDriver } from '../sql/driver.ts'
import type { PostgresAddress } from './postgres-address.ts'
import { postgresError } from './postgres-errors.ts'

/** Rows of a statement as the server writes them, and of which types their columns are. */
export interface PostgresAnswer {
  readonly fields: readonly PostgresField[]
  readonly rows: readonly (readonly (string | null)[])[]
}

export interface PostgresField {
  readonly name: string
  /** The table that the column is of, and its number in that; 0 for what is computed. */
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
  readonly dataTypeModifier: number
}

/**
 * What makes texts the same on every server. `SET LOCAL` ends with the transaction, so that it passes a pooler, too, which refuses
 * options of the session. Since Postgres 12 floats are the shortest texts; before it, 3 adds the digits that they need.
 */
const SETTINGS = {
  ...{ TimeZone: 'UTC', DateStyle: 'ISO, YMD', IntervalStyle: 'iso_8601' },
  ...{ bytea_output: 'hex', extra_float_digits: '3', xmloption: 'content' },
  // All rows of a cursor are read, not the first tenth.
  cursor_tuple_fraction: '1',
  // A reader can wait for its pace or for the store, but a client that vanished must not hold the snapshot for ever.
  idle_in_transaction_session_timeout: '2h',
}

/** The client waits so much longer than the server for a statement: then the connection is dead. */
const GRACE_MS = 30_000
const CONNECT_MS = 30_000

/** Connections to a Postgres, each used by one transaction at a time. */
export class PostgresSessions {
  readonly #address: PostgresAddress
  readonly #timeoutMs: number
  readonly #idle = new Set<Client>()
  /** What broke a connection while nothing was asked of it: the next statement only learns that it is gone. */
  readonly #broke = new WeakMap<Client, Error>()

  constructor(address: PostgresAddress, timeoutMs: number) {
    this.#address = address
    this.#timeoutMs = timeoutMs
  }

  async inSnapshot<T>(signal: AbortSignal, work: (snapshot: PostgresSnapshot) => Promise<T>): Promise<T> {
    const snapshot = await this.begin(signal)
    try {
      return await work(snapshot)
    } finally {
      await snapshot.end()
    }
  }

  /** Begins a transaction that the caller ends. An abort cancels the statement that runs in it. */
  async begin(signal: AbortSignal): Promise<PostgresSnapshot> {
    const [idle] = this.#idle
    const client = idle ?? (await this.#connect())
    this.#idle.delete(client)
    const snapshot = new PostgresSnapshot({
      client,
      signal,
      failure: (error, tookMs) =>
        postgresError(this.#broke.get(client) ?? error, this.#address, tookMs >= this.#timeoutMs),
      cancel: (backend) => this.#cancel(client, backend),
      reuse: () => void this.#idle.add(client),
    })
    await snapshot.begin({ ...SETTINGS, statement_timeout: `${this.#timeoutMs}ms` })
    return snapshot
  }

  async close(): Promise<void> {
    await Promise.all([...this.#idle].map((client) => client.end()))
  }

  async #connect(): Promise<Client> {
    const { default: pg } = await loadDriver('pg', 'Postgres', () => import('pg'))
    const { host, port, user, password, database, tls: ssl, channelBinding } = this.#address
    const config: ClientConfig = {
      ...{ host, port, user, database, ssl, enableChannelBinding: channelBinding },
      password: password?.reveal() ?? '',
      application_name: 'posthaul',
      keepAlive: true,
      connectionTimeoutMillis: Math.min(this.#timeoutMs, CONNECT_MS),
      query_timeout: this.#timeoutMs + GRACE_MS,
      types: { getTypeParser: () => (text: string) => text },
    }
    const client = new pg.Client(config)
    client.on('error', (error) => {
      this.#idle.delete(client)
      // That the connection ended comes after why it did.
      if (!this.#broke.has(client)) this.#broke.set(client, error)
    })
    try {
      await client.connect()
      return client
    } catch (error) {
      await client.end().catch(() => undefined)
      throw postgresError(error, this.#address)
    }
  }

  /** Closing the connection is not enough: a server does not see that its client is gone while it computes. */
  async #cancel(client: Client, backend: string | undefined): Promise<void> {
    const ended = client.end()
    const other = backend === undefined ? undefined : await this.#connect().catch(() => undefined)
    await other?.query('SELECT pg_cancel_backend($1)', [backend]).catch(() => undefined)
    await other?.end()
    await ended
  }
}

interface SnapshotOptions {
  readonly client: Client
  readonly signal: AbortSignal
  readonly failure: (error: unknown, tookMs: number) => PosthaulError
  /** Ends the connection, and what the server computes for it. */
  readonly cancel: (backend: string | undefined) => Promise<void>
  readonly reuse: () => void
}

/** One transaction: it reads only, and sees one snapshot. */
export class PostgresSnapshot {
  readonly #options: SnapshotOptions
  #isSound = true
  /** Behind a pooler it is another one than the connection knows. */
  #backend: string | undefined
  #cancelled: Promise<void> | undefined
  readonly #abort = () => {
    this.#cancelled = this.#options.cancel(this.#backend)
  }

  constructor(options: SnapshotOptions) {
    this.#options = options
    options.signal.addEventListener('abort', this.#abort)
  }

  async begin(settings: Readonly<Record<string, string>>): Promise<void> {
    const all = Object.entries(settings).map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
    try {
      await this.#ask(['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', ...all].join('; '), [], 'simple')
      this.#backend = (await this.query('SELECT pg_backend_pid()')).rows[0]![0]!
    } catch (error) {
      await this.end()
      throw error
    }
  }

  /** One statement. Values are bound: they are never part of the text. */
  query(text: string, values: readonly string[] = []): Promise<PostgresAnswer> {
    return this.#ask(text, values, 'extended')
  }

  async end(): Promise<void> {
    const { client, signal, reuse } = this.#options
    signal.removeEventListener('abort', this.#abort)
    await this.#cancelled
    if (this.#isSound) await this.query('ROLLBACK').catch(() => undefined)
    if (this.#isSound) reuse()
    else await client.end()
  }

  /** Only in the mode `simple` a text may have several statements. */
  async #ask(text: string, values: readonly string[], mode: 'simple' | 'extended'): Promise<PostgresAnswer> {
    const { client, signal, failure } = this.#options
    const startedAt = performance.now()
    try {
      signal.throwIfAborted()
      return await client.query({ text, values: [...values], rowMode: 'array', ...{ queryMode: mode } })
    } catch (error) {
      this.#isSound = false
      if (signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted', cause: error })
      throw failure(error, performance.now() - startedAt)
    }
  }
}
