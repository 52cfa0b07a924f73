import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { postgresAddress } from '../../src/sources/postgres/postgres-address.ts'
import { postgresDatabase } from '../../src/sources/postgres/postgres-database.ts'
import type { Database, Slice } from '../../src/sources/sql/database.ts'
import { runCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'
import { DAYS, expectWhole, killedExport, partsOf, sessions } from '../helpers/postgres-exports.ts'
import { TYPES, tableOf } from '../helpers/postgres-values.ts'
import { heldBy, moved, POSTGRES_HELD, POSTGRES_TABLES } from '../helpers/posthog-tables.ts'
import { seeded } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { LOCALHOST_CERTIFICATE } from '../helpers/tls-front.ts'

/* `export postgres` on a real Postgres; what that has is told by psql. */

let server: Postgres
beforeAll(async () => {
  server = await startPostgres()
  await server.psql(`${TYPES}
    ${tableOf('every', { rows: 600, days: 3, random: seeded(seedOf('postgres values')) })}
    CREATE TABLE plain AS SELECT id, created_at, text FROM every;
    CREATE TABLE long AS SELECT g AS id, '2024-03-02'::timestamptz + g * interval '1 s' AS created_at FROM generate_series(1, 20000) g;
    CREATE ROLE reader LOGIN PASSWORD 'only reads'; GRANT SELECT ON every, plain TO reader;
    CREATE SCHEMA "Odd Schema"; CREATE TABLE "Odd Schema"."We""ird täble"
      ("a b" timestamp, "q""uoted" int, "CamelCase" text, "ü" date, "select" int NOT NULL);
    INSERT INTO "Odd Schema"."We""ird täble" VALUES ('2024-03-01 23:59:59.999999', 1, 'a', '2024-03-01', 1),
      ('2024-03-02', 2, 'b', '2024-03-02', 2), (NULL, 3, 'c', 'infinity', 3), ('-infinity', 4, 'd', NULL, 4);`)
})
afterAll(() => server?.close())

function exported(options: readonly string[], out: string, url = server.url()) {
  return runCommand(['export', 'postgres', ...options, '--out', out], { env: { POSTGRES_URL: url } })
}

describe('rows', () => {
  /** The lines that the first test holds against psql. */
  let whole: string[]
  const linesOf = (out: string) => Object.values(partsOf(out)).flat().sort()

  test('of every type come out as psql tells them', async () => {
    const out = testFolder()
    const ran = await exported(
      ['--table', 'every', ...DAYS, '--nulls', 'keep'],
      out,
      server.url('reader', 'only reads'),
    )
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toMatch(/value.* of numeric (?:was|were) NaN or infinite/)
    await expectWhole(server, 'every', out)
    whole = linesOf(out)
  })

  test('are whole after the client was killed again and again', async () => {
    const out = testFolder()
    const argv = [
      'export',
      'postgres',
      '--table',
      'every',
      ...DAYS,
      '--rows-per-part',
      '40',
      '--nulls',
      'keep',
      '--out',
      out,
    ]
    const random = seeded(seedOf('postgres kills'))
    await killedExport(argv, { POSTGRES_URL: server.url() }, { kills: 6, random, server })
    expect(linesOf(out)).toEqual(whole)
    // What a killed client asked for is not computed any longer.
    await expect.poll(() => sessions(server)).toBe(0)
  })

  test('are whole after sessions were ended again and again', async () => {
    const out = testFolder()
    let hasEnded = false
    const running = exported(['--table', 'every', ...DAYS, '--window', '4h', '--nulls', 'keep'], out).finally(
      () => {
        hasEnded = true
      },
    )
    let kills = 0
    while (!hasEnded && kills < 2) {
      kills += Number(
        await server.psql(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'posthaul' AND query LIKE 'FETCH%'",
        ),
      )
    }
    const ran = await running
    expect(ran.code, ran.stderr).toBe(0)
    expect(kills).toBeGreaterThan(0)
    expect(linesOf(out)).toEqual(whole)
  })

  test('that no window has are in a part of their own, and edges in just one', async () => {
    for (const [column, last] of [
      ['a b', '1'],
      ['ü', '1'],
    ]) {
      const out = testFolder()
      const argv = [
        '--table',
        'Odd Schema.We"ird täble',
        '--time-column',
        column!,
        '--from',
        '2024-03-01',
        '--to',
        '2024-03-03',
      ]
      const ran = await exported(argv, out)
      expect(ran.code, ran.stderr).toBe(0)
      const ids = Object.entries(partsOf(out)).map(([name, lines]) => [
        name.split('.').at(-1),
        lines.map((line) => JSON.parse(line).select).sort(),
      ])
      expect(ids).toEqual([
        ['000', [3, 4]],
        ['2024-03-01', [Number(last)]],
        ['2024-03-02', [2]],
      ])
    }
  })

  test('of names with signs, and without a NULL', async () => {
    const out = testFolder()
    const ran = await exported(
      ['--table', 'Odd Schema.We"ird täble', '--key', 'select', '--only', 'CamelCase=c'],
      out,
    )
    expect(ran.code, ran.stderr).toBe(0)
    expect(Object.values(partsOf(out)).flat()).toEqual([
      '{"q\\"uoted":3,"CamelCase":"c","ü":"infinity","select":3}',
    ])
  })

  test('that come late are read when the command is run again', async () => {
    const out = testFolder()
    await server.psql('CREATE TABLE late AS SELECT * FROM plain WHERE false')
    const argv = ['--table', 'late', ...DAYS]
    expect((await exported(argv, out)).code).toBe(0)
    expect(Object.values(partsOf(out)).flat()).toEqual([])
    await server.psql('INSERT INTO late SELECT * FROM plain')
    const ran = await exported(argv, out)
    expect(ran.code, ran.stderr).toBe(0)
    expect(Object.values(partsOf(out)).flat()).toHaveLength(600)
  })

  test('of a column that is added on the way are in the windows after it', async () => {
    const out = testFolder()
    await server.psql('CREATE TABLE grows AS SELECT * FROM plain')
    const argv = (to: string) => [
      '--table',
      'grows',
      '--time-column',
      'created_at',
      '--from',
      '2024-03-01',
      '--to',
      to,
    ]
    expect((await exported(argv('2024-03-02'), out)).code).toBe(0)
    await server.psql('ALTER TABLE grows ADD COLUMN more int DEFAULT 7')
    expect((await exported(argv('2024-03-04'), out)).code).toBe(0)
    const parts = partsOf(out)
    expect(parts['grows.2024-03-01']!.every((line) => !line.includes('"more"'))).toBe(true)
    expect(parts['grows.2024-03-03']!.every((line) => line.endsWith('"more":7}'))).toBe(true)
  })

  test('of a query, between bound ends', async () => {
    const out = testFolder()
    const query = join(out, 'mine.sql')
    writeFileSync(
      query,
      "SELECT id, '; {to}' AS x FROM plain -- from {from}\n WHERE created_at >= {from} AND created_at < {to};\n",
    )
    const ran = await exported(['--query', query, '--from', '2024-03-01', '--to', '2024-03-02'], out)
    expect(ran.code, ran.stderr).toBe(0)
    expect(partsOf(out)['mine.2024-03-01']).toHaveLength(200)
  })
})

describe('a refusal', () => {
  const secret = `p@ss/w:rd?#% "é'`

  test.each<[string, string[], number, RegExp]>([
    ['two columns of a name', ['--query', 'twice.sql', ...DAYS], 2, /two columns are called "id"/],
    [
      'a table that is not there',
      ['--table', 'public.plian', '--key', 'id'],
      2,
      /did you mean public\.plain/,
    ],
    [
      'a table in another schema',
      ['--table', 'We"ird täble', '--key', 'select'],
      2,
      /did you mean Odd Schema\.We"ird täble/,
    ],
    [
      'a column that is not there',
      ['--table', 'plain', '--time-column', 'createdat', '--from', '2024-03-01'],
      2,
      /did you mean created_at/,
    ],
    [
      'a PostHog where there is none',
      ['--like', 'posthog', '--schema', 'public'],
      2,
      /does not have the tables of PostHog.*posthog_persondistinctid/,
    ],
    [
      'a value that is none',
      ['--table', 'every', ...DAYS, '--only', 'enum=none'],
      2,
      /invalid input value for enum/,
    ],
  ])('of %s', async (_, argv, code, words) => {
    const out = testFolder()
    writeFileSync(join(out, 'twice.sql'), 'SELECT id, id, created_at FROM plain')
    const ran = await exported(
      argv.map((word) => (word.endsWith('.sql') ? join(out, word) : word)),
      join(out, 'raw'),
    )
    expect(ran.code, ran.stderr).toBe(code)
    expect(ran.stderr.replaceAll(/\n\s+/g, ' ')).toMatch(words)
  })

  test('of a table without the right to read it', async () => {
    const ran = await exported(
      ['--table', 'long', '--key', 'id'],
      testFolder(),
      server.url('reader', 'only reads'),
    )
    expect(ran.code).toBe(4)
    expect(ran.stderr).toMatch(/permission denied for table long/)
  })

  test('of a password does not show it, and one with every sign lets in', async () => {
    await server.psql(
      `CREATE ROLE odd LOGIN PASSWORD '${secret.replaceAll("'", "''")}'; GRANT SELECT ON plain TO odd`,
    )
    const url = server.url('odd', secret)
    const ran = await exported(['--table', 'plain', ...DAYS], testFolder(), url)
    expect(ran.code, ran.stderr).toBe(0)
    const refused = await exported(
      ['--table', 'plain', ...DAYS],
      testFolder(),
      server.url('odd', `${secret}!`),
    )
    expect(refused.code).toBe(4)
    expect(refused.stderr).toMatch(/password authentication failed/)
    for (const shown of [secret, encodeURIComponent(secret)])
      expect(refused.stderr + refused.stdout).not.toContain(shown)
  })

  test('of a certificate that nobody has vouched for', async () => {
    const url = (mode: string) => `${server.url().replace('127.0.0.1', 'localhost')}?${mode}`
    const refused = await exported(['--table', 'plain', ...DAYS], testFolder(), url('sslmode=require'))
    expect(refused.code, refused.stderr).toBe(2)
    expect(refused.stderr).toMatch(/sslrootcert/)
    for (const mode of [`sslrootcert=${LOCALHOST_CERTIFICATE}`, 'sslmode=no-verify']) {
      const ran = await exported(['--table', 'plain', ...DAYS], testFolder(), url(mode))
      expect(ran.code, ran.stderr).toBe(0)
    }
  })
})

test('a unix socket serves, too', async () => {
  const url = `postgres://postgres@/shop?host=${server.socket}&port=${server.port}`
  const ran = await exported(['--table', 'plain', ...DAYS], testFolder(), url)
  expect(ran.code, ran.stderr).toBe(0)
})

describe('the database', () => {
  let database: Database
  const { signal } = new AbortController()
  const slow: Slice = {
    relation: { kind: 'query', name: 'slow', text: 'SELECT pg_sleep(600)' },
    where: { by: 'all', order: undefined },
    only: [],
  }
  const open = async (timeoutMs: number, url = server.url()) =>
    postgresDatabase(await postgresAddress({ env: { POSTGRES_URL: url }, stdin: process.stdin }), timeoutMs)
  beforeEach(async () => {
    database = await open(300_000)
  })
  afterEach(() => database.close())

  const whenActive = () =>
    expect.poll(() => sessions(server, "state = 'active' AND query LIKE '%pg_sleep%'"), { timeout: 60_000 })

  test('ends a statement that takes too long, and says what to do', async () => {
    const impatient = await open(patience(1000))
    await expect(impatient.count(slow, signal)).rejects.toMatchObject({
      fate: 'stop',
      hint: expect.stringContaining('--timeout'),
    })
    await impatient.close()
  })

  test('has a statement that others cancel tried again', async () => {
    const counting = database.count(slow, signal)
    counting.catch(() => undefined)
    await whenActive().toBe(1)
    await server.psql(
      "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'posthaul'",
    )
    await expect(counting).rejects.toMatchObject({ fate: 'retry', cause: { code: '57014' } })
  })

  test('stops what the server computes when it is interrupted', async () => {
    const interrupt = new AbortController()
    const counting = database.count(slow, interrupt.signal)
    counting.catch(() => undefined)
    await whenActive().toBe(1)
    interrupt.abort()
    await expect(counting).rejects.toMatchObject({ code: 'interrupted' })
    await whenActive().toBe(0)
  })

  test('reads a snapshot: rows that come meanwhile are neither counted nor read', async () => {
    await server.psql('CREATE TABLE meanwhile AS SELECT * FROM long')
    const counts: number[] = []
    let rows = 0
    let changed: Promise<string> | undefined
    const slice: Slice = { ...slow, relation: { kind: 'table', schema: undefined, name: 'meanwhile' } }
    const call = {
      signal,
      columns: () => {},
      notFinite: () => {},
      notText: () => {},
      counted: (count: number) => void counts.push(count),
    }
    for await (const batch of database.read(slice, call)) {
      rows += batch.length
      changed ??= server.psql('INSERT INTO meanwhile SELECT * FROM long')
      await changed
      expect(batch.every((row) => row.length === 2)).toBe(true)
    }
    expect([rows, counts]).toEqual([20_000, [20_000]])
    expect(await database.count(slice, signal)).toBe(40_000)
  })

  test('that ended a session is told so in the middle of reading', async () => {
    const slice: Slice = { ...slow, relation: { kind: 'table', schema: undefined, name: 'long' } }
    const call = { signal, columns: () => {}, notFinite: () => {}, notText: () => {}, counted: () => {} }
    const reading = async () => {
      for await (const _ of database.read(slice, call)) {
        await server.psql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'posthaul'",
        )
      }
    }
    await expect(reading()).rejects.toMatchObject({
      fate: 'retry',
      message: expect.stringContaining('57P01'),
    })
  })

  test('lists what there is, partitioned tables once', async () => {
    await server.psql(`CREATE SCHEMA parts;
      CREATE TABLE parts.days (id int NOT NULL, at timestamptz NOT NULL) PARTITION BY RANGE (at);
      CREATE TABLE parts.day1 PARTITION OF parts.days FOR VALUES FROM ('2024-03-01+00') TO ('2024-03-02+00');
      CREATE TABLE parts.day2 PARTITION OF parts.days FOR VALUES FROM ('2024-03-02+00') TO ('2024-03-03+00');
      INSERT INTO parts.days SELECT g, '2024-03-01+00'::timestamptz + g * interval '1 s' FROM generate_series(0, 172799) g;
      CREATE VIEW parts.seen AS SELECT * FROM parts.days; CREATE MATERIALIZED VIEW parts.kept AS SELECT * FROM parts.days LIMIT 7;
      CREATE TABLE parts.new (id int); ANALYZE parts.day1, parts.day2, parts.kept; ANALYZE parts.days`)
    const tables = await database.tables('parts', signal)
    expect(tables.map(({ name, rows, isView }) => [name, rows, isView])).toEqual([
      ['days', 172_800, false],
      ['kept', 7, true],
      ['new', undefined, false],
      ['seen', undefined, true],
    ])
    expect(tables[0]!.bytes).toBeGreaterThan(5_000_000)
    const relation = { kind: 'table', schema: 'parts', name: 'days' } as const
    const [, column] = await database.columns(relation, signal)
    expect(column).toMatchObject({
      type: 'timestamp with time zone',
      nullable: false,
      time: 'instant',
      integer: false,
    })
    expect(await database.span(relation, column!, signal)).toEqual([
      '2024-03-01 00:00:00+00',
      '2024-03-02 23:59:59+00',
    ])
    const start = Date.UTC(2024, 2, 1)
    const hour: Slice = {
      relation,
      where: { by: 'time', column: column!, span: { start, end: start + 3_600_000 } },
      only: [],
    }
    expect(await database.plan(hour, signal)).toMatchObject({
      scans: true,
      text: expect.stringContaining('Seq Scan on day1'),
    })
    await server.psql('CREATE INDEX days_at ON parts.days (at)')
    expect(await database.plan(hour, signal)).toMatchObject({
      scans: false,
      text: expect.stringContaining('day1_at_idx'),
    })
  })

  test('tells what a user may do', async () => {
    expect((await database.info(signal)).mayWrite.join()).toMatch(
      /is a superuser,may change rows of .*,may create tables in .*,may create schemas/,
    )
    const only = await open(300_000, server.url('reader', 'only reads'))
    const { about, mayWrite, now } = await only.info(signal)
    await only.close()
    expect(about).toMatch(/^Postgres \d+\S* .*database shop, user reader$/)
    expect(mayWrite).toEqual([])
    expect(Math.abs(now - Date.now())).toBeLessThan(3_600_000)
  })
})

test('an export is imported and verified, and equals that of the same rows in files', async () => {
  await server.psql(`CREATE SCHEMA web;
    CREATE TABLE web.order_completed (id text, received_at timestamptz, "timestamp" timestamptz, user_id text, anonymous_id text,
      event text, event_text text, revenue numeric, big int8, paid bool, context_page_url text);
    CREATE TABLE web.pages (id text, received_at timestamptz, "timestamp" timestamptz, anonymous_id text, name text, url text);
    INSERT INTO web.order_completed SELECT 'o' || g, t + interval '1 s', t, 'u' || g % 40, 'a' || g % 50, 'order_completed',
      'Order Completed', g * 1.10, 9007199254740993 + g, g % 2 = 0, 'https://shop.example/' || g
      FROM (SELECT g, '2024-03-01+00'::timestamptz + g * interval '101.00001 s' + interval '3 microseconds' AS t FROM generate_series(1, 2000) g) AS rows;
    INSERT INTO web.pages SELECT 'p' || g, t, t, 'a' || g % 50, CASE WHEN g % 3 = 0 THEN 'Home' END, 'https://shop.example/'
      FROM (SELECT g, '2024-03-01+00'::timestamptz + g * interval '87.00001 s' + interval '3 microseconds' AS t FROM generate_series(1, 2000) g) AS rows`)
  const folder = testFolder()
  const raw = join(folder, 'raw')
  const tables = ['--table', 'web.order_completed', 'web.pages', '--time-column', 'received_at']
  const ran = await exported([...tables, '--from', '2024-03-01', '--to', '2024-03-05'], raw)
  expect(ran.code, ran.stderr).toBe(0)
  const iso = (column: string) =>
    `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "${column.replaceAll('"', '')}"`
  for (const [table, columns] of [
    ['order_completed', 'user_id, anonymous_id, event, event_text, revenue, big, paid, context_page_url'],
    ['pages', 'anonymous_id, name, url'],
  ]) {
    const sql = `SELECT json_strip_nulls(row_to_json(o)) FROM (SELECT id, ${iso('received_at')}, ${iso('"timestamp"')}, ${columns} FROM web.${table}) o`
    writeFileSync(join(folder, `${table}.ndjson`), await server.psql(sql))
  }
  const files = ['order_completed', 'pages'].map((table) => join(folder, `${table}.ndjson`))
  for (const [out, input] of [
    ['from-tables', [raw]],
    ['from-files', files],
  ] as const) {
    const made = await runCli([
      'transform',
      '--preset',
      'segment-warehouse',
      '--in',
      ...input,
      '--out',
      join(folder, out),
    ])
    expect(made.code, made.stderr).toBe(0)
  }
  // Which import an event came by is all that may differ.
  const events = (out: string) =>
    readSoundDataset(join(folder, out))
      .lines.map((line) => line.replace(/"\$?import_id":"[^"]*"/, ''))
      .sort()
  // Besides the rows, an $identify for each of 50 visitors.
  expect(events('from-tables')).toHaveLength(4050)
  expect(events('from-tables')).toEqual(events('from-files'))
  const sandbox = await startSandbox()
  const env = sandboxEnv(sandbox)
  const fast = ['--approved', '--max-events-per-minute', '10000000']
  for (const argv of [['import', ...fast], ['verify']]) {
    const done = await runCli([...argv, '--dataset', join(folder, 'from-tables')], env)
    expect(done.code, done.stderr + done.stdout).toBe(0)
  }
  await sandbox.close()
})

test("a PostHog's persons, with all their ids, and its groups, with the names of their types, are moved", async () => {
  await server.psql(POSTGRES_TABLES)
  const { held } = await moved({
    engine: 'postgres',
    env: { POSTGRES_URL: server.url() },
    folder: testFolder(),
  })
  expect(held).toEqual(await heldBy(POSTGRES_HELD, (sql) => server.psql(sql)))
  expect(held.persons).toHaveLength(3)
  expect(held.groups).toHaveLength(3)
})
