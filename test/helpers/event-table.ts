import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { startChdb } from './chdb.ts'
import { type ClickHouse, startClickHouse } from './clickhouse.ts'

/** The service's table of before 30 November 2026, which servers that were not changed keep, and the one after. */
export type Form = 'before' | 'after'

/** The properties of an import: before the change they have columns of their own, after it they are paths of a JSON column. */
const MARKS = ['$import_job_id', 'analytics_source', '$lib', '$unparseable_properties'] as const
const MARK = /properties\.(\$import_job_id|analytics_source|\$lib|\$unparseable_properties)/g
const TEXTS = `properties String, ${MARKS.map((name) => `\`mat_${name}\` String`).join(', ')}`

interface Server {
  readonly start: () => Promise<ClickHouse>
  readonly time: string
  /** The shortest time between two events that it can tell, in microseconds. */
  readonly step: number
  readonly properties: Readonly<Record<Form, string>>
  /** What the service's compiler does. */
  readonly compiled: (query: string, form: Form) => string
}

/** An old server, which knows neither times below a second nor columns of JSON, and a current one. */
const SERVERS = {
  old: {
    start: startClickHouse,
    time: 'DateTime',
    step: 1_000_000,
    properties: { before: TEXTS, after: TEXTS },
    compiled: (query) =>
      query
        .replaceAll(MARK, '`mat_$1`')
        .replaceAll(
          /dateDiff\('microsecond', toDateTime64\([^)]*\), earliest\)/g,
          '(1000000 * toInt64(earliest))',
        )
        .replaceAll(/toDateTime64\('([^']{19})\.000000', 6, 'UTC'\)/g, "toDateTime('$1', 'UTC')"),
  },
  current: {
    start: startChdb,
    time: "DateTime64(6, 'UTC')",
    step: 1,
    properties: { before: TEXTS, after: 'properties JSON' },
    compiled: (query, form) =>
      query.replaceAll(MARK, form === 'before' ? '`mat_$1`' : 'properties.`$1`.:String'),
  },
} satisfies Record<string, Server>

/** The version of a row, and how the order of rows ends. */
const FORMS = {
  before: ['UInt32', 'cityHash64(toString(uuid))'],
  after: ['DateTime', 'timestamp, uuid'],
} as const

export interface Row {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly micros: number
  readonly properties: Readonly<Record<string, unknown>>
  readonly version: number
}

/** The table `events` on a ClickHouse, as the service has it: a ReplacingMergeTree, whose copies are merged some time later. */
export class EventTable {
  readonly #server: Server
  readonly #clickhouse: ClickHouse
  #form: Form = 'before'

  private constructor(server: Server, clickhouse: ClickHouse) {
    this.#server = server
    this.#clickhouse = clickhouse
  }

  static async open(name: keyof typeof SERVERS): Promise<EventTable> {
    return new EventTable(SERVERS[name], await SERVERS[name].start())
  }

  /** The shortest time between two events, in microseconds. */
  get step(): number {
    return this.#server.step
  }

  /** Makes the table, and fills it with the lines of a dataset, each as `change` has it, each third one twice, and with live events. */
  async fill(
    dataset: string,
    form: Form,
    change: (row: Row, n: number) => readonly Row[] = (row) => [row],
  ): Promise<Row[]> {
    this.#form = form
    const { properties, time } = this.#server
    const [version, last] = FORMS[form]
    await this.#clickhouse.run('DROP TABLE IF EXISTS events')
    await this.#clickhouse.run(`CREATE TABLE events (
      team_id UInt32, uuid UUID, event String, distinct_id String, timestamp ${time}, ${properties[form]}, _timestamp ${version}
    ) ENGINE = ReplacingMergeTree(_timestamp) PARTITION BY toYYYYMM(timestamp)
    ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), ${last})`)
    const { parts } = await readEventsManifest(new LocalStore(dataset))
    const lines = parts.flatMap(({ file }) => readFileSync(join(dataset, file), 'utf8').trim().split('\n'))
    const rows = lines.flatMap((line, version) => {
      const { uuid, event, distinct_id, timestamp, properties } = JSON.parse(line)
      const micros = Date.parse(timestamp) * 1000
      return change({ uuid, event, distinct_id, micros, properties, version }, version)
    })
    // In two inserts, so that the copies are in parts of their own.
    const live = rows.slice(0, 500).map((row) => ({ ...row, distinct_id: 'live', properties: {} }))
    await this.insert([...rows, ...live])
    await this.insert(rows.filter((_, n) => n % 3 === 0))
    return rows
  }

  async insert(rows: readonly Row[]): Promise<void> {
    const isText = this.#server.properties[this.#form] === TEXTS
    const lines = rows.map(({ micros, properties, version, ...row }) => {
      const timestamp = this.#server.step === 1 ? timeText(micros) : micros / 1_000_000
      const marks = Object.fromEntries(MARKS.map((name) => [`mat_${name}`, properties[name] ?? '']))
      const columns = isText ? { properties: JSON.stringify(properties), ...marks } : { properties }
      return JSON.stringify({ team_id: 1, ...row, timestamp, ...columns, _timestamp: version })
    })
    await this.#clickhouse.run('INSERT INTO events FORMAT JSONEachRow', lines.join('\n'))
  }

  /** Merges the copies. */
  async merge(): Promise<void> {
    await this.#clickhouse.run('OPTIMIZE TABLE events FINAL')
  }

  async query(query: string): Promise<unknown[][]> {
    const answer = await this.#clickhouse.run(
      `${this.#server.compiled(query, this.#form)} FORMAT JSONCompact`,
    )
    return (JSON.parse(answer) as { data: unknown[][] }).data
  }

  /** A time as this server writes it. */
  timeText(micros: number): string {
    return this.#server.step === 1 ? timeText(micros) : timeText(micros).slice(0, 19)
  }

  close(): Promise<void> {
    return this.#clickhouse.close()
  }
}

/** `2024-03-01 12:34:56.789000`, in UTC. */
function timeText(micros: number): string {
  const millis = new Date(Math.floor(micros / 1000)).toISOString().slice(0, 23).replace('T', ' ')
  return millis + String(micros % 1000).padStart(3, '0')
}
