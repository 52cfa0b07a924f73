import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { undoQuery } from '../../src/commands/undo/extent.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { arrivedQuery } from '../../src/service/arrived.ts'
import { dayQuery } from '../../src/service/events-by-day.ts'
import { placesQuery, underQuery } from '../../src/service/other-imports.ts'
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
 * The queries of the program on a real ClickHouse, which is what the service keeps its events in. The service's tables are
 * ReplacingMergeTrees, whose copies are merged some time later. `json` is the table of before 30 November 2026, and of servers
 * that were not changed; `table` the one after. A second stands for a microsecond: this server knows no times below it.
 */
const TABLES = {
  json: ['UInt32', 'cityHash64(toString(uuid))'],
  table: ['DateTime', 'timestamp, uuid'],
} as const
type Table = keyof typeof TABLES

const MARKS = ['$import_job_id', 'analytics_source', '$lib'] as const

function createTable(table: Table): string {
  const [version, last] = TABLES[table]
  const marks = MARKS.map((name) => `\`mat_${name}\` String, `).join('')
  return `CREATE TABLE events (
    team_id UInt32, uuid UUID, event String, distinct_id String, timestamp DateTime, properties String, ${marks}_timestamp ${version}
  ) ENGINE = ReplacingMergeTree(_timestamp) PARTITION BY toYYYYMM(timestamp)
  ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), ${last})`
}

/** What the service's compiler does, and the words of a server that knows no times below a second. */
function compiled(query: string): string {
  return query
    .replaceAll(/properties\.(\$import_job_id|analytics_source|\$lib)/g, '`mat_$1`')
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

interface Row extends Record<string, unknown> {
  readonly uuid: string
  readonly timestamp: number
}

/** Makes the table, and fills it with the lines of a dataset, each third one twice, and with live events. */
async function fill(
  dataset: string,
  table: Table,
  keep: (line: string, n: number) => boolean = () => true,
): Promise<Row[]> {
  await clickhouse.run('DROP TABLE IF EXISTS events')
  await clickhouse.run(createTable(table))
  const { parts } = await readEventsManifest(new LocalStore(dataset))
  const lines = parts.flatMap(({ file }) => readFileSync(join(dataset, file), 'utf8').trim().split('\n'))
  const rows = lines.filter(keep).map((line, n): Row => {
    const { uuid, event, distinct_id, timestamp, properties } = JSON.parse(line)
    const marks = Object.fromEntries(MARKS.map((name) => [`mat_${name}`, properties[name] ?? '']))
    const time = Date.parse(timestamp) / 1000
    const text = JSON.stringify(properties)
    return {
      team_id: 1,
      uuid,
      event,
      distinct_id,
      timestamp: time,
      properties: text,
      ...marks,
      _timestamp: n,
    }
  })
  const live = Object.fromEntries(MARKS.map((name) => [`mat_${name}`, '']))
  // In two inserts, so that the copies are in parts of their own.
  await insert([...rows, ...rows.slice(0, 500).map((row) => ({ ...row, distinct_id: 'live', ...live }))])
  await insert(rows.filter((_, n) => n % 3 === 0))
  return rows
}

async function insert(rows: readonly object[]): Promise<void> {
  const lines = rows.map((row) => JSON.stringify(row)).join('\n')
  await clickhouse.run('INSERT INTO events FORMAT JSONEachRow', lines)
}

async function rowsOf(query: string): Promise<unknown[][]> {
  const answer = await clickhouse.run(`${compiled(query)} FORMAT JSONCompact`)
  return (JSON.parse(answer) as { data: unknown[][] }).data
}

describe('the query for fingerprints', () => {
  test('says of the same events what arrival.ndjson and the sandbox say', async () => {
    const dataset = await madeDataset()
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
      await fill(dataset, 'json')
      const found = await rowsOf(query)
      await fill(dataset, 'table')
      expect(await rowsOf(query)).toEqual(found)
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
    await fill(dataset, 'json', (_, n) => n !== 7 && n !== 1234)
    const server = createServer(async (request, response) => {
      if (!request.url!.endsWith('/query/')) {
        response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}')
        return
      }
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
      expect(events).toEqual({
        here: 4000,
        service: 3998,
        others: 0,
        missing: 2,
        unknown: 0,
        apart: 0,
        doubled: 0,
      })
      expect(missing).toHaveLength(2)
      // This server has no persons: that is said, and not taken for a proof.
      expect([persons, unasked]).toEqual([null, [expect.stringContaining('persons and groups')]])
      await fill(dataset, 'table')
      const whole = await runCli(['verify', dataset, '--sample', '0'], env)
      expect(whole.stderr).toMatch(/^verify: equal: 4,000 events in 40 days: all are there, exactly\n/)
      expect(whole.code).toBe(0)
      expect(readFileSync(missing_file, 'utf8').trim().split('\n')).toHaveLength(2)
    } finally {
      server.close()
    }
  })
})

const DAYS = { first: '2024-01-01', last: '2024-02-09' }

test.each(['json', 'table'] as const)(
  'what merges in the table "%s", and what verify is told until then',
  async (table) => {
    const dataset = await madeDataset()
    const rows = await fill(dataset, table)
    const count = async () => Number((await rowsOf('SELECT count() FROM events'))[0]![0])
    await clickhouse.run('OPTIMIZE TABLE events FINAL')
    expect(await count()).toBe(4500)
    // Ten of them again, a second later: all times are whole minutes, so the day stays.
    const moved = rows.slice(0, 10)
    await insert(moved.map((row) => ({ ...row, timestamp: row.timestamp + 1, _timestamp: 9999 })))
    const { import_ids: importIds } = await readEventsManifest(new LocalStore(dataset))
    const query = arrivedQuery({ ...DAYS, importIds }, false, undefined, 50_000)
    const told = async () => {
      const cells = await rowsOf(query)
      const sum = (column: number) => cells.reduce((all, cell) => all + Number(cell[column]), 0)
      return {
        events: sum(2),
        times: sum(7),
        named: cells.flatMap((cell) => (cell[8] === '' ? [] : [cell[8]])),
      }
    }
    const before = await told()
    expect(before).toMatchObject({ events: 4000, times: 4010 })
    const [uuid, first, last] = String(before.named[0]).split('|')
    const example = moved.find((row) => row.uuid === uuid)!
    const utc = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
    expect([first, last]).toEqual([utc(example.timestamp), utc(example.timestamp + 1)])
    await clickhouse.run('OPTIMIZE TABLE events FINAL')
    expect(await count()).toBe(table === 'json' ? 4500 : 4510)
    const after = await told()
    expect(after).toMatchObject({ events: 4000, times: table === 'json' ? 4000 : 4010 })
    expect(after.named.length > 0).toBe(table === 'table')
  },
)

test('the queries about other imports and the one of undo select whose events they say', async () => {
  const dataset = await madeDataset()
  const rows = await fill(dataset, 'table')
  const others = rows.slice(0, 300).map((row) => {
    const marks = { mat_$import_job_id: "an'other\\", mat_analytics_source: 'mixpanel', mat_$lib: 'rust' }
    return { ...row, ...marks, timestamp: row.timestamp + 1 }
  })
  await insert(others)
  const { import_ids: ids } = await readEventsManifest(new LocalStore(dataset))
  const importIds = ids ?? []
  const own = { vendor: 'posthog', importIds }
  const days = await rowsOf(dayQuery({ ...DAYS, importIds: null }, own))
  const sum = (column: number) => days.reduce((all, day) => all + Number(day[column]), 0)
  const copies = Math.ceil(rows.length / 3)
  expect([sum(1), sum(2), sum(3)]).toEqual([4000 + 500 + copies + 300, 4000 + copies, 300])
  const places = await rowsOf(placesQuery({ ...DAYS, importIds: null }, own))
  expect(places).toHaveLength(5)
  for (const [, , job, source] of places) expect([job, source]).toEqual(["an'other\\", 'mixpanel'])
  const uuids = rows.slice(0, 50).map(({ uuid }) => uuid)
  const theirs = await rowsOf(underQuery([{ ...DAYS, importIds: ["an'other\\"] }], uuids))
  expect(theirs.map(([uuid]) => uuid).sort()).toEqual([...uuids].sort())
  const taken = await rowsOf(undoQuery({ ...DAYS, importIds }))
  expect(taken).toHaveLength(4000 + copies)
  expect(new Set(taken.map(([uuid]) => uuid)).size).toBe(4000)
})
