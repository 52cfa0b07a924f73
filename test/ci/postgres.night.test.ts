import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { peakOf } from '../helpers/peak.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'
import { DAYS, expectWhole, killedExport } from '../helpers/postgres-exports.ts'
import { TYPES, tableOf } from '../helpers/postgres-values.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

/* What test/ci/postgres.test.ts shows of a few rows, of a million of them; and how much memory that takes. */

let server: Postgres
beforeAll(async () => {
  server = await startPostgres()
  await server.psql(TYPES)
})
afterAll(() => server?.close())

test('a million random rows of every type come out as psql tells them', async () => {
  const random = seeded(seedOf('a million rows of Postgres'))
  const rows = 10_000
  for (let table = 0; table < 100; table++) {
    await server.psql(tableOf('every', { rows, days: 3, random }))
    const out = testFolder()
    const argv = ['export', 'postgres', '--table', 'every', ...DAYS, '--nulls', 'keep', '--out', out]
    const ran = await runCli(argv, { POSTGRES_URL: server.url() })
    expect(ran.code, ran.stderr).toBe(0)
    await expectWhole(server, 'every', out)
    await server.psql('DROP TABLE every')
  }
}, 7_200_000)

test('rows are whole after 40 kills', async () => {
  const random = seeded(seedOf('kills of a Postgres export'))
  await server.psql(tableOf('every', { rows: 5000, days: 3, random }))
  const out = testFolder()
  const argv = [
    'export',
    'postgres',
    '--table',
    'every',
    ...DAYS,
    '--window',
    '1h',
    '--nulls',
    'keep',
    '--out',
    out,
  ]
  await killedExport(argv, { POSTGRES_URL: server.url() }, { kills: 40, random, server })
  await expectWhole(server, 'every', out)
}, 3_600_000)

test('memory does not grow with the rows of a window', async () => {
  const env = { POSTGRES_URL: server.url() }
  const peaks: number[] = []
  for (const rows of [1_000_000, 10_000_000]) {
    await server.psql(`DROP TABLE IF EXISTS many; CREATE UNLOGGED TABLE many AS
      SELECT g AS id, '2024-03-01+00'::timestamptz + g * interval '8 ms' AS created_at, md5(g::text) AS who,
        json_build_object('a', g, 'b', 'some text', 'c', g * 1.5) AS props, g * 0.1::float8 AS v, ARRAY[g, g + 1] AS pair
      FROM generate_series(1, ${rows}) g`)
    const out = testFolder()
    const argv = ['export', 'postgres', '--table', 'many', ...DAYS, '--out', out]
    peaks.push(await peakOf(argv, [0], env))
    expect(JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8')).records).toBe(rows)
  }
  console.log(`export of 1 and of 10 million rows: ${peaks.map((mib) => mib.toFixed(0)).join(' and ')} MiB`)
  expect(peaks[1]!).toBeLessThan(Math.max(300, peaks[0]! * 1.3))
}, 3_600_000)
