import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Batch } from '../../src/delivery/batch.ts'
import { Batcher } from '../../src/delivery/batcher.ts'
import { START } from '../../src/delivery/place.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { eventFileReader } from '../../src/imports/event-files.ts'
import { BatchEndpoint, CaptureV1Endpoint } from '../../src/service/send-events.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'
import { senderWith } from './sender-with.ts'

/*
 * The rules of PostHog's suite for its own clients (capture_analytics_v1_tests.yaml of PostHog/posthog-sdk-test-harness),
 * in our words. src/delivery/README.md says where posthaul differs on purpose.
 */

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: { readonly created_at: string; readonly batch: readonly Sent[] } & Record<string, unknown>
  /** The client's clock when it came, in ms. */
  readonly at: number
}

interface Sent extends Record<string, unknown> {
  readonly uuid: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

/** An answer: a word for each event of the request, or a status with the word of its error. */
type Answer = { readonly words: readonly string[] } | { readonly status: number; readonly error?: string }
type Said = Answer & { readonly retryAfter?: string }

const said = (...words: string[]): Said => ({ words })
const status = (status: number, error?: string): Said => ({ status, ...(error !== undefined && { error }) })
/** What the server says once it has said all else. */
const ALL_OK = said()

/** A server that gives these answers, one after another, and then takes everything; and a sender to it. */
async function opened(answers: readonly Said[], retryForMs = 3_600_000) {
  const clock = new SleepyClock()
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(gunzipSync(Buffer.concat(chunks)).toString()) as Received['body']
    const answer = answers[received.length] ?? ALL_OK
    received.push({ path: request.url, headers: request.headers, body, at: clock.now() })
    if (answer.retryAfter !== undefined) response.setHeader('retry-after', answer.retryAfter)
    response.setHeader('content-type', 'application/json')
    response.statusCode = 'status' in answer ? answer.status : 200
    response.end(
      JSON.stringify('status' in answer ? { error: answer.error } : { results: results(body, answer.words) }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const key = new Secret('phc_key', 'a test')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = new Transport({ origin, secrets: [key] })
  onTestFinished(async () => {
    await transport.close()
    server.close()
  })
  const post = new BatchEndpoint(transport, key)
  const { envelope } = post
  const v1 = new CaptureV1Endpoint(transport, key, clock)
  // The shortest waits that chance can give.
  return { received, ...senderWith({ via: 'v1', v1, post, envelope, clock, retryForMs, random: () => 0 }) }
}

function results({ batch }: Received['body'], words: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(batch.map(({ uuid }, n) => [uuid, { result: words[n] ?? 'ok' }]))
}

/** What import makes of records in the service's own form. */
function batchOf(...records: readonly object[]): Batch {
  const reader = eventFileReader({ bigIntegersAsStrings: false, switches: [] })
  const closed: Batch[] = []
  const { envelope } = new BatchEndpoint({} as Transport, new Secret('phc_key', 'a test'))
  const limits = { events: 1000, bytes: 1e9 }
  const options = { lanes: 1, limits, envelope, youngFrom: Number.POSITIVE_INFINITY }
  const batcher = new Batcher(options, (batch) => closed.push(batch))
  reader.begin(undefined)
  for (const [n, record] of records.entries()) {
    const bytes = Buffer.from(JSON.stringify(record))
    expect(reader.read(bytes, 0, bytes.length, { offset: n * 1000, line: n + 1 })).toBeUndefined()
    const { start, end, source } = reader
    batcher.event(0, START, {
      head: { instant: 1 },
      bytes: Buffer.from(reader.bytes),
      start,
      end,
      source: { ...source },
    })
  }
  batcher.flush()
  return closed[0]!
}

const record = (n: number, properties: object = {}) => ({
  event: 'seen',
  distinct_id: 'someone',
  timestamp: '2024-03-01T12:00:00.123456Z',
  properties: { n, ...properties },
})
const records = (count: number) => batchOf(...Array.from({ length: count }, (_, n) => record(n)))
const numbers = (received: readonly Received[]) =>
  received.map(({ body }) => body.batch.map(({ properties }) => properties.n))

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

describe('the form of a request', () => {
  test('its address and its headers', async () => {
    const { received, send } = await opened([])
    await send(records(1))
    expect(received.map(({ path }) => path)).toEqual(['/i/v1/analytics/events'])
    expect(received[0]!.headers).toMatchObject({
      authorization: 'Bearer phc_key',
      'content-type': expect.stringMatching(/^application\/json/),
      'content-encoding': 'gzip',
      'user-agent': expect.stringMatching(/./),
      'posthog-attempt': '1',
      'posthog-request-id': expect.stringMatching(UUID),
      'posthog-request-timestamp': expect.stringMatching(RFC3339),
      // On purpose no version behind it.
      'posthog-sdk-info': 'posthaul',
    })
  })

  test('its body: a time and the events, no key and no time of sending', async () => {
    const { received, send, clock } = await opened([])
    const prepared = records(5)
    await send(prepared)
    const { body } = received[0]!
    expect(Object.keys(body).sort()).toEqual(['batch', 'created_at', 'historical_migration'])
    expect(body.historical_migration).toBe(true)
    expect(body.created_at).toMatch(RFC3339)
    expect(Math.abs(Date.parse(body.created_at) - clock.wall())).toBeLessThan(5000)
    expect(numbers(received)).toEqual([[0, 1, 2, 3, 4]])
    expect(new Set(body.batch.map(({ uuid }) => uuid)).size).toBe(5)
  })

  test('its events: what they are is at the root, what they hold in their properties as it came', async () => {
    const properties = {
      text: 'hello',
      number: 42,
      truth: true,
      $set: { name: 'A', email: 'a@example.com' },
      $set_once: { initial_referrer: 'https://example.com' },
      $groups: { company: 'b' },
    }
    const { received, send } = await opened([])
    await send(batchOf(record(0, properties)))
    const [event] = received[0]!.body.batch
    expect(event).toMatchObject({
      uuid: expect.stringMatching(UUID),
      event: 'seen',
      distinct_id: 'someone',
      timestamp: '2024-03-01T12:00:00.123456Z',
      properties,
    })
    expect(event!.timestamp).toMatch(RFC3339)
    expect(event!.properties).not.toHaveProperty('distinct_id')
  })
})

interface Case {
  readonly name: string
  readonly says: readonly Said[]
  /** How many events there are; one if left out. */
  readonly events?: number
  /** The events of each request. */
  readonly sent: readonly (readonly number[])[]
  /** Events that become rejects, and how many are unconfirmed. */
  readonly rejects?: readonly number[]
  readonly unconfirmed?: number
  /** The code of the error that ends the run. */
  readonly ends?: string
  /** The least wait before the second request, in ms. */
  readonly waits?: number
}

const busy = status(503, 'service_unavailable')

const ANSWERS: readonly Case[] = [
  { name: 'all are taken', events: 3, says: [said('ok', 'ok', 'ok')], sent: [[0, 1, 2]] },
  { name: 'all are dropped', events: 2, says: [said('drop', 'drop')], sent: [[0, 1]], rejects: [0, 1] },
  {
    name: 'some word it has not had',
    events: 2,
    says: [said('ok', 'limited')],
    sent: [[0, 1]],
    unconfirmed: 1,
  },
  {
    name: 'some of each, none to be sent again',
    events: 4,
    says: [said('ok', 'drop', 'limited', 'ok')],
    sent: [[0, 1, 2, 3]],
    rejects: [1],
    unconfirmed: 1,
  },
  {
    name: 'one is not stored beside one that is',
    events: 2,
    says: [said('ok', 'retry')],
    sent: [[0, 1], [1]],
    waits: 100,
  },
  {
    name: 'one is not stored beside one that is dropped',
    events: 2,
    says: [said('drop', 'retry')],
    sent: [[0, 1], [1]],
    rejects: [0],
  },
  {
    name: 'one is not stored beside one of each',
    events: 3,
    says: [said('ok', 'drop', 'retry')],
    sent: [[0, 1, 2], [2]],
    rejects: [1],
  },
  {
    name: 'one is not stored, twice',
    events: 3,
    says: [said('ok', 'retry', 'retry'), said('ok', 'retry')],
    sent: [[0, 1, 2], [1, 2], [2]],
  },
  {
    name: 'one is not stored, and the server asks to wait',
    events: 2,
    says: [{ ...said('ok', 'retry'), retryAfter: '3' }],
    sent: [[0, 1], [1]],
    waits: 3000,
  },
  ...[
    [408, 'body_read_timeout'],
    [429, 'rate_limited'],
    [500, 'internal_error'],
    [503, 'service_unavailable'],
    [504, 'gateway_timeout'],
  ].map(
    ([code, error]): Case => ({
      name: `${code} ${error}`,
      events: 3,
      says: [status(Number(code), String(error))],
      sent: [
        [0, 1, 2],
        [0, 1, 2],
      ],
      waits: 100,
    }),
  ),
  { name: '503 three times', says: [busy, busy, busy], sent: [[0], [0], [0], [0]], waits: 100 },
  {
    name: '503, and the server asks to wait',
    says: [{ ...busy, retryAfter: '3' }],
    sent: [[0], [0]],
    waits: 3000,
  },
  {
    name: '400 of the request',
    says: [status(400, 'missing_required_headers')],
    sent: [[0]],
    ends: 'config',
  },
  { name: '401', says: [status(401, 'missing_authorization')], sent: [[0]], ends: 'auth' },
  { name: '402', says: [status(402, 'billing_limit_exceeded')], sent: [[0]], ends: 'paused' },
  { name: '403', says: [status(403, 'forbidden')], sent: [[0]], ends: 'auth' },
  { name: '413 of one event', says: [status(413, 'payload_too_large')], sent: [[0]], rejects: [0] },
  { name: '415', says: [status(415, 'unsupported_content_type')], sent: [[0]], ends: 'config' },
]

describe('what is sent again, and what becomes of events, where the answer says', () => {
  test.each(ANSWERS)(
    '$name',
    async ({ events = 1, says, sent, rejects = [], unconfirmed = 0, ends, waits = 0 }) => {
      const { received, send } = await opened(says)
      const batch = records(events)
      const sending = send(batch)
      if (ends === undefined) {
        const done = await sending
        expect(done?.refused.map(({ line }) => line - 1)).toEqual(rejects)
        expect(done?.remarks?.unknown).toBe(unconfirmed)
      } else await expect(sending).rejects.toMatchObject({ code: ends })
      expect(numbers(received)).toEqual(sent)
      assertOneRequest(received)
      expect((received[1]?.at ?? Number.POSITIVE_INFINITY) - received[0]!.at).toBeGreaterThanOrEqual(waits)
    },
  )
})

/** Sent again, a request keeps its id and its events keep theirs; its number goes up, and its time goes on. */
function assertOneRequest(received: readonly Received[]): void {
  const known = new Map(received[0]!.body.batch.map((event) => [event.uuid, event]))
  for (const [n, { headers, body }] of received.entries()) {
    expect(headers).toMatchObject({
      'posthog-attempt': String(n + 1),
      'posthog-request-id': received[0]!.headers['posthog-request-id'],
    })
    expect(body.created_at).toBe(received[0]!.body.created_at)
    for (const event of body.batch) expect(event).toEqual(known.get(event.uuid))
    expect(new Set(body.batch.map(({ uuid }) => uuid)).size).toBe(body.batch.length)
  }
  const times = received.map(({ headers }) => headers['posthog-request-timestamp'] as string)
  expect(times).toEqual([...new Set(times)].sort())
}

test('batches are requests of their own', async () => {
  const { received, send } = await opened([])
  await send(records(1))
  await send(records(2))
  const ids = received.map(({ headers }) => headers['posthog-request-id'])
  expect(new Set(ids).size).toBe(2)
  expect(received.map(({ headers }) => headers['posthog-attempt'])).toEqual(['1', '1'])
})
