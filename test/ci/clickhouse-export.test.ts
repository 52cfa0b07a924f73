import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { clickhouseAddress } from '../../src/sources/clickhouse/clickhouse-address.ts'
import { clickhouseDatabase } from '../../src/sources/clickhouse/clickhouse-database.ts'
import type { Database } from '../../src/sources/sql/database.ts'
import { runCli } from '../helpers/cli-process.ts'
import { startClickHouse } from '../helpers/clickhouse.ts'
import { EVENTS_ARGV, eventLines, linesOf, makeEvents, roundTrip } from '../helpers/clickhouse-export.ts'
import { ClickHouseHttp } from '../helpers/clickhouse-http.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'
import { CLICKHOUSE_HELD, CLICKHOUSE_TABLES, heldBy, moved } from '../helpers/posthog-tables.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'
import { LOCALHOST_CERTIFICATE, tlsFront } from '../helpers/tls-front.ts'

const folder = makeFolder()
let clickhouse: ClickHouseHttp
beforeAll(async () => {
  clickhouse = await ClickHouseHttp.start({ user: 'read er', password: 'p@ss/w:rd%?#é"' })
})
afterAll(() => clickhouse?.close())

let outs = 0
const newOut = () => join(folder, `out-${outs++}`)

/** Runs an export into a folder of its own. */
async function exported(argv: readonly string[], url = clickhouse.url) {
  const out = newOut()
  const ended = await runCli(['export', 'clickhouse', ...argv, '--out', out], { CLICKHOUSE_URL: url })
  return { ...ended, out }
}

async function opened(): Promise<Database> {
  const address = await clickhouseAddress({ env: { CLICKHOUSE_URL: clickhouse.url }, stdin: process.stdin })
  return clickhouseDatabase(address, 60_000)
}

test('values of every type come out as they were written, however deep they are', async () => {
  await roundTrip(clickhouse, { seed: seedOf('clickhouse values'), rows: 30, types: 25, out: newOut() })
})

test('columns of JSON, Variant and Dynamic, nested ones and odd names', async () => {
  await clickhouse.run(
    'CREATE TABLE `odd``t "ä` (id UInt8, `a b` JSON, `c"d` Variant(UInt64, String), `ü` Dynamic, n Nested(x UInt8, y Float64), p Point, m String MATERIALIZED \'no\') ENGINE = MergeTree ORDER BY id',
  )
  await clickhouse.run(
    'INSERT INTO `odd``t "ä` VALUES (1, \'{"b":{"n":18446744073709551615,"f":1.5},"a":[1,null,"x"]}\', 18446744073709551615::UInt64, 1.5::Decimal(9, 2), [1, 2], [nan, 0.5], (1, nan))',
  )
  const { code, stderr, out } = await exported(['--table', 'odd`t "ä', '--key', 'id'])
  expect(code, stderr).toBe(0)
  expect(linesOf(out)).toEqual([
    String.raw`{"id":1,"a b":{"a":[1,null,"x"],"b":{"f":1.5,"n":18446744073709551615}},"c\"d":18446744073709551615,"ü":1.50,"n.x":[1,2],"n.y":[null,0.5],"p":[1,null]}`,
  ])
  expect(stderr).toMatch(/2 values of (?:p|n\.y) were NaN|1 value of n\.y was NaN/)
})

describe('windows', () => {
  test('are half-open days of UTC by columns of any time', async () => {
    const hours = "toDateTime64('2024-03-01 00:00:00', 9, 'UTC') + number * 3600"
    const types = [
      ['instant', "DateTime('Asia/Tokyo')", hours],
      ['instant', 'DateTime', hours],
      ['instant', "DateTime64(9, 'America/New_York')", hours],
      ['instant', 'DateTime64(0)', hours],
      ['date', 'Date', "toDate('2024-03-01') + intDiv(number, 24)"],
      ['date', 'Date32', "toDate32('2024-03-01') + intDiv(number, 24)"],
    ] as const
    const columns = types.map(([, type], at) => `c${at} ${type}`)
    await clickhouse.run(`CREATE TABLE w (id UInt16, ${columns.join(', ')}) ENGINE = MergeTree ORDER BY id`)
    await clickhouse.run(
      `INSERT INTO w SELECT number, ${types.map(([, , sql]) => sql).join(', ')} FROM numbers(96)`,
    )
    const database = await opened()
    const relation = { kind: 'table', schema: undefined, name: 'w' } as const
    const span = { start: Date.UTC(2024, 2, 2), end: Date.UTC(2024, 2, 4) }
    const { signal } = new AbortController()
    try {
      for (const [at, column] of (await database.columns(relation, signal)).slice(1).entries()) {
        expect(column.time).toBe(types[at]![0])
        const counts: number[] = []
        const call = {
          signal,
          columns() {},
          notText() {},
          notFinite() {},
          counted: (n: number) => counts.push(n),
        }
        const ids: number[] = []
        for await (const rows of database.read(
          { relation, where: { by: 'time', column, span }, only: [] },
          call,
        )) {
          ids.push(...rows.map(([id]) => Number(id)))
        }
        expect(
          ids.sort((a, b) => a - b),
          column.type,
        ).toEqual(Array.from({ length: 48 }, (_, n) => 24 + n))
        expect(counts).toEqual([48, 48])
      }
    } finally {
      await database.close()
    }
  })

  test('have rows without a time in a part of their own', async () => {
    await clickhouse.run(
      'CREATE TABLE n (id UInt16, at Nullable(DateTime64(3))) ENGINE = MergeTree ORDER BY id',
    )
    await clickhouse.run("INSERT INTO n VALUES (1, NULL), (2, toDateTime64('2024-03-02 00:00:00', 3, 'UTC'))")
    const argv = ['--table', 'n', '--time-column', 'at', '--from', '2024-03-02', '--to', '2024-03-03']
    const { code, stderr, out } = await exported(argv)
    expect(code, stderr).toBe(0)
    expect(linesOf(out)).toEqual(['{"id":1}', '{"id":2,"at":"2024-03-02T00:00:00.000Z"}'])
  })

  test('of a query with FINAL and --only, and of an empty table', async () => {
    await clickhouse.run(
      "CREATE TABLE r (id UInt16, team UInt64, at DateTime64(6, 'UTC'), v UInt8) ENGINE = ReplacingMergeTree(v) ORDER BY id",
    )
    for (const version of [1, 2]) {
      await clickhouse.run(
        `INSERT INTO r SELECT number, number % 2, toDateTime64('2024-03-01 00:00:00', 6, 'UTC') + number * 3600, ${version} FROM numbers(48)`,
      )
    }
    const file = join(folder, 'rows.sql')
    writeFileSync(file, 'SELECT * FROM r FINAL WHERE at >= {from} AND at < {to} -- and no more\n;')
    const days = ['--from', '2024-03-01', '--to', '2024-03-03']
    const { code, stderr, out } = await exported(['--query', file, '--only', 'team=1', ...days])
    expect(code, stderr).toBe(0)
    const rows = linesOf(out).map((line) => JSON.parse(line) as { id: number; v: number })
    expect(rows.map(({ id, v }) => [id, v]).sort(([a], [b]) => a! - b!)).toEqual(
      Array.from({ length: 24 }, (_, n) => [2 * n + 1, 2]),
    )
    await clickhouse.run('TRUNCATE TABLE r')
    const empty = await exported(['--table', 'r', '--time-column', 'at', ...days])
    expect(empty.code, empty.stderr).toBe(0)
    expect(linesOf(empty.out)).toEqual([])
  })
})

test('export, transform, import and verify give what the same rows as a file give', async () => {
  await clickhouse.run(
    "CREATE TABLE ev (uuid UUID, event String, distinct_id String, timestamp DateTime64(6, 'UTC'), properties JSON) ENGINE = MergeTree ORDER BY timestamp",
  )
  await clickhouse.run(
    `INSERT INTO ev SELECT reinterpretAsUUID(number + 1), 'buy ' || toString(number % 3), 'u' || toString(number % 50), toDateTime64('2024-03-01 00:00:00.123456', 6, 'UTC') + number * 300, '{"n":' || toString(9007199254740993 + number) || ',"é":"\\\\u00e9"}' FROM numbers(800)`,
  )
  const argv = ['--table', 'ev', '--time-column', 'timestamp', '--from', '2024-03-01', '--to', '2024-03-04']
  const { code, stderr, out } = await exported(argv)
  expect(code, stderr).toBe(0)
  const file = join(folder, 'rows.ndjson')
  const rows = await clickhouse.run(
    `SELECT toString(uuid), event, distinct_id, formatDateTime(timestamp, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC'), toJSONString(properties) FROM ev ORDER BY timestamp FORMAT TSVRaw`,
  )
  const lines = rows
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [uuid, event, distinct_id, timestamp, properties] = row.split('\t')
      return `${JSON.stringify({ uuid, event, distinct_id, timestamp }).slice(0, -1)},"properties":${properties}}`
    })
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
  const datasets: string[] = []
  for (const input of [out, file]) {
    const dataset = newOut()
    const made = await runCli(['transform', '--preset', 'posthog', '--in', input, '--out', dataset])
    expect(made.code, made.stderr).toBe(0)
    datasets.push(dataset)
  }
  const [fromTable, fromFile] = datasets.map(linesOf)
  expect(fromTable).toHaveLength(800)
  expect(fromTable).toEqual(fromFile)
  const sandbox = await startSandbox()
  try {
    const env = sandboxEnv(sandbox)
    const fast = ['--approved', '--max-events-per-minute', '10000000']
    const sent = await runCli(['import', '--dataset', datasets[0]!, ...fast], env)
    expect(sent.code, sent.stderr).toBe(0)
    const verified = await runCli(['verify', datasets[1]!], env)
    expect(verified.code, verified.stderr).toBe(0)
  } finally {
    await sandbox.close()
  }
})

test("a PostHog of one's own is moved: events, persons as they are now with all their ids, and groups by the names given", async () => {
  for (const sql of CLICKHOUSE_TABLES) await clickhouse.run(sql)
  const env = { CLICKHOUSE_URL: clickhouse.url }
  const mapping = 'preset: posthog\ngroup_types: { 0: company, 1: project }\n'
  const { held, events } = await moved({ engine: 'clickhouse', env, folder: testFolder(), mapping })
  expect(held).toEqual(await heldBy(CLICKHOUSE_HELD, (sql) => clickhouse.run(sql)))
  expect(held.persons).toHaveLength(3)
  expect(held.groups).toHaveLength(3)
  const there = await clickhouse.run(
    'SELECT event, distinct_id FROM ph.events WHERE team_id = 1 ORDER BY timestamp FORMAT TSV',
  )
  expect(events.map(([, event, id]) => `${event}\t${id}`)).toEqual(there.trimEnd().split('\n'))
  const days = ['--from', '2024-03-01', '--to', '2024-03-04']
  const both = await exported(['--like', 'posthog', '--schema', 'ph', ...days])
  expect(both.code).toBe(2)
  expect(both.stderr).toMatch(/several teams, from 1 to 2/)
})

describe('logins', () => {
  test('a wrong password is refused at once, and none is shown', async () => {
    const url = clickhouse.url.replace('%C3%A9', 'wrong%40word')
    const { code, stderr } = await exported(
      ['--table', 'w', '--time-column', 'at', '--from', '2024-03-01'],
      url,
    )
    expect(code, stderr).toBe(4)
    expect(stderr).toMatch(/password is incorrect/)
    expect(stderr).not.toMatch(/p@ss|p%40ss|wrong@word/)
  })

  test('TLS is verified, by the authority that the address names', async () => {
    const front = await tlsFront(clickhouse.port, LOCALHOST_CERTIFICATE)
    const url = clickhouse.url.replace(/http:(.*)127\.0\.0\.1:\d+/, `https:$1localhost:${front.port}`)
    try {
      await makeEvents(clickhouse, 'secure', 20)
      const refused = await exported(['--table', 'secure', ...EVENTS_ARGV], url)
      expect(refused.stderr).toMatch(/the secure connection failed/)
      const { code, stderr, out } = await exported(
        ['--table', 'secure', ...EVENTS_ARGV],
        `${url}?tls-ca=${LOCALHOST_CERTIFICATE}`,
      )
      expect(code, stderr).toBe(0)
      expect(linesOf(out).sort()).toEqual(await eventLines(clickhouse, 'secure'))
    } finally {
      await front.close()
    }
  })

  test('a user who may change no setting is told which must be others, and one who has them reads', async () => {
    const form = [
      "SET date_time_output_format = 'iso'",
      'SET output_format_decimal_trailing_zeros = 1',
      'SET output_format_json_quote_denormals = 1',
      'SET output_format_json_escape_forward_slashes = 0',
    ]
    const make = ['CREATE TABLE t (id UInt8) ENGINE = Memory', 'INSERT INTO t VALUES (7)']
    const fixed = await ClickHouseHttp.start({ before: [...make, 'SET readonly = 1'] })
    try {
      const { code, stderr } = await exported(['--table', 't', '--key', 'id'], fixed.url)
      expect(code, stderr).toBe(2)
      expect(stderr).toMatch(/may change no setting/)
      expect(stderr).toMatch(/date_time_output_format must be 'iso' and is 'simple'/)
      expect(stderr).toMatch(/readonly = 2/)
    } finally {
      await fixed.close()
    }
    const able = await ClickHouseHttp.start({ before: [...make, ...form, 'SET readonly = 1'] })
    try {
      const { code, stderr, out } = await exported(['--table', 't', '--key', 'id'], able.url)
      expect(code, stderr).toBe(0)
      expect(linesOf(out)).toEqual(['{"id":7}'])
    } finally {
      await able.close()
    }
  })

  test('a profile whose limits cut rows off in silence makes an error, and no short part', async () => {
    const before = [
      'CREATE TABLE t (id UInt32) ENGINE = MergeTree ORDER BY id',
      'INSERT INTO t SELECT number FROM numbers(100000)',
      "SET result_overflow_mode = 'break'",
      'SET max_result_rows = 1000',
    ]
    const cutting = await ClickHouseHttp.start({ before })
    try {
      const { code, stderr } = await exported(['--table', 't', '--key', 'id'], cutting.url)
      expect(code, stderr).toBe(2)
      expect(stderr).toMatch(/\(code 396\)/)
      expect(stderr).toMatch(/read less at once/)
    } finally {
      await cutting.close()
    }
  })

  test('a server that is too old is named with its version', async () => {
    const old = await startClickHouse()
    try {
      const { code, stderr } = await exported(['--table', 't', '--key', 'id'], old.url)
      expect(code, stderr).toBe(2)
      expect(stderr).toMatch(/ClickHouse 18\.16\.\d+ is too old/)
    } finally {
      await old.close()
    }
  })
})

test('what doctor and --list ask: tables, rights, and whether a window reads the whole table', async () => {
  const database = await opened()
  const { signal } = new AbortController()
  try {
    await makeEvents(clickhouse, 'listed', 100_000)
    const { about, mayWrite, now } = await database.info(signal)
    expect(about).toMatch(/^ClickHouse 26\.7\.\d+\.\d+, database default, user default$/)
    expect(mayWrite.join()).toMatch(/INSERT.* on \*\.\*/)
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
    const listed = (await database.tables('default', signal)).find(({ name }) => name === 'listed')
    expect(listed).toMatchObject({ schema: 'default', rows: 100_000, isView: false })
    const relation = { kind: 'table', schema: undefined, name: 'listed' } as const
    const columns = await database.columns(relation, signal)
    expect(columns.map(({ name, time, integer }) => [name, time, integer])).toEqual([
      ['id', undefined, true],
      ['at', 'instant', false],
      ['name', undefined, false],
      ['amount', undefined, false],
    ])
    const span = { start: Date.UTC(2024, 2, 2), end: Date.UTC(2024, 2, 3) }
    const day = { relation, where: { by: 'time', column: columns[1]!, span }, only: [] } as const
    expect(await database.plan(day, signal)).toMatchObject({ scans: false })
    const keyed = { by: 'key', column: columns[0]!, from: 0n, to: 5n } as const
    expect(await database.plan({ ...day, where: keyed }, signal)).toMatchObject({ scans: true })
    expect(await database.span(relation, columns[0]!, signal)).toEqual([
      '18446744073700000000',
      '18446744073700099999',
    ])
  } finally {
    await database.close()
  }
})
