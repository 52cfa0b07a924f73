import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { clickhouseClient, mariadbClient } from '../helpers/database-clients.ts'
import { testFolder } from '../helpers/folder.ts'
import { type MariaDb, startMariaDb } from '../helpers/mariadb.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'

/* The lines of docs/databases, as they stand there, on the real client and server: digits, microseconds, zones, JSON and NULLs. */

const BIN = new URL('../../bin/posthaul.js', import.meta.url).pathname
const call = promisify(execFile)

let postgres: Postgres | undefined
let mariadb: MariaDb | undefined
afterAll(() => Promise.all([postgres?.close(), mariadb?.close()]))

/** Runs the lines of a page in an empty folder, and returns the records of 1 and 2 March 2024. `env`: in place of what the page exports. */
async function byPage(
  name: string,
  env: Readonly<Record<string, string>>,
  folder = testFolder(),
): Promise<string[]> {
  const page = readFileSync(new URL(`../../docs/databases/${name}.md`, import.meta.url), 'utf8')
  const query = /```sql\n(.*?)```/s.exec(page)![1]!
  writeFileSync(join(folder, 'events.sql'), query)
  const lines = /```sh illustration\n(.*?)```/s.exec(page)![1]!
  const script = lines.replace('--from 2023-01-01 --to 2024-01-01', '--from 2024-03-01 --to 2024-03-03')
  expect(script).not.toBe(lines)
  const programs = join(folder, 'bin')
  mkdirSync(programs)
  writeFileSync(join(programs, 'posthaul'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`)
  chmodSync(join(programs, 'posthaul'), 0o755)
  const own = Object.entries(env).map(
    ([variable, value]) => `export ${variable}='${value.replaceAll("'", "'\\''")}'\n`,
  )
  const exported = script.replace(/(?=^posthaul )/m, own.join(''))
  const path = `${programs}:${env.PATH ?? process.env.PATH}`
  const { PATH: _, ...others } = env
  const shell = { cwd: folder, env: { HOME: folder, SHELL: '/bin/bash', ...others, PATH: path } }
  await call('bash', ['--norc', '-ec', exported.replace(/^export PATH=.*$/m, '')], shell)
  const { parts } = JSON.parse(readFileSync(join(folder, 'raw/manifest.json'), 'utf8'))
  return (parts as { file: string }[]).flatMap(({ file }) => {
    const text = gunzipSync(readFileSync(join(folder, 'raw', file))).toString()
    return text.split('\n').slice(0, -1)
  })
}

/** The members of a line, their values as they are written. */
function written(line: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [, name, value] of line.matchAll(/"(\w+)"\s*:\s*("(?:[^"\\]|\\.)*"|\{[^}]*\}|[^,}\s]+)/g))
    found[name!] ??= value!
  return found
}

test('postgres', async () => {
  postgres = await startPostgres()
  await postgres.psql(`CREATE SCHEMA app; CREATE TABLE app.events (id bigint, amount numeric, ratio double precision, name text, properties json,
      created_at timestamptz, local timestamp);
    INSERT INTO app.events VALUES (9223372036854775807, 12345678901234567890.10, 0.1::float8 + 0.2::float8, E'né "q"\\n', E'{"a": 1.10,\\n "b": null}',
      '2024-03-01 00:00:00+00', '2024-03-01 05:30:00.1'), (2, NULL, 1e22, '', NULL, '2024-03-02 23:59:59.999999+00', NULL),
      (3, 1, 1, 'late', '{}', '2024-03-03 00:00:00+00', NULL), (4, 1, 1, 'early', '{}', '2024-02-29 23:59:59.999999+00', NULL)`)
  const lines = await byPage('postgres', { SHOP: postgres.url })
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0]!)).toMatchObject({ name: 'né "q"\n', properties: { a: 1.1, b: null } })
  expect(written(lines[0]!)).toMatchObject({
    ...{ id: '9223372036854775807', amount: '12345678901234567890.10', ratio: '0.30000000000000004' },
    ...{ properties: '{"a": 1.10,  "b": null}', created_at: '"2024-03-01T00:00:00+00:00"' },
    local: '"2024-03-01T05:30:00.1"',
  })
  expect(written(lines[1]!)).toMatchObject({
    ...{ id: '2', amount: 'null', ratio: '1e+22', name: '""', properties: 'null', local: 'null' },
    created_at: '"2024-03-02T23:59:59.999999+00:00"',
  })
})

test('mariadb', async () => {
  mariadb = await startMariaDb()
  await mariadb.run(`SET time_zone = '+00:00'; CREATE TABLE events (id BIGINT UNSIGNED, name TEXT CHARACTER SET utf8mb4, user_id INT,
      amount DECIMAL(30,10), ratio DOUBLE, properties JSON, created_at TIMESTAMP(6) NULL);
    INSERT INTO events VALUES (18446744073709551615, 'né "q"\\n', NULL, 12345678901234567890.5, 0.1e0 + 0.2e0, '{"a": 1.10,\\n "b": null}',
      '2024-03-01 00:00:00'), (2, '', 7, NULL, NULL, NULL, '2024-03-02 23:59:59.999999'), (3, 'late', 1, 1, 1, '{}', '2024-03-03 00:00:00')`)
  const { run } = mariadbClient(mariadb)
  const lines = await byPage('mysql', { READ: run.slice(0, run.indexOf(' --init-command')) })
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    name: 'né "q"\n',
    user_id: null,
    properties: { a: 1.1, b: null },
  })
  expect(written(lines[0]!)).toMatchObject({
    ...{
      id: '18446744073709551615',
      amount: '12345678901234567890.5000000000',
      ratio: '0.30000000000000004',
    },
    ...{ properties: '{"a": 1.10,  "b": null}', created_at: '"2024-03-01T00:00:00.000000Z"' },
  })
  expect(written(lines[1]!)).toMatchObject({
    ...{ id: '2', name: '""', amount: 'null', ratio: 'null', properties: 'null' },
    created_at: '"2024-03-02T23:59:59.999999Z"',
  })
})

test('sqlite', async () => {
  const folder = testFolder()
  await call('sqlite3', [
    join(folder, 'shop.db'),
    `CREATE TABLE events (id INTEGER, name TEXT, user_id TEXT, ratio REAL, properties TEXT, created_at TEXT);
     INSERT INTO events VALUES (9223372036854775807, 'né "q"' || char(10), NULL, 0.1 + 0.2, '{"a": 1.10, "b": null}', '2024-03-01 00:00:00'),
       (2, '', 'u', 1, '[]', '2024-03-02 23:59:59.999'), (3, 'late', 'u', 1, '{}', '2024-03-03 00:00:00')`,
  ])
  const lines = await byPage('sqlite', {}, folder)
  expect(lines).toHaveLength(2)
  expect(JSON.parse(lines[0]!)).toMatchObject({
    name: 'né "q"\n',
    user_id: null,
    properties: { a: 1.1, b: null },
  })
  expect(written(lines[0]!)).toMatchObject({
    ...{ id: '9223372036854775807', ratio: '0.30000000000000004', properties: '{"a":1.10,"b":null}' },
    created_at: '"2024-03-01 00:00:00"',
  })
})

test('clickhouse', async () => {
  const client = await clickhouseClient()
  onTestFinished(() => client.close())
  await client.ask(`CREATE TABLE events (id UInt64, big Int256, amount Decimal(38, 10), ratio Float64, name Nullable(String),
    created_at DateTime64(6, 'Asia/Kolkata'), day Date) ENGINE = MergeTree ORDER BY id`)
  await client.ask(`INSERT INTO events SELECT 18446744073709551615, toInt256('-12345678901234567890123456789012345678'), toDecimal128('12345678901234567890.5', 10),
    0.1 + 0.2, NULL, toDateTime64('2024-03-01 00:00:00', 6, 'UTC'), '2024-03-01'
    UNION ALL SELECT 2, 1, 1, 1e22, 'né "q"\\n', toDateTime64('2024-03-02 23:59:59.999999', 6, 'UTC'), '2024-03-02'
    UNION ALL SELECT 3, 1, 1, 1, 'late', toDateTime64('2024-03-03 00:00:00', 6, 'UTC'), '2024-03-03'`)
  const lines = await byPage('clickhouse', { READ: 'clickhouse client', PATH: client.env.PATH! })
  expect(lines).toHaveLength(2)
  expect(written(lines[0]!)).toMatchObject({
    ...{ id: '18446744073709551615', big: '-12345678901234567890123456789012345678' },
    ...{ amount: '12345678901234567890.5', ratio: '0.30000000000000004', name: 'null' },
    ...{ created_at: '"2024-03-01T00:00:00.000000Z"', day: '"2024-03-01"' },
  })
  expect(JSON.parse(lines[1]!)).toMatchObject({ name: 'né "q"\n', created_at: '2024-03-02T23:59:59.999999Z' })
})
