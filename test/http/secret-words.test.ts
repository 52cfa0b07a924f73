import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { judge, judgeEvent, judgeV1 } from '../../src/delivery/verdict.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { BatchEndpoint } from '../../src/service/send-events.ts'
import { VendorClient } from '../../src/sources/vendor-client.ts'
import { apiAt } from '../helpers/api.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { oddServer, type Reply } from '../helpers/odd-server.ts'

/*
 * A secret that is a word of the service's own, such as the password of a proxy: what is read stays as it came, what is shown
 * has it taken out.
 */
async function answering(reply: Reply): Promise<string> {
  const server = await oddServer(() => reply)
  onTestFinished(() => server.close())
  return server.url
}

async function sent(reply: Reply, secret: string) {
  const [key, word] = [new Secret('phc_test', 'a test'), new Secret(secret, 'a proxy')]
  const transport = new Transport({ origin: await answering(reply), secrets: [key, word] })
  onTestFinished(() => transport.close())
  return new BatchEndpoint(transport, key).send(Buffer.from(''), new AbortController().signal)
}

const apiTo = async (reply: Reply, key: string) =>
  apiAt(await answering(reply), { key, clock: new FakeClock(0) })

const SUBJECT = { what: 'the groups', scope: 'group:read', projectId: '7' }

test.each(['status', 'Ok"}', 'quota', '"status":"Ok"'])(
  'a batch is accepted where %j is secret',
  async (secret) => {
    expect(judge(await sent({ body: '{"status":"Ok","quota_limited":[]}' }, secret), 0)).toEqual({
      kind: 'accepted',
    })
  },
)

test.each(['result', 'drop', 'error', 'billing'])(
  'Capture V1 is understood where %j is secret',
  async (secret) => {
    const told = judgeV1(
      await sent({ body: { results: { a: { result: 'drop', details: 'no_drop' } } } }, secret),
      0,
    )
    const { results, redact } = told as Extract<typeof told, { kind: 'told' }>
    expect(judgeEvent(results.a, redact)).toEqual({
      fate: 'refused',
      word: secret === 'drop' ? 'no_[redacted]' : 'no_drop',
    })
    const over = {
      status: 429,
      body: { error: 'billing_limit_exceeded', error_description: 'a billing limit' },
    }
    expect(judgeV1(await sent(over, secret), 0)).toMatchObject({
      kind: 'pause',
      reason: expect.not.stringContaining(secret === 'billing' ? 'billing' : 'never'),
    })
  },
)

test('what an answer asks to wait, and its form, are read where they are secret', async () => {
  const busy = await sent({ status: 503, headers: { 'retry-after': '120' }, body: 'busy' }, '120')
  expect(judge(busy, 0)).toMatchObject({ kind: 'retry', waitMs: 120_000 })
  const page = await sent({ status: 400, headers: { 'content-type': 'text/html' }, body: 'no' }, 'html')
  expect(judge(page, 0)).toMatchObject({ kind: 'retry', notOurService: true })
})

test.each([
  ['secret', 'secretly viewed'],
  ['phc_0123456789abcdef', 'phc_0123456789other'],
  ['results', 'results'],
])('with the key %s a group is called %s', async (secret, name) => {
  const api = await apiTo({ body: { results: [name] } }, secret)
  const schema = z.object({ results: z.array(z.string()) })
  const answer = await api.get('/api/groups/', SUBJECT)
  expect(api.read(answer, schema, 'the groups')).toEqual({ results: [name] })
})

test.each([
  [
    'scope',
    { status: 403, body: { detail: "missing required scope 'group:read'" } },
    'lacks the scope group:read',
  ],
  ['detail', { status: 401, body: { detail: 'a detail' } }, 'is not valid: a [redacted]'],
  ['echoed_key', { status: 401, body: { detail: 'not echoed_key' } }, 'is not valid: not [redacted]'],
  [
    'moved.example',
    { status: 302, headers: { location: 'https://moved.example/a' } },
    'to https://[redacted]/a',
  ],
] as const)('a refusal is understood and shown where %s is secret', async (secret, reply, says) => {
  const api = await apiTo(reply, secret)
  await expect(api.get('/api/groups/', SUBJECT)).rejects.toThrow(says)
})

test('words that are no JSON are shown without the secret', async () => {
  const api = await apiTo(
    { headers: { 'content-type': 'application/json' }, body: 'not_json phx_never' },
    'phx_never',
  )
  const answer = await api.get('/api/groups/', SUBJECT)
  expect(() => api.read(answer, z.string(), 'the groups')).toThrow(expect.not.stringContaining('phx_never'))
})

test("a vendor's words are read as they came, and shown without the secret", async () => {
  const origin = await answering({ status: 400, body: { error: 'the error is in the future' } })
  const secrets = [new Secret('future', 'a test'), new Secret('error', 'a test')]
  const clock = new FakeClock(0)
  const client = new VendorClient({
    vendor: 'A vendor',
    origin,
    limiter: { enter: async () => undefined, hold: () => undefined } as never,
    quietMs: 1000,
    credentials: { header: undefined, secrets },
    clock,
  } as never)
  onTestFinished(() => client.close())
  const read: string[] = []
  const asked = client.ask({ method: 'GET', path: '/' }, new AbortController().signal, (_, __, said) => {
    read.push(said)
    return undefined
  })
  await expect(asked).rejects.toThrow('A vendor answered 400: the [redacted] is in the [redacted]')
  expect(read).toEqual(['the error is in the future'])
})
