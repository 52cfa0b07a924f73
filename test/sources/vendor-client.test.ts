import { createServer } from 'node:http'
import { inspect } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { RateLimiter } from '../../src/http/rate-limiter.ts'
import { Secret } from '../../src/http/secret.ts'
import { basic, VendorClient, type VendorError } from '../../src/sources/vendor-client.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { listening } from '../helpers/listening.ts'

const PASSWORD = 'pass+word/secret'
const TOKEN = Buffer.from(`someone:${PASSWORD}`).toString('base64')
const signal = new AbortController().signal

async function answering(status: number, body: string, headers: Record<string, string> = {}) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body))
  const clock = new FakeClock(0)
  const limiter = new RateLimiter({ limits: [], clock })
  const client = new VendorClient({
    vendor: 'Vendor',
    origin: await listening(server),
    credentials: basic(new Secret('someone', 'VENDOR_USER'), new Secret(PASSWORD, 'VENDOR_SECRET')),
    limiter,
    quietMs: 5000,
  })
  onTestFinished(() => client.close())
  const ask = () => client.ask({ method: 'GET', path: '/?a=1' }, signal)
  const refused = () =>
    ask().then(
      () => expect.unreachable(),
      (error: VendorError) => error,
    )
  return { ask, refused, limiter }
}

test.each([
  [400, 'stop', 'config'],
  [401, 'stop', 'auth'],
  [402, 'stop', 'config'],
  [403, 'stop', 'auth'],
  [404, 'stop', 'config'],
  [408, 'retry', 'unavailable'],
  [429, 'retry', 'unavailable'],
  [302, 'stop', 'config'],
  [500, 'retry', 'unavailable'],
  [503, 'retry', 'unavailable'],
  [529, 'retry', 'unavailable'],
])('%i has the fate %s', async (status, fate, code) => {
  const { refused } = await answering(status, 'the vendor says\n why', { location: 'https://example.com/' })
  const error = await refused()
  expect(error).toMatchObject({
    fate,
    code,
    message: expect.stringContaining(`${status}: the vendor says why`),
  })
})

test('a pause that the vendor asks for holds up all requests, not only one', async () => {
  const { refused, limiter } = await answering(429, 'slow down', { 'retry-after': '7' })
  expect(await refused()).toMatchObject({ waitMs: 7000 })
  expect(limiter.leastMs(1)).toBe(7000)
})

test.each([
  ['in the middle', { 'content-length': '60', connection: 'close' }],
  ['and says it is whole', {}],
])('a refusal whose words break off %s is asked again', async (_, headers) => {
  const half = '{"detail":"This file download has exp'
  const { refused } = await answering(400, half, { 'content-type': 'application/json', ...headers })
  expect(await refused()).toMatchObject({ fate: 'retry' })
})

test.each([
  ['{"type":"authentication_error","detail":"The key is invalid.","attr":null}', 'The key is invalid.'],
  ['{"error": "Invalid credentials", "status": 0}', 'Invalid credentials'],
  ['{"error": {"code": 5}}', '{"error": {"code": 5}}'],
  ['null', 'null'],
  [`{"detail":"${'x'.repeat(1000)}"}`, `${'x'.repeat(300)}…`],
  ['<!doctype html><html>Bad gateway</html>', 'a web page'],
])('the error has the words of %s, and names where the credentials came from', async (body, words) => {
  const { refused } = await answering(401, body)
  expect(await refused()).toMatchObject({
    message: `Vendor answered 401: ${words}`,
    hint: 'check VENDOR_USER and VENDOR_SECRET, and that they may export this project',
  })
})

test.each([
  ['the password', PASSWORD],
  ['the password in an address', encodeURIComponent(PASSWORD)],
  ['the token of the header', TOKEN],
  ['both, as they are joined', `someone:${PASSWORD}`],
])('%s is not shown when the vendor repeats it', async (_, secret) => {
  const { refused } = await answering(403, `no: ${secret} is wrong`)
  const error = await refused()
  expect(inspect(error, { depth: 9 })).not.toContain(secret)
  expect(error.message).toContain('[redacted]')
})

test('nor is a secret that JSON writes in another way', async () => {
  const { refused } = await answering(403, `{"detail":"no: ${PASSWORD.replace('/', '\\/')}"}`)
  expect((await refused()).message).toBe('Vendor answered 403: no: [redacted]')
})

test('an unreachable server is named by its address, without the query', async () => {
  const client = new VendorClient({
    vendor: 'Vendor',
    origin: 'http://127.0.0.1:1',
    credentials: basic(new Secret('someone', 'a test'), undefined),
    limiter: new RateLimiter({ limits: [], clock: new FakeClock(0) }),
    quietMs: 5000,
  })
  onTestFinished(() => client.close())
  const asking = client.ask({ method: 'GET', path: '/?key=a' }, signal)
  await expect(asking).rejects.toMatchObject({ fate: 'retry', code: 'unavailable' })
})
