import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { EVENTS_ARGV, eventLines, linesOf, makeEvents, roundTrip } from '../helpers/clickhouse-export.ts'
import { ClickHouseHttp } from '../helpers/clickhouse-http.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { makeFolder } from '../helpers/folder.ts'
import { peakMib, TELLS_PEAK } from '../helpers/peak-memory.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'

/* The large forms of clickhouse-export.test.ts and clickhouse-faults.test.ts. */

const folder = makeFolder()
let clickhouse: ClickHouseHttp
beforeAll(async () => {
  clickhouse = await ClickHouseHttp.start()
})
afterAll(() => clickhouse?.close())

test.each([1, 2, 3, 4, 5, 6])('values of every type come out as they were written, %d', async (n) => {
  const seed = seedOf(`clickhouse values ${n}`)
  await roundTrip(clickhouse, { seed, rows: 60, types: 60, out: join(folder, `values-${n}`) })
})

test('a million rows of every type come out as they were written', async () => {
  const seed = seedOf('a million rows of ClickHouse')
  for (let n = 0; n < 20; n++) {
    const out = join(folder, 'million')
    await roundTrip(clickhouse, { seed: seed + n, rows: 1000, times: 50, types: 6, out })
    rmSync(out, { recursive: true })
  }
}, 7_200_000)

test('the same command goes on after the client was killed, 40 times', async () => {
  await makeEvents(clickhouse, 'events', 20_000)
  const out = join(folder, 'kills')
  const argv = ['export', 'clickhouse', '--table', 'events', ...EVENTS_ARGV, '--out', out]
  const env = { CLICKHOUSE_URL: clickhouse.url }
  const random = seeded(seedOf('clickhouse many kills'))
  await exportUnderKills({ argv, env, fake: clickhouse, random, kills: 40 })
  expect(linesOf(out).sort()).toEqual(await eventLines(clickhouse, 'events'))
})

test('memory does not grow with the rows: 10 million in one part', async () => {
  const peaks: Record<string, number> = {}
  for (const [table, rows] of [['small', 500_000] as const, ['large', 10_000_000] as const]) {
    await makeEvents(clickhouse, table, rows)
    const out = join(folder, table)
    const argv = ['export', 'clickhouse', '--table', table, '--key', 'name', '--out', out]
    const { code, stderr } = await runCli(argv, { CLICKHOUSE_URL: clickhouse.url, ...TELLS_PEAK })
    expect(code, stderr).toBe(0)
    expect(stderr).toMatch(new RegExp(`read +${rows.toLocaleString('en')}\n`))
    peaks[table] = peakMib(stderr)
  }
  console.log(
    `clickhouse: ${peaks.small!.toFixed(0)} MiB for 500,000 rows, ${peaks.large!.toFixed(0)} for 10,000,000`,
  )
  expect(peaks.large!).toBeLessThan(peaks.small! * 1.5)
  expect(peaks.large!).toBeLessThan(400)
})
