import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGzip, gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { judge, judgeV1 } from '../../src/delivery/verdict.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { BatchEndpoint, CaptureV1Endpoint, type Compressor, Packer } from '../../src/service/send-events.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

test('every body comes back as it was, however many share a compressor', async () => {
  const packer = new Packer()
  const bodies = Array.from({ length: 30 }, (_, n) => {
    const line = `{"uuid":"${n}","event":"$pageview","distinct_id":"u${n}"},`
    return n % 3 === 0 ? Buffer.from(line.repeat(n * 700)) : randomBytes(n * 50_000)
  })
  const packed = await Promise.all(bodies.map((body) => packer.pack(body)))
  for (const [n, body] of bodies.entries())
    expect(gunzipSync(packed[n]!).equals(body), `body ${n}`).toBe(true)
  // Each body becomes a whole gzip member: nothing of an earlier one is left in the compressor.
  for (const body of bodies.slice(0, 6)) expect(gunzipSync(await packer.pack(body)).equals(body)).toBe(true)
})

test('a compressor that fails rejects its body, and is not used again', async () => {
  let made = 0
  const packer = new Packer(() => {
    const gzip = createGzip() as Compressor
    if (made++ === 0) gzip._transform = (_chunk, _encoding, done) => done(new Error('out of memory'))
    return gzip
  })
  await expect(packer.pack(Buffer.from('first'))).rejects.toThrow('out of memory')
  // By now the failed compressor has emitted all its events.
  await new Promise(setImmediate)
  expect(gunzipSync(await packer.pack(Buffer.from('second'))).toString()).toBe('second')
  expect(made).toBe(2)
})

interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const NEVER = new AbortController().signal
const OK = '{"status":"Ok"}'
const ID = '018cc251-f400-7abc-8def-0123456789ab'

/** A server that gives all requests one answer, and the endpoints that send to it; the clock of V1 reads `now`. */
async function opened(answer: string, { key = 'phc_key', now = (): number => 0 } = {}) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url: path, headers } = request
    received.push({ method, path, headers, body: gunzipSync(Buffer.concat(chunks)).toString() })
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const secret = new Secret(key, 'a test')
  const transport = new Transport({
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secrets: [secret],
  })
  onTestFinished(async () => {
    await transport.close()
    server.close()
  })
  const v1 = new CaptureV1Endpoint(transport, secret, { wall: now })
  return { received, transport, endpoint: new BatchEndpoint(transport, secret), v1 }
}

test('what the service receives is a historical migration, with the key, and the events byte for byte', async () => {
  const { received, endpoint } = await opened(OK, { key: 'phc_with"quote' })
  const lines = [0, 1].map((n) => eventLine(makeEvent(n)))
  const { prefix, suffix } = endpoint.envelope
  const body = Buffer.concat([prefix, Buffer.from(lines.join(',')), suffix])
  expect(await endpoint.send(await endpoint.pack(body), NEVER)).toMatchObject({
    status: 200,
    body: '{"status":"Ok"}',
  })
  const [{ method, path, headers, body: text }] = received as [Received]
  expect([method, path]).toEqual(['POST', '/batch/'])
  expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-encoding': 'gzip' })
  expect(text).toContain(`[${lines.join(',')}]`)
  // No sent_at: the service would shift every time by it.
  expect(JSON.parse(text)).toEqual({
    api_key: 'phc_with"quote',
    historical_migration: true,
    batch: lines.map((line) => JSON.parse(line)),
  })
})

test('a request that is given up is a reply of the network, and ends at once', async () => {
  const { received, endpoint } = await opened(OK)
  const over = AbortSignal.abort()
  expect(await endpoint.send(await endpoint.pack(Buffer.from('{}')), over)).toMatchObject({
    network: 'aborted',
  })
  expect(received).toEqual([])
})

test('an answer that was not read to its end is not taken for a whole one', async () => {
  const { endpoint } = await opened(`${OK}${' '.repeat(70_000)}<html>`)
  const reply = await endpoint.send(await endpoint.pack(endpoint.envelope.prefix), NEVER)
  expect(judge(reply, 0)).toMatchObject({ kind: 'retry', notOurService: true })
})

test('a request may last two minutes: the service can be that slow, and what is given up is sent twice', async () => {
  const { endpoint, transport } = await opened(OK)
  const request = vi.spyOn(transport, 'request')
  await endpoint.send(await endpoint.pack(Buffer.from('{}')), NEVER)
  expect(request).toHaveBeenCalledWith(expect.objectContaining({ timeoutMs: 120_000 }))
})

describe('by Capture V1', () => {
  test('the headers name the request and the attempt, the time is that of the attempt, the key is nowhere else', async () => {
    let now = Date.UTC(2024, 2, 1)
    const { received, v1: endpoint } = await opened('{"results":{}}', { now: () => now })
    const packed = await endpoint.pack(Buffer.from('{"batch":[]}'))
    await endpoint.send(packed, { id: ID, attempt: 1 }, NEVER)
    now += 90_500
    await endpoint.send(packed, { id: ID, attempt: 2 }, NEVER)
    expect(received.map(({ path, body }) => [path, body])).toEqual(
      new Array(2).fill(['/i/v1/analytics/events', '{"batch":[]}']),
    )
    const common = {
      authorization: 'Bearer phc_key',
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'user-agent': expect.stringMatching(/^posthaul\//),
      // With a version after it, the service would write it over the `$lib` of each event.
      'posthog-sdk-info': 'posthaul',
      'posthog-request-id': ID,
    }
    expect(received.map(({ headers }) => headers)).toMatchObject([
      { ...common, 'posthog-attempt': '1', 'posthog-request-timestamp': '2024-03-01T00:00:00.000Z' },
      { ...common, 'posthog-attempt': '2', 'posthog-request-timestamp': '2024-03-01T00:01:30.500Z' },
    ])
  })

  test('the answer for ten thousand events is read whole', async () => {
    const entry = { result: 'warning', details: 'person_processing_disabled' }
    const results = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`${ID}${n}`, entry]))
    const { v1: endpoint } = await opened(JSON.stringify({ results }))
    const reply = await endpoint.send(await endpoint.pack(Buffer.from('{}')), { id: ID, attempt: 1 }, NEVER)
    const verdict = judgeV1(reply, 0)
    expect(verdict.kind === 'told' && Object.keys(verdict.results).length).toBe(10_000)
  })

  test('an answer that was not read to its end is not taken for a whole one', async () => {
    const { v1: endpoint } = await opened(`{"results":{}}${' '.repeat(9 << 20)}x`)
    const reply = await endpoint.send(await endpoint.pack(Buffer.from('{}')), { id: ID, attempt: 1 }, NEVER)
    expect(judgeV1(reply, 0)).toMatchObject({ kind: 'retry', notOurService: true })
  })

  test('a request that is given up is a reply of the network, and ends at once', async () => {
    const { received, v1: endpoint } = await opened('')
    const packed = await endpoint.pack(Buffer.from('{}'))
    const reply = await endpoint.send(packed, { id: ID, attempt: 1 }, AbortSignal.abort())
    expect(reply).toMatchObject({ network: 'aborted' })
    expect(received).toEqual([])
  })
})
