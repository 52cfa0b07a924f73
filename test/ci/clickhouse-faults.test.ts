import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli, startCli } from '../helpers/cli-process.ts'
import { EVENTS_ARGV, eventLines, linesOf, makeEvents } from '../helpers/clickhouse-export.ts'
import { type AnswerFault, ClickHouseHttp } from '../helpers/clickhouse-http.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { makeFolder } from '../helpers/folder.ts'
import { freePort } from '../helpers/free-port.ts'
import { patience } from '../helpers/patience.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

const ROWS = 20_000

const folder = makeFolder()
let clickhouse: ClickHouseHttp
let env: Record<string, string>
beforeAll(async () => {
  clickhouse = await ClickHouseHttp.start()
  env = { CLICKHOUSE_URL: clickhouse.url }
  await makeEvents(clickhouse, 'events', ROWS)
})
afterAll(() => clickhouse?.close())

let outs = 0
const argvOf = (table: string, ...more: readonly string[]) => {
  const out = join(folder, `out-${outs++}`)
  const argv = ['export', 'clickhouse', '--table', table, ...EVENTS_ARGV, '--out', out, ...more]
  return { argv, out }
}

const isOfRows = (sql: string) => sql.startsWith('SELECT * FROM')

const BUSY =
  'Code: 202. DB::Exception: Too many simultaneous queries. (TOO_MANY_SIMULTANEOUS_QUERIES) (version 26.7.2.1)'
const LATE =
  'Code: 159. DB::Exception: Timeout exceeded: elapsed 60 seconds. (TIMEOUT_EXCEEDED) (version 26.7.2.1)'

test('an answer that breaks off in any form is never taken for whole', async () => {
  const kinds = ['row', 'text', 'tag', 'broken tag', 'cut', 'short'] as const
  // In the middle of a row, between two, in the head, and after the last one.
  const faults = kinds.flatMap((kind, at): AnswerFault[] => {
    const after = [25_000, 40_017, 30, 1_000_000][at % 4]!
    return [{ kind, after, text: BUSY }, {}]
  })
  clickhouse.fail(...faults)
  const { argv, out } = argvOf('events')
  const { code, stderr } = await runCli(argv, env)
  expect(code, stderr).toBe(0)
  expect(linesOf(out).sort()).toEqual(await eventLines(clickhouse, 'events'))
  expect(stderr).toMatch(/Too many simultaneous queries/)
})

// Where the connection breaks after the words, they may be lost with it: then the window is asked for again.
test.each(['row', 'text', 'tag'] as const)(
  'the words of an error in mid-stream are shown, in the form %s, and what to do',
  async (kind) => {
    clickhouse.fail({ kind, after: 30_011, text: LATE })
    const { argv, out } = argvOf('events')
    const { code, stderr } = await runCli(argv, env)
    expect(code, stderr).toBe(2)
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /Timeout exceeded: elapsed 60 seconds.*\(code 159\).*smaller --window/,
    )
    expect(readdirSync(out).filter((name) => name.startsWith('events.2024-03-01'))).toEqual([])
  },
)

test('a server that falls silent is given up, and asked again', async () => {
  clickhouse.fail({ kind: 'silent', after: 20_000 })
  const { argv, out } = argvOf('events', '--timeout', '4s')
  const { code, stderr } = await runCli(argv, env)
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(/no complete answer in time/)
  expect(linesOf(out)).toHaveLength(ROWS)
})

test('an interrupted export has its statement cancelled', async () => {
  const before = await clickhouse.cancelled()
  clickhouse.fail({ slow: 200 })
  const { argv } = argvOf('events', '--window', '24h')
  const cli = startCli(argv, env)
  clickhouse.onRequest = (sql) => {
    if (isOfRows(sql)) cli.kill('SIGTERM')
  }
  const { code, stderr } = await cli.ended
  clickhouse.onRequest = () => undefined
  expect(code, stderr).toBe(143)
  // The server sees that its client is gone with the next piece of the answer.
  await expect.poll(() => clickhouse.cancelled(), { timeout: patience(10_000) }).toBe(before + 1)
})

const LATE_ROW = `INSERT INTO changing SELECT 1, toDateTime('2024-03-01 01:00:00', 'UTC'), 'late', 1, 'blue'`

test('rows that come late, and a column that comes on the way, are in the export', async () => {
  await makeEvents(clickhouse, 'changing', 2000)
  let windows = 0
  clickhouse.onRequest = (sql) => {
    if (!isOfRows(sql)) return
    windows++
    if (windows === 4) void clickhouse.run("ALTER TABLE changing ADD COLUMN colour String DEFAULT 'red'")
    // Into the first window, which has been read.
    if (windows === 6) void clickhouse.run(LATE_ROW)
  }
  const { argv, out } = argvOf('changing')
  const { code, stderr } = await runCli(argv, env)
  clickhouse.onRequest = () => undefined
  expect(code, stderr).toBe(0)
  const lines = linesOf(out)
  expect(lines).toHaveLength(2001)
  expect(lines.filter((line) => line.includes('"colour":"blue"'))).toHaveLength(1)
  // Windows that were read before the column was there lack it, but for the one that was read again.
  const withColour = lines.filter((line) => line.includes('"colour":'))
  expect(withColour.length).toBeGreaterThan(1000)
  expect(withColour.length).toBeLessThan(2001)
})

test('the same command goes on after the server was killed', async () => {
  const port = await freePort()
  const path = join(folder, 'server')
  const start = () => ClickHouseHttp.start({ port, path })
  let server = await start()
  await makeEvents(server, 'events', ROWS)
  const { argv, out } = argvOf('events', '--retry-for', '1s')
  let windows = 0
  let killed: Promise<void> | undefined
  server.onRequest = (sql) => {
    if (isOfRows(sql) && ++windows === 4) killed = server.kill()
  }
  const first = await runCli(argv, { CLICKHOUSE_URL: server.url })
  await killed
  expect(first.code, first.stderr).toBe(5)
  server = await start()
  try {
    const second = await runCli(argv, { CLICKHOUSE_URL: server.url })
    expect(second.code, second.stderr).toBe(0)
    expect(linesOf(out).sort()).toEqual(await eventLines(server, 'events'))
  } finally {
    await server.close()
  }
})

test('the same command goes on after the client was killed, 6 times', async () => {
  const { argv, out } = argvOf('events')
  const random = seeded(seedOf('clickhouse kills'))
  await exportUnderKills({ argv, env, fake: clickhouse, random, kills: 6 })
  expect(linesOf(out).sort()).toEqual(await eventLines(clickhouse, 'events'))
})
