import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DoctorResult, ExportListResult } from '../../src/jobs/results.ts'
import { ClickHouseHttp } from '../helpers/clickhouse-http.ts'
import { type Ran, runCommand } from '../helpers/command.ts'
import { makeFolder } from '../helpers/folder.ts'
import { startMariaDb } from '../helpers/mariadb.ts'
import { startPostgres } from '../helpers/postgres.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

/* What a user does with a database from the first look on, on real servers: --list, doctor, init, test, export, transform. */

interface Server {
  /** The login of one who may read `events` and `unindexed`, and not `secret`. */
  readonly reader: Readonly<Record<string, string>>
  /** The login of one who may write. */
  readonly writer: Readonly<Record<string, string>>
  readonly schema: string
  /** Called before the rights are given. */
  run(sql: string): Promise<unknown>
  close(): Promise<void>
}

interface Engine {
  readonly name: string
  start(): Promise<Server>
  /** Makes `events` (3000 rows of three days, quick by created_at), `unindexed` (200,000 rows) and `secret`. */
  readonly tables: readonly string[]
  readonly plan: RegExp
  readonly remedy: string
}

const ENGINES: readonly Engine[] = [
  {
    name: 'postgres',
    async start() {
      const server = await startPostgres()
      const { psql: run, close } = server
      const login = (...user: string[]) => ({ POSTGRES_URL: server.url(...user) })
      return { reader: login('reader', 'r'), writer: login(), schema: 'public', run, close }
    },
    tables: [
      `CREATE TABLE events AS SELECT g AS id, '2024-03-01+00'::timestamptz + g * interval '80.000001 s' AS created_at,
        CASE WHEN g % 3 = 0 THEN 'Order Completed' ELSE 'Page Viewed' END AS name, 'u' || g % 50 AS user_id, g * 1.10 AS price
        FROM generate_series(1, 3000) g; CREATE INDEX ON events (created_at)`,
      `CREATE TABLE unindexed AS SELECT g AS id, '2024-03-01+00'::timestamptz + g * interval '1 s' AS created_at
        FROM generate_series(1, 200000) g`,
      `CREATE TABLE secret (id int, created_at timestamptz); CREATE ROLE reader LOGIN PASSWORD 'r';
        GRANT SELECT ON events, unindexed TO reader; ANALYZE`,
    ],
    plan: /Seq Scan on unindexed/,
    remedy: 'an index on created_at helps, or wider windows',
  },
  {
    name: 'mysql',
    async start() {
      const server = await startMariaDb()
      const { run, close } = server
      const login = (...user: string[]) => ({ MYSQL_URL: server.url(...user) })
      return { reader: login('reader', 'r'), writer: login(), schema: 'shop', run, close }
    },
    tables: [
      `CREATE TABLE events (id INT PRIMARY KEY, created_at DATETIME(6) NOT NULL, name VARCHAR(40), user_id VARCHAR(9),
        price DECIMAL(9, 2), KEY (created_at)); INSERT INTO events SELECT seq, '2024-03-01' + INTERVAL seq * 80000001 MICROSECOND,
        IF(seq % 3 = 0, 'Order Completed', 'Page Viewed'), CONCAT('u', seq % 50), seq * 1.10 FROM seq_1_to_3000`,
      `CREATE TABLE unindexed (id INT PRIMARY KEY, created_at DATETIME NOT NULL);
        INSERT INTO unindexed SELECT seq, '2024-03-01' + INTERVAL seq SECOND FROM seq_1_to_200000`,
      `CREATE TABLE secret (id INT, created_at DATETIME); CREATE USER reader IDENTIFIED BY 'r';
        GRANT SELECT ON events TO reader; GRANT SELECT ON unindexed TO reader; ANALYZE TABLE events, unindexed`,
    ],
    plan: /unindexed: ALL, no index/,
    remedy: 'an index on created_at helps, or wider windows',
  },
  {
    name: 'clickhouse',
    async start() {
      // Of one user: what chDB plays has no others.
      const server = await ClickHouseHttp.start()
      const login = { CLICKHOUSE_URL: server.url }
      return {
        ...{ reader: login, writer: login, schema: 'default' },
        run: (sql) => server.run(sql),
        close: () => server.close(),
      }
    },
    tables: [
      `CREATE TABLE events ENGINE = MergeTree ORDER BY created_at AS SELECT toUInt32(number + 1) AS id,
        toDateTime64('2024-03-01 00:00:00', 6, 'UTC') + toIntervalMicrosecond(id * 80000001) AS created_at,
        if(id % 3 = 0, 'Order Completed', 'Page Viewed') AS name, concat('u', toString(id % 50)) AS user_id,
        toDecimal64(id, 2) * toDecimal64('1.10', 2) AS price FROM numbers(3000)`,
      `CREATE TABLE unindexed ENGINE = MergeTree ORDER BY id AS SELECT toUInt32(number) AS id,
        toDateTime('2024-03-01 00:00:00', 'UTC') + number AS created_at FROM numbers(200000)`,
    ],
    plan: /it would read (\d+) of \1 granules/,
    remedy: 'a table that is ordered by created_at helps, or wider windows',
  },
]

describe.each(ENGINES)('$name', ({ name, start, tables, plan, remedy }) => {
  const folder = makeFolder()
  const at = (path: string) => join(folder, path)
  let server: Server
  beforeAll(async () => {
    server = await start()
    for (const sql of tables) await server.run(sql)
  })
  afterAll(() => server?.close())

  const asked = (argv: readonly string[], env = server.reader): Promise<Ran> =>
    runCommand(argv, { env, built: true })
  async function done(argv: readonly string[]): Promise<Ran> {
    const ran = await asked(argv)
    expect(ran.code, ran.stderr).toBe(0)
    return ran
  }

  test('init samples a table, its tests pass, and its rows become events', async () => {
    const map = at('mapping.yaml')
    const made = await done(['init', name, '--table', 'events', '--out', map, '--json'])
    expect(JSON.parse(made.stdout)).toMatchObject({
      ...{ sample: { records: 3000, files: 1 }, tests: at('mapping.test.yaml') },
      trial: { events: 3000, rejected: 0 },
    })
    const { passed, failed } = JSON.parse((await done(['test', map, '--json'])).stdout)
    expect([passed > 0, failed]).toEqual([true, 0])
    const dates = ['--time-column', 'created_at', '--from', '2024-03-01', '--to', '2024-03-04']
    await done(['export', name, '--table', 'events', ...dates, '--out', at('raw')])
    await done(['transform', '--map', map, '--in', at('raw'), '--out', at('events')])
    const events = readSoundDataset(at('events')).lines.map((line) => JSON.parse(line))
    expect(events).toHaveLength(3000)
    expect(events[2]).toMatchObject({
      ...{ event: 'Order Completed', distinct_id: 'u3', timestamp: '2024-03-01T00:04:00.000003Z' },
      properties: { price: 3.3 },
    })
  })

  test('--list shows rows, size, span, and columns for windows and keys', async () => {
    const found: ExportListResult = JSON.parse((await done(['export', name, '--list', '--json'])).stdout)
    const listed = found.tables.find((table) => table.name === 'events')
    expect(listed).toMatchObject({ schema: server.schema, view: false, times: ['created_at'], problem: null })
    expect(listed!.rows).toBe(3000)
    expect(listed!.bytes).toBeGreaterThan(10_000)
    expect([listed!.first, listed!.last].map((time) => time?.slice(0, 19))).toEqual([
      '2024-03-01 00:01:20',
      '2024-03-03 18:40:00',
    ])
    if (name !== 'postgres') expect(listed!.keys).toContain('id')
    expect(found.tables.map((table) => table.name)).not.toContain('secret')
  })

  const findings = async (table: string, env = server.reader): Promise<DoctorResult['findings']> => {
    writeFileSync(
      at('migration.yaml'),
      `source:\n  ${name}: { from: 2024-03-01, to: 2024-03-04, table: [${table}], time_column: created_at }
mapping: { preset: events }\nstore: data\ntarget: { host: "http://127.0.0.1:1" }\n`,
    )
    const { stdout } = await asked(['doctor', at('migration.yaml'), '--json'], env)
    return (JSON.parse(stdout) as DoctorResult).findings.filter(({ check }) => check === 'vendor')
  }

  test('doctor finds a login that may read, and a table that is quick by its time', async () => {
    const found = await findings('events')
    expect(found[0]).toMatchObject({
      level: 'ok',
      text: expect.stringMatching(/lets the credentials in: .*\d/),
    })
    expect(found.slice(1).filter(({ text }) => !text.includes('may write'))).toEqual([])
    if (name !== 'clickhouse') expect(found).toHaveLength(1)
  })

  test('doctor warns of a table that each window reads whole', async () => {
    const warning = (await findings('unindexed')).find(({ text }) => text.includes('unindexed'))
    expect(warning).toMatchObject({
      ...{
        level: 'warning',
        text: expect.stringContaining('each window of unindexed reads the whole table'),
      },
      ...{ cause: expect.stringMatching(plan), remedy },
    })
  })

  test('doctor warns of a login that may write, in a file or alone', async () => {
    const warning = { level: 'warning', text: expect.stringContaining('the user may write') }
    expect(await findings('events', server.writer)).toContainEqual(expect.objectContaining(warning))
    const { stdout } = await asked(['doctor', '--json'], server.writer)
    expect(JSON.parse(stdout).findings).toContainEqual(expect.objectContaining(warning))
  })

  test('doctor says which table can not be read, and why', async () => {
    expect((await findings('nowhere')).at(-1)).toMatchObject({
      level: 'error',
      text: expect.stringMatching(/nowhere can't be read/),
    })
    if (name === 'clickhouse') return
    expect((await findings('secret')).at(-1)).toMatchObject({
      ...{ level: 'error', text: expect.stringContaining("secret can't be read") },
      ...{ cause: expect.stringMatching(/denied/), remedy: expect.stringContaining('GRANT SELECT') },
    })
  })
})
