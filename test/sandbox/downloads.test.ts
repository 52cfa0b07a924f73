import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { patience } from '../helpers/patience.ts'
import { type Answer, type Harness, startHarness, uuid } from './harness.ts'

const BASE = '/api/projects/1/file_download_batch_exports/'
const START = Date.parse('2026-03-02T00:00:00Z')
const DAY = 86_400_000
const GZIP = { format: 'JSONLines', compression: 'gzip' }

const iso = (ms: number): string => new Date(ms).toISOString()

/** A sandbox with a clock of its own. */
async function startAt(options: SandboxOptions = {}) {
  const clock = { now: START }
  return { clock, harness: await startHarness({ now: () => clock.now, ...options }) }
}

const order = (from: number, to: number, more: object = {}) => ({
  model: 'events',
  file: GZIP,
  data_interval_start: iso(from),
  data_interval_end: iso(to),
  ...more,
})

const event = (n: number, time: number, more: object = {}) => ({
  event: 'e',
  uuid: uuid(n),
  distinct_id: `u${n}`,
  timestamp: iso(time),
  ...more,
})

interface Status {
  status: string
  files?: string[]
  records_completed?: number
  error?: string
}

/** Orders a download and asks until it has ended. */
async function run(harness: Harness, body: object): Promise<Status & { path: string }> {
  const created = await harness.ask(BASE, body)
  if (created.status !== 202) throw new Error(created.text)
  const path = `${BASE}${(created.json() as { id: string }).id}/`
  return { ...(await ended(harness, path)), path }
}

async function ended({ get }: Harness, path: string): Promise<Status> {
  let last: Status = { status: 'Starting' }
  const ask = async () => {
    last = (await get(path)).json() as Status
    return last.status
  }
  await expect.poll(ask, { interval: 20, timeout: patience(10_000) }).not.toMatch(/^(Starting|Running)$/)
  return last
}

const redirect = async ({ get }: Harness, path: string): Promise<string> => {
  const answer = await get(path)
  expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store'])
  return answer.headers.get('location')!
}

async function bytes(url: string): Promise<Buffer> {
  const response = await fetch(url)
  const body = Buffer.from(await response.arrayBuffer())
  expect(response.status, body.toString()).toBe(200)
  expect(response.headers.get('content-length')).toBe(String(body.length))
  return body
}

const lines = (text: Buffer) =>
  text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The uuids of a download, in the order of their numbers. */
async function uuidsOf(harness: Harness, body: object): Promise<unknown[]> {
  const done = await run(harness, body)
  expect(done.status).toBe('Completed')
  const all: unknown[] = []
  for (const id of done.files!) {
    const file = await bytes(await redirect(harness, `${done.path}download/${id}/`))
    all.push(...lines(gunzipSync(file)).map((row) => row.uuid))
  }
  return all.sort()
}

test('events come as lines of JSON, each with its person', async () => {
  const { clock, harness } = await startAt()
  await harness.send([
    event(1, START - DAY + 0.5, { properties: { big: 1.5, nested: { a: [1] }, $set: { plan: 'pro' } } }),
  ])
  clock.now += 120_000
  const done = await run(harness, order(START, START + 60_000))
  const id = done.path.split('/').at(-2)
  expect(done).toMatchObject({ status: 'Completed', files: [expect.any(String)], records_completed: 1 })
  const address = await redirect(harness, `${BASE}${id}/download/`)
  const response = await fetch(address)
  expect(response.headers.get('content-disposition')).toMatch(/filename=".*\.jsonl\.gz"$/)
  expect(new URL(address).origin).not.toBe(harness.sandbox.url)
  expect(lines(gunzipSync(Buffer.from(await response.arrayBuffer())))).toEqual([
    {
      uuid: uuid(1),
      event: 'e',
      distinct_id: 'u1',
      person_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      properties: expect.objectContaining({ big: 1.5, nested: { a: [1] } }),
      person_properties: expect.objectContaining({ plan: 'pro' }),
      elements_chain: '',
      timestamp: '2026-03-01T00:00:00+00:00',
      created_at: '2026-03-02T00:00:00+00:00',
      _inserted_at: '2026-03-02T00:00:00+00:00',
    },
  ])
  expect((await harness.get(BASE)).json()).toEqual({
    count: 1,
    next: null,
    previous: null,
    results: [{ id, status: 'Completed' }],
  })
})

test('the window is the time of arrival, and after 8 days old events are in none', async () => {
  const { clock, harness } = await startAt()
  await harness.send([event(1, START - 3 * DAY), event(2, START - 400 * DAY)])
  clock.now += DAY
  await harness.send([event(3, START - 400 * DAY)])
  const first = order(START, START + DAY)
  const second = order(START + DAY, START + DAY + 1)
  clock.now = START + 7.9 * DAY
  // The end is exclusive, and the start is not.
  expect(await uuidsOf(harness, first)).toEqual([uuid(1), uuid(2)])
  expect(await uuidsOf(harness, second)).toEqual([uuid(3)])
  clock.now = START + 8.5 * DAY
  expect(await uuidsOf(harness, first)).toEqual([uuid(1)])
  expect(await uuidsOf(harness, second)).toEqual([uuid(3)])
  clock.now = START + 9.5 * DAY
  expect(await run(harness, second)).toMatchObject({ status: 'Completed', files: [], records_completed: 0 })
})

test('names that are included or excluded', async () => {
  const { clock, harness } = await startAt()
  await harness.send(["it's", 'b', 'c'].map((name, n) => event(n, START, { event: name })))
  clock.now += DAY
  const ask = (more: object) => uuidsOf(harness, order(START, START + 1000, more))
  expect(await ask({ include: ["it's", 'b'] })).toEqual([uuid(0), uuid(1)])
  expect(await ask({ exclude: ["it's"] })).toEqual([uuid(1), uuid(2)])
  expect(await ask({ include: [] })).toHaveLength(3)
})

test('persons go by their last change, a row a distinct id', async () => {
  const { clock, harness } = await startAt()
  await harness.send([
    event(1, START, { properties: { $set: { plan: 'free' } } }),
    event(2, START, { properties: { $set: { plan: 'pro' } } }),
    event(3, START, { properties: { $process_person_profile: false } }),
  ])
  clock.now += DAY
  await harness.send([
    event(4, START, { event: '$identify', distinct_id: 'u1', properties: { $anon_distinct_id: 'a' } }),
  ])
  clock.now += 2 * DAY
  const persons = async (from: number) => {
    const done = await run(harness, order(from, from + DAY, { model: 'persons' }))
    const [id] = done.files!
    return id ? lines(gunzipSync(await bytes(await redirect(harness, `${done.path}download/${id}/`)))) : []
  }
  expect(await persons(START)).toEqual([
    {
      team_id: 1,
      distinct_id: 'u2',
      person_id: expect.any(String),
      properties: expect.objectContaining({ plan: 'pro' }),
      person_distinct_id_version: 0,
      person_version: 1,
      created_at: '2026-03-02T00:00:00+00:00',
      _inserted_at: '2026-03-02T00:00:00+00:00',
      is_deleted: false,
    },
  ])
  const later = await persons(START + DAY)
  expect(later.map((row) => row.distinct_id).sort()).toEqual(['a', 'u1'])
  expect(new Set(later.map((row) => row.person_id)).size).toBe(1)
})

test('every format and compression, and a pair that fails the run', async () => {
  const { clock, harness } = await startAt()
  await harness.send([event(1, START + 0.25, { timestamp: '2026-03-01T00:00:00.123Z' })])
  clock.now += DAY
  const file = async (format: string, compression: string | null) => {
    const done = await run(harness, order(START, START + 1, { file: { format, compression } }))
    expect(done.status).toBe('Completed')
    const address = await redirect(harness, `${done.path}download/0/`)
    return { name: new URL(address).pathname, body: await bytes(address) }
  }
  const plain = await file('JSONLines', null)
  expect([lines(plain.body)[0]!.timestamp, plain.name.endsWith('.jsonl')]).toEqual([
    '2026-03-01T00:00:00.123000+00:00',
    true,
  ])
  const brotli = await file('JSONLines', 'brotli')
  expect([lines(brotliDecompressSync(brotli.body)), brotli.name.endsWith('.jsonl.br')]).toEqual([
    lines(plain.body),
    true,
  ])
  const folder = mkdtempSync(join(tmpdir(), 'posthaul-parquet-'))
  const instance = await DuckDBInstance.create(':memory:')
  onTestFinished(() => {
    instance.closeSync()
    rmSync(folder, { recursive: true })
  })
  const duck = await instance.connect()
  for (const [compression, ending] of [
    [null, '.parquet'],
    ['zstd', '.parquet.zst'],
    ['gzip', '.parquet.gz'],
    ['brotli', '.parquet.br'],
    ['lz4', '.parquet.lz4'],
    ['snappy', '.parquet.sz'],
  ] as const) {
    const { name, body } = await file('Parquet', compression)
    expect(name.endsWith(ending)).toBe(true)
    const path = join(folder, 'one.parquet')
    writeFileSync(path, body)
    const columns = 'uuid, properties, epoch_us("timestamp"), typeof(_inserted_at)'
    const answer = await duck.runAndReadAll(`SELECT ${columns} FROM '${path}'`)
    expect(answer.getRowsJson()).toEqual([
      [uuid(1), expect.stringContaining('{'), '1772323200123000', 'TIMESTAMP WITH TIME ZONE'],
    ])
  }
  const failed = await run(
    harness,
    order(START, START + 1, { file: { format: 'JSONLines', compression: 'zstd' } }),
  )
  expect(failed).toMatchObject({ status: 'Failed', error: "Unsupported compression: 'zstd'" })
  expect((await harness.get(`${failed.path}download/`)).json()).toMatchObject({
    code: 'invalid_input',
    detail: 'Batch export run has failed',
  })
})

test('a large download is split, and its parts are found by place and by id', async () => {
  const { clock, harness } = await startAt()
  const filler = 'x'.repeat(400)
  await harness.send(Array.from({ length: 5000 }, (_, n) => event(n, START, { properties: { filler } })))
  const big = { event: 'big', properties: { filler: filler.repeat(20) } }
  await harness.send(Array.from({ length: 200 }, (_, n) => event(n, START, big)))
  clock.now += DAY
  const file = { format: 'JSONLines', compression: null, max_size_mb: 1 }
  const done = await run(harness, order(START, START + 1, { file, include: ['e'] }))
  expect([done.records_completed, done.files!.length > 1]).toEqual([5000, true])
  const uuids: unknown[] = []
  for (const [at, id] of done.files!.entries()) {
    const part = await bytes(await redirect(harness, `${done.path}download/${at}/`))
    expect(part.equals(await bytes(await redirect(harness, `${done.path}download/${id}`)))).toBe(true)
    uuids.push(...lines(part).map((row) => row.uuid))
  }
  expect(new Set(uuids).size).toBe(5000)
  const whole = await run(harness, order(START, START + 1, { file: { ...file, max_size_mb: 0 } }))
  expect(whole.files).toHaveLength(1)
  // A file that is full with the last row is the last.
  const full = { ...order(START, START + 1, { file }), include: ['big'] }
  expect((await run(harness, full)).files).toHaveLength(1)
  const wrong = async (part: string) => (await harness.get(`${done.path}download/${part}/`)).json()
  expect(await wrong('99')).toMatchObject({ code: 'not_found', detail: 'No files with index 99' })
  expect(await wrong('first')).toMatchObject({ detail: "Invalid file id or index: 'first'" })
  expect(await wrong(uuid(1))).toMatchObject({ code: 'not_found', detail: 'Not found.' })
})

test('the address is signed: no key, no change, no later use', async () => {
  const { clock, harness } = await startAt()
  await harness.send([event(1, START)])
  clock.now += DAY
  const done = await run(harness, order(START, START + 1))
  const address = await redirect(harness, `${done.path}download/`)
  const ask = async (url: string, headers = {}) => {
    const response = await fetch(url, { headers })
    return [response.status, /<Code>(\w+)/.exec(await response.text())?.[1]]
  }
  expect(await ask(address, { authorization: `Bearer ${harness.sandbox.personalKey}` })).toEqual([
    400,
    'InvalidArgument',
  ])
  expect(await ask(`${address}0`)).toEqual([403, 'SignatureDoesNotMatch'])
  expect(await ask(address.replace('Expires=900', 'Expires=9000'))).toEqual([403, 'SignatureDoesNotMatch'])
  expect(await ask(new URL('/', address).href)).toEqual([403, 'AccessDenied'])
  clock.now += 899_000
  expect(await ask(address)).toEqual([200, undefined])
  clock.now += 1000
  expect(await ask(address)).toEqual([403, 'AccessDenied'])
  await bytes(await redirect(harness, `${done.path}download/`))
  clock.now += DAY
  const late = await harness.get(`${done.path}download/`)
  expect([late.status, late.json()]).toMatchObject([400, { detail: 'This file download has expired' }])
})

test('one at a time, which waits until a minute after its end and can be cancelled', async () => {
  const { clock, harness } = await startAt()
  await harness.send([event(1, START)])
  clock.now += 1000
  const created = await harness.ask(BASE, order(START, clock.now))
  const path = `${BASE}${(created.json() as { id: string }).id}/`
  const second = await harness.ask(BASE, order(START, START))
  expect([second.status, second.json()]).toMatchObject([
    429,
    { type: 'throttled_error', code: 'too_many_concurrent_file_downloads', attr: null },
  ])
  expect((await harness.get(path)).json()).toEqual({ status: 'Starting' })
  expect((await harness.get(`${path}download/`)).json()).toMatchObject({
    detail: 'Batch export run is still in progress',
  })
  const cancelled = await harness.ask(`${path}cancel/`)
  expect([cancelled.status, cancelled.json()]).toEqual([200, { status: 'Cancelled' }])
  expect((await harness.ask(`${path}cancel/`)).status).toBe(400)
  expect((await harness.get(`${path}download/`)).json()).toMatchObject({
    detail: 'Batch export run was cancelled',
  })
  const third = await harness.ask(BASE, order(START, clock.now))
  const waiting = `${BASE}${(third.json() as { id: string }).id}/`
  // The store takes one read at a time: had the run begun, it would be at its turn before these queries.
  for (const time of [1, 2, 3]) await harness.query(`SELECT ${time}`)
  expect((await harness.get(waiting)).json()).toEqual({ status: 'Starting' })
  clock.now += 60_000
  expect(await ended(harness, waiting)).toMatchObject({ status: 'Completed', records_completed: 1 })
})

test('what is refused', async () => {
  const { harness } = await startAt({
    personalKeys: [{ key: 'phx_read', scopes: ['batch_export:read'] }],
  })
  const week = 7 * DAY
  const good = order(START - DAY, START)
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
  const cases: [object, string | null, string | RegExp][] = [
    [without('file'), 'file', 'required'],
    [without('model'), 'model', 'required'],
    [{ ...good, model: 'groups' }, 'model', 'invalid_choice'],
    [{ ...good, model: 'sessions' }, 'model', /leaves out/],
    [{ ...good, file: { format: 'CSV' } }, 'file__format', 'invalid_choice'],
    [{ ...good, file: { compression: 'lzma' } }, 'file__compression', 'invalid_choice'],
    [{ ...good, file: { max_size_mb: 'a' } }, 'file__max_size_mb', 'invalid_input'],
    [{ ...good, file: { max_size_mb: -1 } }, 'file__max_size_mb', 'min_value'],
    [{ ...good, include: 'a' }, 'include', 'not_a_list'],
    [{ ...good, include: [1] }, 'include__0', 'invalid_input'],
    [without('data_interval_end'), null, /are required/],
    [{ ...good, data_interval_start: null }, 'data_interval_start', 'null'],
    [{ ...good, data_interval_start: 'yesterday' }, 'data_interval_start', 'invalid_input'],
    [order(START, START - 1), null, /must occur after/],
    [order(START - week - 1, START), null, /data interval range too big/],
    [order(START, START + 1), null, /data_interval_end' is in the future/],
    [{ ...good, hogql_query: 'SELECT 1' }, null, /only supported/],
  ]
  for (const [body, attr, what] of cases) {
    const answer = await harness.ask(BASE, body)
    const error = answer.json() as Record<string, string>
    expect([answer.status, error.type, error.attr]).toEqual([400, 'validation_error', attr])
    expect(typeof what === 'string' ? error.code : error.detail).toMatch(what)
  }
  const closed: Answer[] = [
    await harness.ask(BASE, { ...good, model: 'hogql', hogql_query: 'SELECT 1' }),
    await harness.ask(`${BASE}count_rows/`, { model: 'hogql', hogql_query: 'SELECT 1' }),
  ]
  for (const answer of closed) {
    expect([answer.status, answer.json()]).toMatchObject([403, { code: 'permission_denied' }])
  }
  expect((await harness.ask(`${BASE}count_rows/`, { model: 'events' })).status).toBe(400)
  expect((await harness.ask(BASE, good, 'phx_read')).json()).toMatchObject({
    detail: "API key missing required scope 'batch_export:write'",
  })
  expect((await harness.get(BASE, 'phx_read')).status).toBe(200)
  expect((await harness.get(`${BASE}${uuid(1)}/`)).json()).toMatchObject({ code: 'not_found' })
  // A time without a zone is UTC; a week is allowed, and so is nothing.
  const naive = { data_interval_start: '2026-02-23T00:00:00', data_interval_end: '2026-03-02 00:00' }
  expect((await harness.ask(BASE, { ...good, ...naive })).status).toBe(202)
})

test('servers without downloads', async () => {
  const missing = await startAt({ dialect: { downloads: 'absent' } })
  const absent = await missing.harness.ask(BASE, order(START, START))
  expect([absent.status, absent.json()]).toMatchObject([404, { code: 'not_found' }])
  const { harness } = await startAt({ dialect: { downloads: 'unconfigured' } })
  const failed = await harness.ask(BASE, order(START, START))
  expect([failed.status, failed.json()]).toEqual([
    500,
    { detail: expect.stringContaining('The batch export failed to start.') },
  ])
})

test('faults', async () => {
  const { clock, harness } = await startAt({ faults: ['too-many-downloads:times=1'] })
  await harness.send([event(1, START)])
  clock.now += DAY
  const good = order(START, START + 1)
  const codes = async () => ((await harness.ask(BASE, good)).json() as { code: string }).code
  expect(await codes()).toBe('too_many_concurrent_file_downloads')
  const done = await run(harness, good)
  const fetchOnce = async () => fetch(await redirect(harness, `${done.path}download/`))
  harness.sandbox.setFaults(['download-expired:times=1'])
  const expired = await fetchOnce()
  expect([expired.status, await expired.text()]).toEqual([403, expect.stringContaining('has expired')])
  expect((await fetchOnce()).status).toBe(200)
  harness.sandbox.setFaults(['download-expired:of=file,times=1'])
  expect((await harness.get(`${done.path}download/`)).status).toBe(400)
  expect((await fetchOnce()).status).toBe(200)
  harness.sandbox.setFaults(['partial:on=download,times=1', '503:on=download,times=1'])
  const cut = await fetchOnce()
  expect(cut.status).toBe(200)
  await expect(cut.arrayBuffer()).rejects.toThrow()
  expect((await fetchOnce()).status).toBe(503)
  expect(harness.sandbox.stats().faults).toEqual({
    'too-many-downloads': 1,
    'download-expired': 2,
    partial: 1,
    status: 1,
  })
})

test('a restart forgets the runs and their files', async () => {
  const data = mkdtempSync(join(tmpdir(), 'posthaul-downloads-'))
  onTestFinished(() => rmSync(data, { recursive: true, force: true }))
  const { clock, harness } = await startAt({ data })
  await harness.send([event(1, START)])
  clock.now += DAY
  const done = await run(harness, order(START, START + 1))
  expect(readdirSync(join(data, 'downloads'))).toHaveLength(1)
  await harness.sandbox.close()
  const again = await startHarness({ data, now: () => clock.now })
  expect((await again.get(done.path)).status).toBe(404)
  expect(await uuidsOf(again, order(START, START + 1))).toEqual([uuid(1)])
})
