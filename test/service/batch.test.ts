import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { judge } from '../../src/delivery/verdict.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { BatchEndpoint } from '../../src/service/batch.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

interface Received {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A server that gives all requests one answer, and an endpoint that sends to it. */
async function opened(key: string, answer = '{"status":"Ok"}') {
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
  return { received, transport, endpoint: new BatchEndpoint(transport, secret) }
}

test('what the service receives is a historical migration, with the key, and the events byte for byte', async () => {
  const { received, endpoint } = await opened('phc_with"quote')
  const lines = [0, 1].map((n) => eventLine(makeEvent(n)))
  const { prefix, suffix } = endpoint.envelope
  const body = Buffer.concat([prefix, Buffer.from(lines.join(',')), suffix])
  expect(await endpoint.send(await endpoint.pack(body), new AbortController().signal)).toMatchObject({
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
  const { received, endpoint } = await opened('phc_key')
  const over = AbortSignal.abort()
  expect(await endpoint.send(await endpoint.pack(Buffer.from('{}')), over)).toMatchObject({
    network: 'aborted',
  })
  expect(received).toEqual([])
})

test('an answer that was not read to its end is not taken for a whole one', async () => {
  const { endpoint } = await opened('phc_key', `{"status":"Ok"}${' '.repeat(70_000)}<html>`)
  const reply = await endpoint.send(
    await endpoint.pack(endpoint.envelope.prefix),
    new AbortController().signal,
  )
  expect(judge(reply, 0)).toMatchObject({ kind: 'retry', notOurService: true })
})

test('a request may last two minutes: the service can be that slow, and what is given up is sent twice', async () => {
  const { endpoint, transport } = await opened('phc_key')
  const request = vi.spyOn(transport, 'request')
  await endpoint.send(await endpoint.pack(Buffer.from('{}')), new AbortController().signal)
  expect(request).toHaveBeenCalledWith(expect.objectContaining({ timeoutMs: 120_000 }))
})
