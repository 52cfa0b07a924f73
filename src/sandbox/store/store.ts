import { dirname, join } from 'node:path'
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import pLimit from 'p-limit'
import { PosthaulError } from '../../errors.ts'
import type { CapturedEvent } from '../ingest/event.ts'
import type { ProjectRules, SandboxOptions } from '../options.ts'
import { processEvent } from '../pipeline/process-event.ts'
import { registerCityHash } from '../query/city-hash.ts'
import { MACROS } from '../query/macros.ts'
import type { Warning, WarningLog } from '../warnings.ts'
import { inUse } from './folder.ts'
import { refusals } from './identities.ts'
import { rebuildPersons } from './persons.ts'
import { eventsView, GROUPS_TABLE, LOG_TABLE, SCHEMA, supersededTable } from './schema.ts'
import { GroupTypes, LogWriter } from './writer.ts'

const FILE = 'sandbox.duckdb'

const SETTINGS = {
  // Queries come from outside. They may not use files, the network or extensions, nor change these settings; see `open`.
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  // It bounds the memory of the process, however long it lives. A checkpoint takes more than this limit, a thread each: it
  // has one thread, and little to write. It stops the writer, too: at the default of 16 MB it would run every second of an import.
  memory_limit: '128MB',
  threads: '1',
  checkpoint_threshold: '32MB',
  // What DuckDB frees stays with its allocator until a task has freed this much, or a thread of it looks: with the defaults the
  // process keeps hundreds of megabytes that nobody uses.
  allocator_flush_threshold: '16MB',
  allocator_bulk_deallocation_flush_threshold: '16MB',
  allocator_background_threads: 'true',
}

/** Tables that are made from the log when a read needs them, and kept until the log grows. */
export type Derived = 'groups' | 'persons'

interface StoreOptions
  extends Required<Pick<SandboxOptions, 'timeZone' | 'storage' | 'mergeAfterMs' | 'now'>> {
  readonly folder: string
  readonly rules: ProjectRules
  readonly retentionMonths: SandboxOptions['retentionMonths'] | undefined
  readonly warnings: WarningLog
}

interface ReadOptions {
  readonly needs?: readonly Derived[]
  /** The read sees the events as the next merge will leave them. Default: recent duplicates are there too. */
  readonly merged?: boolean
  /** The read sees in `$set` and `$set_once` of events what the service copies there. Default: only what was sent. */
  readonly copies?: boolean
}

/** The sandbox's events on disk: one writer, one reader, both on the same DuckDB file. */
export class EventStore {
  /** Folder of the files of downloads, the only ones that a statement can write. */
  readonly downloads: string
  readonly #instance: DuckDBInstance
  readonly #reader: DuckDBConnection
  readonly #writer: LogWriter
  readonly #options: StoreOptions
  // One read at a time: the person tables and views belong to the connection.
  readonly #turn = pLimit(1)
  readonly #madeAt = new Map<Derived, number>()
  /** The number of stored events, if all of them are merged. */
  #mergedAt: number | undefined

  private constructor(
    instance: DuckDBInstance,
    reader: DuckDBConnection,
    writer: LogWriter,
    options: StoreOptions,
  ) {
    this.downloads = downloadsOf(options.folder)
    this.#instance = instance
    this.#reader = reader
    this.#writer = writer
    this.#options = options
  }

  /** Opens the store of a folder. PosthaulError `locked` while another sandbox has it open. */
  static async open(options: StoreOptions): Promise<EventStore> {
    const { folder, timeZone, rules } = options
    const instance = await openInstance(join(folder, FILE))
    const connection = await instance.connect()
    await connection.run('USE store')
    await connection.run(`SET allowed_directories = ['${downloadsOf(folder).replaceAll("'", "''")}']`)
    await connection.run('SET enable_external_access = false')
    await connection.run(SCHEMA)
    const reader = await instance.connect()
    await reader.run('USE store')
    await reader.run(`SET TimeZone = '${timeZone}'`)
    await reader.run('SET lock_configuration = true')
    registerCityHash(reader)
    await reader.run(MACROS)
    const writer = await LogWriter.open(connection, await GroupTypes.load(connection, rules.groupCreatedAt))
    return new EventStore(instance, reader, writer, options)
  }

  /** Events stored since the start, duplicates included. */
  get stored(): number {
    return this.#writer.stored
  }

  /** Processes the events of a sender, an IP address, in the order of their arrival. Resolves when those that the service
   * keeps are on disk. */
  write(events: readonly CapturedEvent[], sender: string): Promise<void> {
    const { rules, warnings } = this.#options
    const project = { rules, types: this.#writer.types, sender, warnings }
    return this.#writer.write(events.flatMap((event) => processEvent(event, project) ?? []))
  }

  /** Runs one read, which finds the table `events` and those derived ones that it needs. Reads wait for each other. */
  read<T>(
    work: (connection: DuckDBConnection) => Promise<T>,
    { needs = [], merged = false, copies = false }: ReadOptions,
  ): Promise<T> {
    return this.#turn(async () => {
      for (const table of needs) await this.#refresh(table)
      const { now, mergeAfterMs, storage, retentionMonths } = this.#options
      await this.#merge(merged ? undefined : BigInt(now() - mergeAfterMs) * 1000n)
      const persons = needs.includes('persons')
      await this.#reader.run(`CREATE OR REPLACE TEMP MACRO service_now() AS (to_timestamp(${now() / 1000}))`)
      const shown = { persons, copies, storage, retentionMonths, now: BigInt(now()) * 1000n }
      await this.#reader.run(eventsView(shown))
      return work(this.#reader)
    })
  }

  /** Merges the events that arrived before a time; all without it. To find copies takes a while on a large log. */
  async #merge(until: bigint | undefined): Promise<void> {
    const { stored } = this
    if (this.#mergedAt === stored) return
    await this.#reader.run(supersededTable(until, this.#options.storage))
    const last = await this.#reader.runAndReadAll(`SELECT epoch_us(max(received_at)) FROM ${LOG_TABLE}`)
    const newest = last.getRows()[0]?.[0] ?? null
    // Once all events are merged, nothing changes until more come.
    const isWhole = until === undefined || newest === null || BigInt(String(newest)) < until
    this.#mergedAt = isWhole && until !== undefined ? stored : undefined
  }

  async #refresh(table: Derived): Promise<void> {
    const { stored } = this
    if (this.#madeAt.get(table) === stored) return
    if (table === 'persons') await rebuildPersons(this.#reader)
    else await this.#reader.run(GROUPS_TABLE)
    this.#madeAt.set(table, stored)
  }

  /** The rows of a statement of the sandbox's own about groups. */
  groupRows(sql: string, values: Record<string, DuckDBValue> = {}): Promise<DuckDBValue[][]> {
    const options = { needs: ['groups'] as const }
    return this.read(async (connection) => (await connection.runAndReadAll(sql, values)).getRows(), options)
  }

  /** What was dropped or changed. */
  async warnings(): Promise<Warning[]> {
    const refused = await this.#turn(() => refusals(this.#reader))
    return this.#options.warnings.all(refused)
  }

  /** True once an event has been stored, by whichever process. */
  hasEvents(): Promise<boolean> {
    return this.#turn(async () => {
      const found = await this.#reader.runAndReadAll(`SELECT 1 FROM ${LOG_TABLE} LIMIT 1`)
      return found.currentRowCount > 0
    })
  }

  /** Waits for reads and writes under way, then closes the file. */
  async close(): Promise<void> {
    await this.#writer.close()
    await this.#turn(() => undefined)
    this.#reader.closeSync()
    this.#instance.closeSync()
  }
}

function downloadsOf(folder: string): string {
  return join(folder, 'downloads')
}

async function openInstance(path: string): Promise<DuckDBInstance> {
  try {
    const instance = await DuckDBInstance.create(':memory:', { ...SETTINGS, temp_directory: `${path}.tmp` })
    const connection = await instance.connect()
    // A checkpoint holds a whole group of rows, which are 122,880 where nobody says otherwise.
    await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS store (ROW_GROUP_SIZE 8192)`)
    connection.closeSync()
    return instance
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    if (/lock|already (open|attached)/i.test(reason)) throw inUse(dirname(path), cause)
    throw new PosthaulError(`${path} can't be opened: ${reason.split('\n')[0]}`, {
      code: 'config',
      hint: 'give another folder with --data, or remove this one',
      cause,
    })
  }
}
