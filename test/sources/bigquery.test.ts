import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/http/clock.ts'
import { givenOptions } from '../../src/options/given.ts'
import { bigqueryWork } from '../../src/sources/bigquery/bigquery.ts'
import { bigqueryVendor } from '../../src/sources/bigquery/vendor.ts'
import type { ExportOrder } from '../../src/sources/source.ts'
import { LocalStore } from '../../src/store/local.ts'
import { testFolder } from '../helpers/folder.ts'
import { hurry } from '../helpers/quick-clock.ts'
import { seeded, shuffled } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import {
  FakeBigQuery,
  type FakeBigQueryOptions,
  type FakeField,
  type WireRow,
} from '../helpers/vendors/bigquery.ts'
import { EVERY_TYPE, randomRows } from '../helpers/vendors/bigquery-rows.ts'
import { exportInto, type Told } from './harness.ts'

const seed = seedOf('bigquery')
const open: FakeBigQuery[] = []
// A job is looked at each second, and what fails is asked again after one.
beforeEach(() => hurry(20))
afterEach(async () => {
  vi.restoreAllMocks()
  for (const fake of open.splice(0)) await fake.close()
})

async function started(options: FakeBigQueryOptions): Promise<FakeBigQuery> {
  const fake = await new FakeBigQuery({ seed, ...options }).start()
  open.push(fake)
  return fake
}

const FIELDS: readonly FakeField[] = [
  { name: 'id', type: 'INTEGER', mode: 'REQUIRED' },
  { name: 'at', type: 'TIMESTAMP' },
  { name: 'team', type: 'STRING' },
]
const START = Date.UTC(2024, 2, 1)
const rowOf = (id: number, minutes: number | null, team = 'a'): WireRow => ({
  f: [String(id), minutes === null ? null : String((START + minutes * 60_000) * 1000), team].map((v) => ({
    v,
  })),
})
/** Rows of three days, a row an hour; every tenth has no time. */
const HOURS = Array.from({ length: 72 }, (_, i) => rowOf(i, i % 10 === 9 ? null : i * 60, 'abc'[i % 3]))
const events = { fields: FIELDS, rows: HOURS, partition: 'at' }
const WINDOWS = { table: ['events'], timeColumn: 'at', from: '2024-03-01', to: '2024-03-04' }
const IDS = HOURS.map((_, i) => String(i)).sort()

interface Exported extends Told {
  readonly lines: readonly string[]
  readonly said: readonly string[]
  readonly folder: string
}

async function orderOf(fake: FakeBigQuery, given: object, env: Readonly<Record<string, string>> = {}) {
  const said: string[] = []
  const key = env.GOOGLE_APPLICATION_CREDENTIALS ?? fake.keyFile(join(testFolder(), 'key.json'))
  const options = { dataset: fake.name, baseUrl: fake.url, out: 'raw', ...given }
  const { values } = givenOptions(bigqueryVendor.rows, options) as never as { values: never }
  const world = {
    ...{ env: { GOOGLE_APPLICATION_CREDENTIALS: key, ...env }, stdin: process.stdin },
    ...{ interrupted: new AbortController().signal, note: (text: string) => void said.push(text) },
  }
  const { order, close } = await bigqueryWork.order(values, world)
  return { order: order as ExportOrder, close: close!, said }
}

async function exported(
  fake: FakeBigQuery,
  given: object,
  env: Readonly<Record<string, string>> = {},
): Promise<Exported> {
  const { order, close, said } = await orderOf(fake, given, env)
  const store = new LocalStore(testFolder())
  try {
    const told = await exportInto(store, order, { concurrency: 2 })
    // The command writes the manifest, after it counted the windows again: here the parts are read as they are.
    const parts = readdirSync(store.location).filter((name) => name.endsWith('.gz'))
    const texts = parts.sort().map((name) => gunzipSync(readFileSync(join(store.location, name))).toString())
    const lines = texts.join('').split('\n').slice(0, -1)
    return { ...told, lines, said, folder: store.location }
  } finally {
    await close()
  }
}

const idsOf = ({ lines }: Pick<Exported, 'lines'>) => lines.map((line) => String(JSON.parse(line).id)).sort()

describe('rows', () => {
  test.each(['omit', 'keep'])(
    'of every type come back letter for letter, listed and asked for; NULL: %s',
    async (nulls) => {
      const { rows, lines } = randomRows(EVERY_TYPE, 120, { random: seeded(seed), nulls: nulls === 'keep' })
      const fake = await started({
        tables: { all: { fields: EVERY_TYPE, rows }, seen: { fields: EVERY_TYPE, rows, type: 'VIEW' } },
        pageRows: 50,
      })
      const [listed, asked] = [
        await exported(fake, { table: ['all'], nulls }),
        await exported(fake, { table: ['seen'], nulls }),
      ]
      expect(listed.lines).toEqual(lines)
      expect(asked.lines).toEqual(lines)
      for (const { notes } of [listed, asked]) {
        expect(notes.join('\n')).toMatch(/values? of float (?:was|were) NaN or infinite/)
        expect(notes.join('\n')).toMatch(/values? of record\.deep\.float (?:was|were) NaN or infinite/)
      }
    },
  )

  test('a whole table is listed: no query runs', async () => {
    const fake = await started({ tables: { events }, pageRows: 20 })
    expect(idsOf(await exported(fake, { table: ['events'] }))).toEqual(IDS)
    expect(fake.seen.filter(({ method, url }) => method === 'POST' && url.pathname !== '/token')).toEqual([])
  })

  test('what was streamed in just now is read too, by a query', async () => {
    const fake = await started({ tables: { events: { ...events, streamed: 5 } } })
    expect(idsOf(await exported(fake, { table: ['events'] }))).toEqual(IDS)
    expect(fake.ran).toHaveLength(1)
  })

  test.each([
    ['TIMESTAMP', (at: number) => String(at * 1000)],
    ['DATETIME', (at: number) => new Date(at).toISOString().slice(0, -1)],
    ['DATE', (at: number) => new Date(at).toISOString().slice(0, 10)],
  ])('are in one window each by a column of %s, those without a time in their own', async (type, wire) => {
    const random = seeded(seed)
    const days = Array.from({ length: 300 }, () => Math.floor(random() * 4) - 0.25 * Math.floor(random() * 2))
    const rows = days.map(
      (day, i): WireRow => ({
        f: [String(i), random() < 0.1 ? null : wire(START + day * 86_400_000)].map((v) => ({ v })),
      }),
    )
    const fields: FakeField[] = [
      { name: 'id', type: 'INTEGER' },
      { name: 'at', type },
    ]
    const fake = await started({ tables: { events: { fields, rows: shuffled(rows, random) } }, pageRows: 7 })
    const found = await exported(fake, { ...WINDOWS, from: '2024-02-29', to: '2024-03-05' })
    expect(idsOf(found)).toEqual(rows.map((_, i) => String(i)).sort())
    expect(found.fetched.toSorted()).toEqual([
      'events.000',
      ...['02-29', '03-01', '03-02', '03-03', '03-04'].map((day) => `events.2024-${day}`),
    ])
  })

  test('of a table that is divided by arrival are in windows of that', async () => {
    const rows = HOURS.map(
      (row, i): WireRow => ({ ...row, arrived: String((START + Math.floor(i / 24) * 86_400_000) * 1000) }),
    )
    const fake = await started({ tables: { events: { ...events, rows, partition: '_PARTITIONTIME' } } })
    const found = await exported(fake, { ...WINDOWS, timeColumn: '_PARTITIONTIME' })
    expect(idsOf(found)).toEqual(IDS)
    expect(found.fetched).toHaveLength(4)
  })

  test('that have a value are asked for by its type', async () => {
    const fake = await started({ tables: { events } })
    expect(idsOf(await exported(fake, { ...WINDOWS, only: ['team=b'] }))).toEqual(
      IDS.filter((id) => Number(id) % 3 === 1),
    )
    expect(idsOf(await exported(fake, { table: ['events'], only: ['id=7'] }))).toEqual(['7'])
    await expect(exported(fake, { table: ['events'], only: ['teem=b'] })).rejects.toMatchObject({
      hint: 'did you mean team?',
    })
  })

  test('of a table divided by a whole number are in ranges of it; another key costs no ranges', async () => {
    const fake = await started({
      tables: { events: { ...events, partition: 'id', isRange: true }, others: events },
    })
    const ranged = await exported(fake, { table: ['events'], key: 'id', rowsPerPart: '30' })
    expect(ranged.fetched).toHaveLength(3)
    expect(idsOf(ranged)).toEqual(IDS)
    expect((await exported(fake, { table: ['others'], key: 'id', rowsPerPart: '30' })).fetched).toEqual([
      'others',
    ])
  })
})

describe('a query', () => {
  const written = (text: string) => {
    const path = join(testFolder(), 'hours.sql')
    writeFileSync(path, text)
    return path
  }

  test('gets the ends of a window as parameters', async () => {
    const query = written('SELECT id, at FROM analytics_1.events WHERE at >= {from} AND at < {to};')
    const fake = await started({ tables: { events } })
    // It runs for longer than a wrong answer is put up with.
    fake.polls = 12
    const found = await exported(fake, { query: [query].join(), from: '2024-03-01', to: '2024-03-04' })
    expect(idsOf(found)).toEqual(IDS.filter((id) => !id.endsWith('9')))
    expect(fake.ran).toHaveLength(3)
  })

  test.each([
    ['DELETE FROM events', /Syntax error|only SELECT/],
    ['SELECT 1) AS x; DELETE FROM events WHERE (true', /takes the query for SCRIPT, and only SELECT is run/],
  ])('that does anything else than SELECT is not run: %s', async (text, message) => {
    const fake = await started({ tables: { events } })
    const query = written(text)
    await expect(
      exported(fake, { query, timeColumn: 'at', from: '2024-03-01', to: '2024-03-04' }),
    ).rejects.toThrow(message)
    expect(fake.ran).toEqual([])
  })

  test('is told by what it processes, and is not run where that is too much', async () => {
    const fake = await started({ tables: { events } })
    const { said } = await exported(fake, WINDOWS)
    expect(said[0]).toMatch(
      /^events, at (?:is NULL or no time|from .*): BigQuery processes [\d.]+ (?:B|KiB) for it$/,
    )
    await expect(exported(fake, { ...WINDOWS, maxBytesBilled: '100' })).rejects.toMatchObject({
      code: 'config',
      hint: expect.stringContaining('--max-bytes-billed'),
    })
  })
})

describe('what goes wrong', () => {
  test.each([
    ['rateLimitExceeded', 403],
    ['jobRateLimitExceeded', 400],
    ['backendError', 500],
    ['internalError', 503],
    ['whatever', 502],
  ])('%s with %i passes', async (reason, status) => {
    const fake = await started({ tables: { events } })
    fake.failures.push(
      { of: /\/queries\//, reason, status, times: 1 },
      { of: /^POST .*\/jobs$/, reason, status, times: 1 },
    )
    const found = await exported(fake, WINDOWS)
    expect(idsOf(found)).toEqual(IDS)
    expect(found.said.join('\n')).toContain(`BigQuery answered ${status} (${reason})`)
    expect(new Set(fake.ran).size).toBe(fake.ran.length)
  })

  test.each([
    ['quotaExceeded', 403, 'unavailable', /a quota of the project is used up/],
    ['accessDenied', 403, 'auth', /BigQuery Data Viewer .* BigQuery Job User/],
    ['invalidQuery', 400, 'config', /check the query/],
    ['notFound', 404, 'config', /--location/],
    ['billingNotEnabled', 403, 'config', /GOOGLE_CLOUD_PROJECT/],
    ['resourcesExceeded', 400, 'config', /--window/],
    ['somethingNew', 403, 'auth', /BigQuery Data Viewer/],
    ['somethingNew', 400, 'config', undefined],
  ])('%s with %i stops, and says what to do', async (reason, status, code, hint) => {
    const fake = await started({ tables: { events } })
    fake.failures.push({ of: /^POST .*\/jobs$/, reason, status, times: 9, message: 'words of its own' })
    const error = await exported(fake, WINDOWS).catch((caught: unknown) => caught)
    expect(error).toMatchObject({
      code,
      fate: 'stop',
      message: `BigQuery answered ${status} (${reason}): words of its own`,
    })
    if (hint) expect((error as { hint: string }).hint).toMatch(hint)
  })

  test('too large an answer is asked for in smaller pages', async () => {
    const fake = await started({ tables: { events } })
    fake.mostRows = 11
    expect(idsOf(await exported(fake, WINDOWS))).toEqual(IDS)
    expect(idsOf(await exported(fake, { table: ['events'] }))).toEqual(IDS)
  })

  test.each(['events', 'seen'])(
    'page tokens that are over have %s read again, and nothing is doubled',
    async (table) => {
      const fake = await started({ tables: { events, seen: { ...events, type: 'VIEW' } }, pageRows: 10 })
      fake.expired = 2
      const found = await exported(fake, { table: [table] })
      expect(idsOf(found)).toEqual(IDS)
      expect(found.retries).toHaveLength(2)
    },
  )

  test('a job that fails after some pages is read again whole', async () => {
    const fake = await started({ tables: { events }, pageRows: 10 })
    fake.failures.push({ of: /queries.*pageToken/, status: 404, reason: 'notFound', times: 1 })
    fake.failures.push({ of: /queries.*pageToken/, status: 500, reason: 'backendError', times: 2 })
    expect(idsOf(await exported(fake, WINDOWS))).toEqual(IDS)
  })

  test('a table that is rewritten while it is listed is read again', async () => {
    const fake = await started({ tables: { events }, pageRows: 50 })
    const others = HOURS.map((_, i) => rowOf(1000 + i, i))
    fake.onRequest = () => {
      if (!fake.seen.at(-1)!.url.searchParams.has('pageToken')) return
      fake.onRequest = () => {}
      fake.replace('events', others)
    }
    const found = await exported(fake, { table: ['events'] })
    expect(idsOf(found)).toEqual(others.map(({ f }) => f[0]!.v).sort())
    expect(found.retries.join()).toContain('events changed while it was read')
  })

  test('no job is ordered twice, whatever becomes of the answers', async () => {
    const fake = await started({
      tables: { events },
      pageRows: 9,
      mischief: [
        { kind: 'drop', rate: 0.15 },
        { kind: 'cut', rate: 0.15 },
        { kind: 'storm', rate: 0.05 },
        { kind: 'html', rate: 0.05 },
      ],
    })
    const found = await exported(fake, WINDOWS)
    expect(idsOf(found)).toEqual(IDS)
    expect(fake.ran).toHaveLength(4 + found.retries.length)
  }, 60_000)
})

describe('credentials', () => {
  test('a token that is over in the middle is renewed', async () => {
    const fake = await started({ tables: { events }, pageRows: 10 })
    fake.tokenUses = 5
    expect(idsOf(await exported(fake, { table: ['events'] }))).toEqual(IDS)
    expect(fake.tokensGiven).toBeGreaterThan(1)
  })

  test('a page in place of a token is asked for again', async () => {
    const fake = await started({ tables: { events }, mischief: [{ kind: 'html', rate: 1, times: 2 }] })
    expect(idsOf(await exported(fake, { table: ['events'] }))).toEqual(IDS)
  })

  test('a token that is never let in ends it', async () => {
    const fake = await started({ tables: { events } })
    fake.tokenUses = 0
    await expect(exported(fake, { table: ['events'] })).rejects.toMatchObject({
      code: 'auth',
      message: expect.stringContaining('invalid authentication credentials'),
      hint: expect.stringContaining('GOOGLE_APPLICATION_CREDENTIALS'),
    })
  })

  test('those of a user are taken, and wrong ones are told without themselves', async () => {
    const fake = await started({ tables: { events } })
    const path = join(testFolder(), 'user.json')
    const user = {
      type: 'authorized_user',
      client_id: 'id',
      client_secret: 'secret-1',
      refresh_token: 'refresh-1',
    }
    const env = { GOOGLE_APPLICATION_CREDENTIALS: path }
    writeFileSync(path, JSON.stringify(user), { mode: 0o600 })
    expect(idsOf(await exported(fake, { table: ['events'] }, env))).toEqual(IDS)
    writeFileSync(path, JSON.stringify({ ...user, refresh_token: 'refresh-of-another' }), { mode: 0o600 })
    const error = await exported(fake, { table: ['events'] }, env).catch((caught: Error) => caught)
    expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('invalid_grant') })
    expect(`${(error as Error).stack} ${JSON.stringify(error)}`).not.toMatch(/refresh-of-another|secret-1/)
  })

  test('a file that others can read, and one that holds none', async () => {
    const fake = await started({ tables: { events } })
    const path = fake.keyFile(join(testFolder(), 'key.json'))
    const env = { GOOGLE_APPLICATION_CREDENTIALS: path }
    chmodSync(path, 0o644)
    await expect(orderOf(fake, { table: ['events'] }, env)).rejects.toMatchObject({
      hint: expect.stringContaining('chmod 600'),
    })
    chmodSync(path, 0o600)
    writeFileSync(path, '{"no":"type"}')
    await expect(orderOf(fake, { table: ['events'] }, env)).rejects.toThrow(
      "does not hold Google's credentials",
    )
  })
})

describe('the database', () => {
  const opened = async (fake: FakeBigQuery) => {
    const key = fake.keyFile(join(testFolder(), 'key.json'))
    const { values } = givenOptions(bigqueryVendor.rows, {
      dataset: fake.name,
      baseUrl: fake.url,
    }) as never as {
      values: never
    }
    const env = { GOOGLE_APPLICATION_CREDENTIALS: key }
    const world = {
      env,
      stdin: process.stdin,
      interrupted: new AbortController().signal,
      note: () => undefined,
    }
    return { values, world }
  }

  test('lists its tables in pages, with rows, sizes and spans, by names that --table takes', async () => {
    const views = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { ...events, type: 'VIEW' as const }]),
    )
    const fake = await started({ tables: { events, ...views } })
    const { values, world } = await opened(fake)
    const { about, tables } = await bigqueryWork.tables!(values, world)
    expect(about).toBe(
      `BigQuery, dataset ${fake.name} (europe-west3), reader@my-project.iam.gserviceaccount.com`,
    )
    expect(tables.map(({ name, rows }) => [name, rows])).toEqual([
      ['events', 72],
      ...['a', 'b', 'c'].map((name) => [name, undefined]),
    ])
    expect(tables[0]).toMatchObject({
      ...{ schema: undefined, times: ['at'], isView: false },
      span: ['2024-03-01T00:00:00Z', '2024-03-03T23:00:00Z'],
    })
  })

  test('lists them without sizes for an account that may run no queries', async () => {
    const fake = await started({ tables: { users: { ...events, fields: FIELDS.slice(0, 1), rows: [] } } })
    fake.failures.push({ of: /^POST .*\/jobs$/, status: 403, reason: 'accessDenied', times: 1 })
    const { values, world } = await opened(fake)
    expect((await bigqueryWork.tables!(values, world)).tables).toMatchObject([
      { name: 'users', rows: undefined },
    ])
  })

  test('says who may write, and of a window that it reads the whole table', async () => {
    const fake = await started({ tables: { events: { fields: FIELDS, rows: HOURS } } })
    fake.access = [
      { role: 'WRITER', userByEmail: 'reader@my-project.iam.gserviceaccount.com' },
      { role: 'OWNER', userByEmail: 'other' },
    ]
    const { world } = await opened(fake)
    const settings = { dataset: fake.name, base_url: fake.url, table: ['events'], time_column: 'at' }
    const tools = { ...world, clock: systemClock, patienceMs: 10_000 }
    const [login] = (await bigqueryWork.logins({ vendor: 'bigquery', settings }, tools))!
    const remarks = await login!.remarks!(world.interrupted)
    expect(remarks.map(({ text }) => text)).toEqual([
      'the user may write: WRITER',
      'each window of events reads the whole table',
    ])
    expect(remarks[1]!.cause).toMatch(/a query that processes [\d.]+ KiB of [\d.]+ KiB/)
  })
})
