import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import type { Database, Relation, Slice } from '../../src/sources/sql/database.ts'
import { runCli, startCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { type MariaDb, startMariaDb } from '../helpers/mariadb.ts'
import { eventLines, FIRST_DAY, linesIn, makeEvents, partLines } from '../helpers/mariadb-events.ts'
import { checkTypes, linesOf, makeTypeTable, openMysql, wholeTable } from '../helpers/mariadb-types.ts'
import { patience } from '../helpers/patience.ts'
import { seeded } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'
import { LOCALHOST_CERTIFICATE } from '../helpers/tls-front.ts'

/* `export mysql` on a real MariaDB, whose zone, character set, modes and patience are odd on purpose. */

const DAY = 86_400_000
const ROWS = 60_000
const DAYS = 12
/** How long a server may be silent where that is tried. */
const QUIET = patience(250)
const PASSWORD = 'p@ss:/?#[]%27\'"\\ü €&='

let server: MariaDb
let database: Database
beforeAll(async () => {
  server = await startMariaDb(
    ...['--net-write-timeout=1', '--sql-mode=NO_BACKSLASH_ESCAPES,ANSI_QUOTES'],
    ...[
      `--ssl-cert=${LOCALHOST_CERTIFICATE}`,
      `--ssl-key=${LOCALHOST_CERTIFICATE.replace('localhost', 'key')}`,
    ],
  )
  await makeEvents(server, ROWS, DAYS)
  await server.run(`
    CREATE USER reader IDENTIFIED BY '${PASSWORD.replaceAll("'", "''")}';
    GRANT SELECT ON shop.* TO reader;
    CREATE USER writer IDENTIFIED BY 'writer'; GRANT SELECT (id), INSERT ON shop.events TO writer`)
  database = await openMysql(server.url('reader', PASSWORD))
})
afterAll(() => server?.close())

const env = () => ({ MYSQL_URL: server.url('reader', PASSWORD) })
const DATED = ['--time-column', 'created_at', '--from', '2024-03-01', '--to', '2024-03-13']
const { signal } = new AbortController()
const slow: Relation = { kind: 'query', name: 'slow', text: 'SELECT SLEEP(1000) AS s' }
const whole = (relation: Relation): Slice => ({ relation, where: { by: 'all', order: undefined }, only: [] })

/** Without what a dataset has beside its events. */
const eventsIn = (folder: string) => partLines(folder).filter((line) => line.startsWith('{"uuid"'))

async function errorOf(work: Promise<unknown>): Promise<PosthaulError> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error instanceof PosthaulError) return error
  throw new Error(`expected a PosthaulError, and there was ${String(error)}`)
}

/** The statements of `reader` that run now, as their ids. */
async function running(): Promise<string[]> {
  const text = await server.run(
    "SELECT ID FROM information_schema.PROCESSLIST WHERE USER = 'reader' AND COMMAND = 'Query'",
  )
  return text.split('\n').slice(0, -1)
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await wait(20)
}

test('values of every type are what another client says they are', async () => {
  await makeTypeTable(server)
  await checkTypes(server, database, { first: 1, rows: 1000, random: seeded(seedOf('types of MariaDB')) })
})

describe('a session that breaks', () => {
  const events = wholeTable('events')

  test.each(['KILL', 'KILL QUERY'])('%s ends a reading with an error to try again', async (kill) => {
    let batches = 0
    const reading = linesOf(database, events, {
      batch: async () => {
        if (++batches !== 2) return
        for (const id of await running()) await server.run(`${kill} ${id}`)
      },
    })
    const error = await errorOf(reading)
    expect(error).toMatchObject({ code: 'unavailable', fate: 'retry' })
    expect((await linesOf(database, events)).lines).toHaveLength(ROWS)
  })

  test('a server that dies ends a reading, and gives all rows when it is back', async () => {
    let batches = 0
    const reading = linesOf(database, events, {
      batch: async () => {
        if (++batches === 2) await server.killAndRestart()
      },
    })
    const error = await errorOf(reading)
    expect(error).toMatchObject({ code: 'unavailable', fate: 'retry' })
    // Silence would end it, too, but only after a while.
    expect(error.message).not.toMatch(/silent/)
    const { lines, counted } = await linesOf(database, events)
    expect([lines.length, counted]).toEqual([ROWS, ROWS])
  })

  test('a network that is silent ends a reading', async () => {
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const through = server.url('reader', PASSWORD).replace(`:${server.port}/`, `:${proxy.port}/`)
    const reading = linesOf(await openMysql(through, QUIET), events, { batch: async () => proxy.silence() })
    expect(await errorOf(reading)).toMatchObject({
      fate: 'retry',
      message: expect.stringMatching(/silent for/),
    })
  })

  test('an interruption stops the statement at the server', async () => {
    const controller = new AbortController()
    const counting = errorOf(database.count(whole(slow), controller.signal))
    await until(async () => (await running()).length > 0)
    controller.abort()
    expect((await counting).code).toBe('interrupted')
    expect(await running()).toEqual([])
  })

  test('a statement that takes longer than --timeout is stopped by the server', async () => {
    const error = await errorOf((await openMysql(server.url(), QUIET)).count(whole(slow), signal))
    expect(error).toMatchObject({ code: 'unavailable', fate: 'stop', message: expect.stringMatching(/1969/) })
    expect(error.hint).toMatch(/--window/)
  })

  test('a slow reader is waited for, longer than --timeout and longer than the server likes', async () => {
    let batches = 0
    const { lines } = await linesOf(await openMysql(server.url(), QUIET), events, {
      batch: async () => {
        if (++batches === 2) await wait(QUIET + 2500)
      },
    })
    expect(lines).toHaveLength(ROWS)
  })
})

describe('an export', () => {
  test('becomes the events of the file route, and arrives', async () => {
    const folder = testFolder()
    const at = (name: string) => join(folder, name)
    const days = ['--time-column', 'created_at', '--from', '2024-03-01', '--to', '2024-03-03']
    const exported = await runCli(
      ['export', 'mysql', '--table', 'events', ...days, '--out', at('raw')],
      env(),
    )
    expect(exported.code, exported.stderr).toBe(0)
    const lines = (await eventLines(server)).slice(0, (ROWS / DAYS) * 2)
    expect(partLines(at('raw'))).toEqual(lines)
    writeFileSync(at('rows.ndjson'), lines.map((line) => `${line}\n`).join(''))
    writeFileSync(
      at('map.yaml'),
      'fields: { event: name, distinct_id: user_id, timestamp: created_at, uuid: id }\n',
    )
    for (const [from, to] of [
      ['raw', 'events'],
      ['rows.ndjson', 'other'],
    ] as const) {
      const made = await runCli(['transform', '--map', at('map.yaml'), '--in', at(from), '--out', at(to)])
      expect(made.code, made.stderr).toBe(0)
    }
    const events = eventsIn(at('events'))
    expect(events).toHaveLength(lines.length)
    expect(events).toEqual(eventsIn(at('other')))
    const sandbox = await startSandbox()
    onTestFinished(() => sandbox.close())
    const fast = ['--approved', '--max-events-per-minute', '10000000']
    const sent = await runCli(['import', '--dataset', at('events'), ...fast], sandboxEnv(sandbox))
    expect(sent.code, sent.stderr).toBe(0)
    const verified = await runCli(['verify', at('events')], sandboxEnv(sandbox))
    expect(verified.code, verified.stderr).toBe(0)
  })

  test('is whole after its process was killed again and again', async () => {
    const proxy = await startTcpProxy(server.port)
    onTestFinished(() => proxy.close())
    const out = join(testFolder(), 'raw')
    const through = env().MYSQL_URL.replace(`:${server.port}/`, `:${proxy.port}/`)
    await exportUnderKills({
      argv: ['export', 'mysql', '--table', 'events', ...DATED, '--out', out],
      env: { MYSQL_URL: through },
      fake: proxy,
      random: seeded(seedOf('kills of an export of MariaDB')),
      kills: 6,
    })
    expect(partLines(out)).toEqual(await eventLines(server))
  })

  test('goes on when the server was killed and started again', async () => {
    const out = join(testFolder(), 'raw')
    const pace = ['--rows-per-second', '20000']
    const cli = startCli(['export', 'mysql', '--table', 'events', ...DATED, '--out', out, ...pace], env())
    await until(async () => existsSync(out) && readdirSync(out).some((name) => name.startsWith('events.')))
    await server.killAndRestart()
    const { code, stderr } = await cli.ended
    expect(code, stderr).toBe(0)
    expect(partLines(out)).toEqual(await eventLines(server))
  })

  test('takes a column that was added, and a row that came late', async () => {
    await server.run(`CREATE TABLE grows AS SELECT id, created_at FROM events WHERE id % 1000 = 0;
      ALTER TABLE grows ADD PRIMARY KEY (id)`)
    const out = join(testFolder(), 'raw')
    const argv = ['export', 'mysql', '--table', 'grows', ...DATED, '--out', out, '--rows-per-second', '20']
    const cli = startCli(argv, env())
    await until(async () => existsSync(join(out, 'grows.2024-03-02.ndjson.gz')))
    await server.run(`ALTER TABLE grows ADD COLUMN plan VARCHAR(9) DEFAULT 'new';
      INSERT INTO grows VALUES (1, '2024-03-01 00:00:00', 'late')`)
    const { code, stderr } = await cli.ended
    expect(code, stderr).toBe(0)
    const lines = partLines(out)
    expect(lines).toHaveLength(61)
    expect(lines).toContain('{"id":1,"created_at":"2024-03-01 00:00:00.000000","plan":"late"}')
    expect(lines.at(-1)).toContain('"plan":"new"')
  })

  test('keeps rows without a time in a part of their own', async () => {
    await server.run(`SET sql_mode = '';
      CREATE TABLE times (id INT, at DATETIME(3), ts TIMESTAMP NULL, d DATE);
      INSERT INTO times VALUES (1, NULL, NULL, NULL), (2, '0000-00-00', '0000-00-00', '0000-00-00'),
        (3, '2024-03-01 00:00:00', '2024-03-01 05:30:00', '2024-03-01'),
        (4, '2024-03-01 23:59:59.999', '2024-03-02 05:29:59', '2024-03-01'),
        (5, '2024-03-02', '2024-03-02 05:30:00', '2024-03-02'), (6, '2024-03-03', '2024-03-03 05:30:00', '2024-03-03')`)
    for (const column of ['at', 'ts', 'd']) {
      const out = join(testFolder(), 'raw')
      const argv = ['--table', 'times', '--time-column', column, '--from', '2024-03-01', '--to', '2024-03-03']
      const done = await runCommand(['export', 'mysql', ...argv, '--out', out], { env: env() })
      expect(done.code, done.stderr).toBe(0)
      const parts = readdirSync(out).filter((name) => name.endsWith('.gz'))
      const ids = parts.map((part) => linesIn(join(out, part)).map((line) => JSON.parse(line).id))
      expect(Object.fromEntries(parts.map((part, at) => [part, ids[at]]))).toEqual({
        'times.000.ndjson.gz': [1, 2],
        'times.2024-03-01.ndjson.gz': [3, 4],
        'times.2024-03-02.ndjson.gz': [5],
      })
    }
  })

  test('takes names and values with quotes, blanks and signs, whatever the modes of the server', async () => {
    const table = 'we`ird "täble" \\ x'
    const column = 'a `b` "c" ü'
    const value = `it's a \\ "back" 'slash' ?`
    const quoted = (name: string) => `\`${name.replaceAll('`', '``')}\``
    await server.run(`CREATE TABLE ${quoted(table)} (id INT PRIMARY KEY, ${quoted(column)} VARCHAR(50));
      INSERT INTO ${quoted(table)} VALUES (1, 'other'), (2, '${value.replaceAll("'", "''")}')`)
    const out = join(testFolder(), 'raw')
    const argv = ['--table', `shop.${table}`, '--key', 'id', '--only', `${column}=${value}`, '--out', out]
    const done = await runCommand(['export', 'mysql', ...argv], { env: env() })
    expect(done.code, done.stderr).toBe(0)
    expect(partLines(out)).toEqual([JSON.stringify({ id: 2, [column]: value })])
  })

  test('takes an empty table, and a query with a question mark and ends', async () => {
    await server.run('CREATE TABLE empty (id INT PRIMARY KEY)')
    const folder = testFolder()
    writeFileSync(
      join(folder, 'rows.sql'),
      "SELECT id, '?' AS q FROM events WHERE created_at >= {from} AND created_at < {to} AND id < 3;\n",
    )
    for (const [name, argv, lines] of [
      ['empty', ['--table', 'empty', '--key', 'id'], []],
      [
        'rows',
        ['--query', join(folder, 'rows.sql'), '--from', '2024-03-01', '--to', '2024-03-02'],
        ['{"id":1,"q":"?"}', '{"id":2,"q":"?"}'],
      ],
    ] as const) {
      const out = join(folder, name)
      const done = await runCommand(['export', 'mysql', ...argv, '--out', out], { env: env() })
      expect(done.code, done.stderr).toBe(0)
      expect(partLines(out)).toEqual(lines)
    }
  })

  test.each([
    ['a table', ['--table', 'event', '--key', 'id'], 2, /1146.*did you mean events\?/s],
    ['a column', ['--table', 'events', '--key', 'ids'], 2, /no column "ids".*did you mean id\?/s],
    ['a restriction', ['--table', 'events', '--key', 'id', '--only', 'id=true'], 2, /give a whole number/],
    ['a right', ['--table', 'mysql.user', '--key', 'id'], 4, /1142.*GRANT SELECT/s],
  ] as const)('says what is wrong with %s', async (_, argv, code, words) => {
    const out = join(testFolder(), 'raw')
    const done = await runCommand(['export', 'mysql', ...argv, '--out', out], { env: env() })
    expect(done.code, done.stderr).toBe(code)
    expect(done.stderr.replaceAll(/\s+/g, ' ')).toMatch(words)
    expect(done.stderr).not.toContain(PASSWORD)
  })
})

describe('what is known of a server', () => {
  test('its tables, and the rights that a user has too many', async () => {
    const names = (await database.tables(undefined, signal)).map(({ schema, name }) => `${schema}.${name}`)
    expect(names).toContain('shop.events')
    expect(names.every((name) => name.startsWith('shop.'))).toBe(true)
    const info = await database.info(signal)
    expect(info.about).toMatch(/^MariaDB \d+\.\d+\.\d+, database shop, user reader@%$/)
    expect(info.mayWrite).toEqual([])
    expect(Math.abs(info.now - Date.now())).toBeLessThan(60_000)
    const writer = await (await openMysql(server.url('writer', 'writer'))).info(signal)
    expect(writer.mayWrite).toEqual(['INSERT on shop.events'])
    expect((await (await openMysql(server.url())).info(signal)).mayWrite).toContain('ALL PRIVILEGES on *.*')
  })

  test('whether a window would scan a table', async () => {
    // A server that was killed has forgotten how many rows there are.
    await server.run('ANALYZE TABLE events')
    const relation: Relation = { kind: 'table', schema: 'shop', name: 'events' }
    const columns = await database.columns(relation, signal)
    const named = (wanted: string) => columns.find(({ name }) => name === wanted)!
    const span = { name: '', start: FIRST_DAY, end: FIRST_DAY + DAY }
    const plan = await database.plan(
      { relation, where: { by: 'time', column: named('created_at'), span }, only: [] },
      signal,
    )
    expect(plan).toMatchObject({
      scans: false,
      text: expect.stringMatching(/^events: range, created_at, about \d+ rows$/),
    })
    const scan = await database.plan(
      { relation, where: { by: 'no time', column: named('name') }, only: [] },
      signal,
    )
    expect(scan).toMatchObject({ scans: true, text: expect.stringMatching(/^events: ALL, no index/) })
    expect(await database.span(relation, named('id'), signal)).toEqual(['1', String(ROWS)])
  })

  test('a wrong password is refused, and never shown', async () => {
    const error = await errorOf((await openMysql(server.url('reader', 'wrong password'))).info(signal))
    expect(error).toMatchObject({ code: 'auth', fate: 'stop' })
    expect(`${error.message} ${error.hint} ${String(error.cause)}`).not.toContain('wrong password')
  })

  test('TLS is used and verified where it is asked for', async () => {
    const cipher: Relation = {
      kind: 'query',
      name: 'tls',
      text: "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'",
    }
    const url = env().MYSQL_URL.replace('127.0.0.1', 'localhost')
    const read = async (options: string) =>
      (await linesOf(await openMysql(url + options), whole(cipher))).lines
    expect(await read('')).toEqual(['{"VARIABLE_VALUE":""}'])
    expect(await read(`?tls-ca=${LOCALHOST_CERTIFICATE}`)).not.toEqual(['{"VARIABLE_VALUE":""}'])
    const refused = await errorOf(read('?tls=verify'))
    expect(refused).toMatchObject({ code: 'config', hint: expect.stringMatching(/tls-ca/) })
  })

  test('a session may not write, even as root', async () => {
    await server.run(`CREATE TABLE written (id INT);
      DELIMITER //
      CREATE FUNCTION writes() RETURNS INT BEGIN INSERT INTO written VALUES (1); RETURN 1; END //`)
    const root = await openMysql(server.url())
    const statement = (text: string) => whole({ kind: 'query', name: 'w', text })
    const error = await errorOf(linesOf(root, statement('SELECT writes() AS w')))
    expect(error).toMatchObject({ code: 'config', message: expect.stringMatching(/1792/) })
    const second = statement('SELECT 1) AS x; DROP TABLE written; SELECT * FROM (SELECT 1')
    expect((await errorOf(linesOf(root, second))).message).toMatch(/1064/)
    expect(await server.run('SELECT COUNT(*) FROM written')).toBe('0\n')
  })
})
