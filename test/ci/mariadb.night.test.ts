import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { type MariaDb, startMariaDb } from '../helpers/mariadb.ts'
import { eventLines, makeEvents, partLines } from '../helpers/mariadb-events.ts'
import { checkTypes, makeTypeTable, openMysql } from '../helpers/mariadb-types.ts'
import { patience } from '../helpers/patience.ts'
import { peakMib, TELLS_PEAK } from '../helpers/peak-memory.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { startTcpProxy } from '../helpers/tcp-proxy.ts'

/* What test/ci/mariadb.test.ts tries, in large. */

const LONG = patience(3_600_000)

let server: MariaDb
beforeAll(async () => {
  server = await startMariaDb()
})
afterAll(() => server?.close())

test('a million rows of every type are what another client says they are', { timeout: LONG }, async () => {
  await makeTypeTable(server)
  const database = await openMysql(server.url())
  const random = seeded(seedOf('a million rows of MariaDB'))
  const rows = 20_000
  for (let first = 0; first < 1_000_000; first += rows) {
    await checkTypes(server, database, { first, rows, random })
    await server.run('TRUNCATE every_type')
  }
})

test('an export is whole after 40 kills', { timeout: LONG }, async () => {
  await makeEvents(server, 60_000, 12)
  const proxy = await startTcpProxy(server.port)
  onTestFinished(() => proxy.close())
  const out = join(testFolder(), 'raw')
  const dated = ['--time-column', 'created_at', '--from', '2024-03-01', '--to', '2024-03-13']
  await exportUnderKills({
    argv: ['export', 'mysql', '--table', 'events', ...dated, '--out', out],
    env: { MYSQL_URL: server.url().replace(`:${server.port}/`, `:${proxy.port}/`) },
    fake: proxy,
    random: seeded(seedOf('many kills of an export of MariaDB')),
    kills: 40,
  })
  expect(partLines(out)).toEqual(await eventLines(server))
})

test('memory does not grow with the rows of a part', { timeout: LONG }, async () => {
  const peaks: number[] = []
  for (const rows of [1_000_000, 10_000_000]) {
    await server.run('DROP TABLE IF EXISTS events')
    await makeEvents(server, rows, 1)
    const whole = ['--table', 'events', '--key', 'id', '--rows-per-part', '100000000']
    const out = join(testFolder(), 'raw')
    const env = { ...TELLS_PEAK, MYSQL_URL: server.url() }
    const done = await runCli(['export', 'mysql', ...whole, '--out', out, '--no-reconcile'], env)
    expect(done.code, done.stderr).toBe(0)
    peaks.push(peakMib(done.stderr))
  }
  console.log(`peaks of 1 and 10 million rows: ${peaks.map(Math.round).join(' and ')} MiB`)
  expect(peaks[1]! - peaks[0]!).toBeLessThan(50)
})
