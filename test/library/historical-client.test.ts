import { getEventListeners } from 'node:events'
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  HistoricalClient,
  type HistoricalClientOptions,
  ImportStopped,
  PosthaulError,
} from '../../src/index.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'

const sandbox = await fileSandbox()

const timestamp = new Date(Date.UTC(2023, 4, 1))

function clientOn(spool: string, more: Partial<HistoricalClientOptions> = {}): HistoricalClient {
  return new HistoricalClient({
    projectKey: sandbox.projectKey,
    host: sandbox.url,
    historicalMigration: true,
    spool,
    approved: true,
    maxEventsPerMinute: 60_000_000,
    env: stateHome(),
    ...more,
  })
}

async function arrived(event: string): Promise<number> {
  const { results } = await sandbox.query(`select count() from events where event = '${event}'`)
  return Number(results[0]?.[0])
}

test('what is captured arrives as it was given, and the outcome says so', async () => {
  const spool = join(testFolder(), 'spool')
  const client = clientOn(spool)
  const properties = { n: 12345678901234567890n, nought: -0, at: timestamp, nested: { list: [1, null, 'é'] } }
  await client.capture({ distinctId: 'u1', event: 'as given', properties, timestamp })
  await client.identify({ distinctId: 'u1', anonymousId: 'anon 1', set: { plan: 'pro' }, timestamp })
  await client.groupIdentify({ type: 'company', key: 'acme', properties: { seats: 3 }, timestamp })
  const outcome = await client.close()
  const bytes = '"properties":{"n":12345678901234567890,"nought":-0,'
  expect(readFileSync(join(spool, 'events.ndjson'), 'utf8')).toContain(bytes)
  expect(outcome).toMatchObject({
    counts: { read: 3, written: 3, rejected: 0, filtered: 0, duplicate: 0, pending: 0 },
    conserved: true,
    finished: true,
    youngEvents: 0,
    reasons: {},
  })
  const { results } = await sandbox.query(
    "select distinct_id, toString(timestamp), properties from events where event = 'as given'",
  )
  expect(results).toHaveLength(1)
  expect(String(results[0]![2])).toContain('"nested":{"list":[1,null,"é"]}')
  expect(await arrived('$identify')).toBe(1)
  expect(await arrived('$groupidentify')).toBe(1)
  expect(await client.close()).toBe(outcome)
  await expect(client.capture({ distinctId: 'u', event: 'e', timestamp })).rejects.toMatchObject({
    code: 'usage',
  })
})

test('what can’t be sent is a reject to read; the rest arrives', async () => {
  const client = clientOn(testFolder())
  await client.capture({ distinctId: 'u1', event: 'good one', timestamp })
  await client.capture({ distinctId: 'x'.repeat(300), event: 'long id', timestamp })
  await client.capture({ distinctId: 'u1', event: 'far ahead', timestamp: '2999-01-01T00:00:00Z' })
  const { counts, reasons, rejects } = await client.close()
  expect(counts).toMatchObject({ read: 3, written: 1, rejected: 2 })
  expect(reasons).toEqual({ distinct_id_too_long: 1, timestamp_in_future: 1 })
  const found = []
  for await (const reject of rejects) found.push([reject.line, reject.reason])
  expect(found).toEqual([
    [2, 'distinct_id_too_long'],
    [3, 'timestamp_in_future'],
  ])
  expect(rejects.count).toBe(2)
})

test('flush delivers what is there, close the rest, and none of it twice', async () => {
  const client = clientOn(testFolder())
  const some = (n: number) =>
    Promise.all(
      Array.from({ length: n }, () => client.capture({ distinctId: 'u', event: 'flushed', timestamp })),
    )
  await some(80)
  expect((await client.flush()).counts.written).toBe(80)
  const meanwhile = some(80)
  const between = await client.flush()
  await meanwhile
  expect(between).toMatchObject({ conserved: true, counts: { pending: 0 } })
  expect((await client.close()).counts).toMatchObject({ read: 160, written: 160 })
  expect(await arrived('flushed')).toBe(160)
})

test('a spool without events has an outcome too', async () => {
  const client = clientOn(testFolder())
  expect(await client.close()).toMatchObject({ counts: { read: 0, written: 0 }, conserved: true })
})

test('an aborted call ends no other one, and leaves no listener with its signal', async () => {
  const client = clientOn(testFolder())
  const event = { distinctId: 'u', event: 'not aborted', timestamp }
  const { signal } = new AbortController()
  const ended = await Promise.allSettled([
    client.capture(event, { signal: AbortSignal.abort() }),
    client.capture(event, { signal }),
  ])
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  await client.flush({ signal })
  await client.close({ signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('what is told may throw: the events arrive all the same', async () => {
  const onMessage = () => {
    throw new Error('a bug of the program')
  }
  const client = clientOn(testFolder(), { onMessage })
  await client.capture({ distinctId: 'u', event: 'told', timestamp })
  expect((await client.close()).counts.written).toBe(1)
})

test('what a delivery leaves in a folder that all can read is not for all', async () => {
  const spool = testFolder()
  chmodSync(spool, 0o755)
  const client = clientOn(spool)
  await client.capture({ distinctId: 'x'.repeat(300), event: 'long id', timestamp })
  await client.close()
  const names = readdirSync(spool)
  expect(names.length).toBeGreaterThan(2)
  expect(names.filter((name) => statSync(join(spool, name)).mode & 0o007)).toEqual([])
})

test('an interrupted close keeps the spool, and the next one delivers it', async () => {
  const spool = testFolder()
  const client = clientOn(spool)
  for (let n = 0; n < 5; n++) await client.capture({ distinctId: 'u', event: 'kept', timestamp })
  await expect(client.close({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'interrupted' })
  expect(await arrived('kept')).toBe(0)
  expect((await client.close()).counts.written).toBe(5)
  expect(await arrived('kept')).toBe(5)
})

test('a project that is full stops the delivery with the counts so far', async () => {
  const full = await startSandbox({ faults: ['429'] })
  try {
    const client = clientOn(testFolder(), { host: full.url, projectKey: full.projectKey, retryFor: '1s' })
    await client.capture({ distinctId: 'u', event: 'waits', timestamp })
    const failure = await client.close().catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ImportStopped)
    expect(failure).toBeInstanceOf(PosthaulError)
    const { code, outcome } = failure as ImportStopped
    expect(code).toBe('unavailable')
    expect(outcome).toMatchObject({
      counts: { read: 1, written: 0, pending: 1 },
      conserved: true,
      finished: false,
    })
    full.setFaults([])
    expect((await client.close()).counts).toMatchObject({ read: 1, written: 1, pending: 0 })
  } finally {
    await full.close()
  }
})

describe('refuses', () => {
  test.each<[string, object, string, RegExp]>([
    ['live events', { historicalMigration: false }, 'usage', /history only/],
    ['an option that is none', { maxEventPerMinute: 5 }, 'usage', /maxEventPerMinute is no option/],
    ['a cap that needs approval', { maxEventsPerMinute: 20_000, approved: false }, 'usage', /approve/],
    ['a cap that is no number', { lanes: 'many' }, 'config', /^lanes is "many"/],
    ['a key with a line end', { projectKey: 'phc_a\nb' }, 'config', /^projectKey is no key/],
    ['a spool in a bucket', { spool: 's3://bucket/spool' }, 'usage', /folder on this machine/],
  ])('%s, when it is made', (_, wrong, code, message) => {
    expect(() => clientOn(testFolder(), wrong)).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    )
  })

  test.each<[string, object, string, RegExp]>([
    [
      'a personal key for the project’s',
      { projectKey: 'phx_abc' },
      'auth',
      /key from projectKey is a personal/,
    ],
    ['no address', { host: undefined }, 'config', /no address/],
    ['plain http', { host: 'http://example.com' }, 'config', /in the clear/],
  ])('%s, at the first call at the latest', async (_, wrong, code, message) => {
    const capture = async () =>
      clientOn(testFolder(), wrong).capture({ distinctId: 'u', event: 'e', timestamp })
    await expect(capture()).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  })
})

test('the key is in no message and in no file of the spool', async () => {
  const spool = testFolder()
  const messages: string[] = []
  const client = clientOn(spool, { onMessage: (text) => messages.push(text) })
  await client.capture({ distinctId: 'u', event: 'quiet', timestamp })
  await client.close()
  const files = ['events.ndjson', 'events.ndjson.checkpoint.json']
  for (const text of [...messages, ...files.map((file) => readFileSync(join(spool, file), 'utf8'))])
    expect(text).not.toContain(sandbox.projectKey)
})
