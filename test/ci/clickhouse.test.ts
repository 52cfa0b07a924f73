import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { arrivedQuery } from '../../src/service/arrived.ts'
import { readArrival } from '../../src/store/arrival.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { listOf } from '../helpers/audit.ts'
import { runCli } from '../helpers/cli-process.ts'
import { type ClickHouse, startClickHouse } from '../helpers/clickhouse.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

/*
 * The queries of `verify` on a real ClickHouse, which is what the service keeps its events in. The service's table is a
 * ReplacingMergeTree, whose copies are merged some time later.
 */
const TABLE = `CREATE TABLE events (
  team_id UInt32, uuid UUID, event String, distinct_id String, timestamp DateTime, properties String,
  \`mat_$import_job_id\` String, version UInt32
) ENGINE = ReplacingMergeTree(version) PARTITION BY toYYYYMM(timestamp)
ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(toString(uuid)))`

/** What the service's compiler does, and the words of a server that knows no times below a second. */
function compiled(query: string): string {
  return query
    .replaceAll('properties.$import_job_id', '`mat_$import_job_id`')
    .replaceAll(/toDateTime64\('([^']{19})\.000000', 6, 'UTC'\)/g, "toDateTime('$1', 'UTC')")
}

/** Events of 40 days, some with names and ids that need care in a query. */
const EVENTS: readonly TestEvent[] = Array.from({ length: 4000 }, (_, n) => ({
  ...makeEvent(n),
  event: ['$pageview', 'signed up', "it's", 'a\\b', 'ü', '\u{1f600}'][n % 6]!,
  distinct_id: n % 11 === 0 ? `o'neil\\${n}` : `user-${n % 97}`,
  timestamp: `${new Date(Date.UTC(2024, 0, 1 + (n % 40), n % 24, n % 60)).toISOString().slice(0, 19)}.000000Z`,
}))

let clickhouse: ClickHouse
beforeAll(async () => {
  clickhouse = await startClickHouse()
})
afterAll(() => clickhouse?.close())

async function madeDataset(): Promise<string> {
  const folder = testFolder()
  const path = join(folder, 'raw.ndjson')
  writeFileSync(path, EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''))
  const out = join(folder, 'events')
  const made = await runCli(['transform', '--preset', 'posthog', '--in', path, '--out', out])
  expect(made.code, made.stderr).toBe(0)
  return out
}

/** Fills the table with the lines of a dataset, each third one twice, and with events of another importer. */
async function fill(dataset: string, keep: (line: string, n: number) => boolean = () => true): Promise<void> {
  await clickhouse.run('DROP TABLE IF EXISTS events')
  await clickhouse.run(TABLE)
  const { parts } = await readEventsManifest(new LocalStore(dataset))
  const lines = parts.flatMap(({ file }) => readFileSync(join(dataset, file), 'utf8').trim().split('\n'))
  const rows = lines.filter(keep).map((line, version) => {
    const { uuid, event, distinct_id, timestamp, properties } = JSON.parse(line)
    const time = Date.parse(timestamp) / 1000
    return {
      team_id: 1,
      uuid,
      event,
      distinct_id,
      timestamp: time,
      properties: JSON.stringify(properties),
      mat_$import_job_id: properties.$import_job_id,
      version,
    }
  })
  const others = rows.slice(0, 500).map((row) => ({ ...row, distinct_id: 'live', mat_$import_job_id: '' }))
  const insert = (some: readonly object[]) =>
    clickhouse.run('INSERT INTO events FORMAT JSONEachRow', some.map((row) => JSON.stringify(row)).join('\n'))
  // In two inserts, so that the copies are in parts of their own.
  await insert([...rows, ...others])
  await insert(rows.filter((_, n) => n % 3 === 0))
}

async function rowsOf(query: string): Promise<unknown[][]> {
  const answer = await clickhouse.run(`${compiled(query)} FORMAT JSONCompact`)
  return (JSON.parse(answer) as { data: unknown[][] }).data
}

describe('the query for fingerprints', () => {
  test('says of the same events what arrival.ndjson and the sandbox say', async () => {
    const dataset = await madeDataset()
    await fill(dataset)
    const store = new LocalStore(dataset)
    const manifest = await readEventsManifest(store)
    const cells = (await listOf(readArrival(store, manifest))).flat()
    const sandbox = await startSandbox({ timeZone: 'Pacific/Auckland' })
    try {
      const fast = ['--approved', '--max-events-per-minute', '10000000']
      const sent = await runCli(['import', '--dataset', dataset, ...fast], sandboxEnv(sandbox))
      expect(sent.code, sent.stderr).toBe(0)
      const importIds = manifest.import_ids
      expect(importIds).toHaveLength(1)
      const whole = { first: '2024-01-01', last: '2024-02-09', importIds }
      const query = arrivedQuery(whole, false, undefined, 50_000)
      const found = await rowsOf(query)
      expect(found).toEqual(
        cells.map(({ day, event, count, xor, sum }) => [
          day,
          event,
          String(count),
          ...xor,
          ...sum,
          String(count),
          '',
        ]),
      )
      expect((await sandbox.query(query)).results).toEqual(found)
      for (const other of [
        arrivedQuery(whole, true, undefined, 50_000),
        arrivedQuery({ ...whole, first: '2024-01-31', last: '2024-02-01' }, false, 'a\\b', 3),
        arrivedQuery({ ...whole, names: ["it's", 'a\\b', '\u{1f600}'] }, false, undefined, 100),
        arrivedQuery({ ...whole, share: { part: 4, of: 9 } }, false, undefined, 100),
      ]) {
        const rows = await rowsOf(other)
        expect(rows.length).toBeGreaterThan(0)
        expect((await sandbox.query(other)).results).toEqual(rows)
      }
    } finally {
      await sandbox.close()
    }
  })

  test('verify finds by it what is missing, and no more', async () => {
    const dataset = await madeDataset()
    await fill(dataset, (_, n) => n !== 7 && n !== 1234)
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const answer = await rowsOf(JSON.parse(body).query.query).then(
        (results) => [200, { results }] as const,
        (error: Error) => [400, { code: 'error', detail: error.message }] as const,
      )
      response.writeHead(answer[0], { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer[1]))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const env = {
        POSTHOG_HOST: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        POSTHOG_PERSONAL_API_KEY: 'phx_test',
        POSTHOG_PROJECT_ID: '1',
      }
      const short = await runCli(['verify', dataset, '--sample', '0', '--json'], env)
      expect(short.code, short.stderr).toBe(3)
      const { events, missing, missing_file, persons, unasked } = JSON.parse(short.stdout)
      expect(events).toEqual({ here: 4000, service: 3998, others: 0, missing: 2, unknown: 0 })
      expect(missing).toHaveLength(2)
      // This server has no persons: that is said, and not taken for a proof.
      expect([persons, unasked]).toEqual([null, [expect.stringContaining('persons and groups')]])
      await fill(dataset)
      const whole = await runCli(['verify', dataset, '--sample', '0'], env)
      expect(whole.stderr).toMatch(/^verify: equal: 4,000 events in 40 days: all are there, exactly\n/)
      expect(whole.code).toBe(0)
      expect(readFileSync(missing_file, 'utf8').trim().split('\n')).toHaveLength(2)
    } finally {
      server.close()
    }
  })
})
