import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { testFolder } from '../helpers/folder.ts'
import { type Harness, startHarness, uuid } from './harness.ts'

const BASE = '/api/projects/1/file_download_batch_exports/'
const START = Date.parse('2026-03-02T00:00:00Z')
const DAY = 86_400_000
const GZIP = { format: 'JSONLines', compression: 'gzip', max_size_mb: 1 }

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
  await expect.poll(ask).not.toMatch(/^(Starting|Running)$/)
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

test('a large download is split, and its parts are found by id', async () => {
  const { clock, harness } = await startAt()
  const filler = 'x'.repeat(400)
  await harness.send(Array.from({ length: 5000 }, (_, n) => event(n, START, { properties: { filler } })))
  clock.now += DAY
  const done = await run(harness, order(START, START + 1))
  expect([done.records_completed, done.files!.length > 1]).toEqual([5000, true])
  expect(new Set(await uuidsOf(harness, order(START, START + 1))).size).toBe(5000)
  expect((await harness.get(`${done.path}download/${uuid(1)}/`)).json()).toMatchObject({
    code: 'not_found',
    detail: 'Not found.',
  })
  // A file that is full with the last row is the last.
  clock.now += DAY
  const big = { properties: { filler: filler.repeat(20) } }
  await harness.send(Array.from({ length: 200 }, (_, n) => event(n + 5000, clock.now, big)))
  clock.now += DAY
  expect((await run(harness, order(START + 2 * DAY, START + 2 * DAY + 1))).files).toHaveLength(1)
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
  const { harness } = await startAt({ personalKeys: [{ key: 'phx_read', scopes: ['batch_export:read'] }] })
  const week = 7 * DAY
  const good = order(START - DAY, START)
  const without = (name: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== name))
  const cases: [object, string | null][] = [
    [without('file'), 'file'],
    [{ ...good, model: 'sessions' }, 'model'],
    [{ ...good, file: { ...GZIP, format: 'CSV' } }, 'file__format'],
    [{ ...good, file: { ...GZIP, compression: 'zstd' } }, 'file__compression'],
    [{ ...good, data_interval_start: 'yesterday' }, 'data_interval_start'],
    [order(START, START - 1), null],
    [order(START - week - 1, START), null],
    [order(START, START + 1), null],
  ]
  for (const [body, attr] of cases) {
    const answer = await harness.ask(BASE, body)
    const error = answer.json() as Record<string, string>
    expect([answer.status, error.type, error.attr]).toEqual([400, 'validation_error', attr])
  }
  expect((await harness.ask(BASE, good, 'phx_read')).json()).toMatchObject({
    detail: "API key missing required scope 'batch_export:write'",
  })
  expect((await harness.get(BASE, 'phx_read')).status).toBe(200)
  expect((await harness.get(`${BASE}${uuid(1)}/`)).json()).toMatchObject({ code: 'not_found' })
  expect((await harness.ask(BASE, order(START - week, START))).status).toBe(202)
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
  const data = testFolder()
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
