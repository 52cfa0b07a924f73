import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { judgeV1 } from '../../src/delivery/verdict-v1.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { CaptureV1Endpoint } from '../../src/service/capture-v1.ts'

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const NEVER = new AbortController().signal
const ID = '018cc251-f400-7abc-8def-0123456789ab'

/** A server that gives all requests one answer, and an endpoint that sends to it; its clock reads `now`. */
async function opened(answer: string, now = () => 0) {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { url: path, headers } = request
    received.push({ path, headers, body: gunzipSync(Buffer.concat(chunks)).toString() })
    response.end(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const secret = new Secret('phc_key', 'a test')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = new Transport({ origin, secrets: [secret] })
  onTestFinished(async () => {
    await transport.close()
    server.close()
  })
  return { received, endpoint: new CaptureV1Endpoint(transport, secret, { wall: now }) }
}

test('the headers name the request and the attempt, the time is that of the attempt, the key is nowhere else', async () => {
  let now = Date.UTC(2024, 2, 1)
  const { received, endpoint } = await opened('{"results":{}}', () => now)
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
  const { endpoint } = await opened(JSON.stringify({ results }))
  const reply = await endpoint.send(await endpoint.pack(Buffer.from('{}')), { id: ID, attempt: 1 }, NEVER)
  const verdict = judgeV1(reply, 0)
  expect(verdict.kind === 'told' && Object.keys(verdict.results).length).toBe(10_000)
})

test('an answer that was not read to its end is not taken for a whole one', async () => {
  const { endpoint } = await opened(`{"results":{}}${' '.repeat(9 << 20)}x`)
  const reply = await endpoint.send(await endpoint.pack(Buffer.from('{}')), { id: ID, attempt: 1 }, NEVER)
  expect(judgeV1(reply, 0)).toMatchObject({ kind: 'retry', notOurService: true })
})

test('a request that is given up is a reply of the network, and ends at once', async () => {
  const { received, endpoint } = await opened('')
  const packed = await endpoint.pack(Buffer.from('{}'))
  const reply = await endpoint.send(packed, { id: ID, attempt: 1 }, AbortSignal.abort())
  expect(reply).toMatchObject({ network: 'aborted' })
  expect(received).toEqual([])
})
