import { createServer, type RequestListener } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { NetworkError } from '../../src/http/network-error.ts'
import { proxyOf, Tunnel } from '../../src/http/proxy.ts'
import { redactorOf } from '../../src/http/redact.ts'
import { Transport } from '../../src/http/transport.ts'
import { ConnectProxy } from '../helpers/connect-proxy.ts'
import { listening } from '../helpers/listening.ts'

const ALL = { HTTPS_PROXY: 'http://secure.proxy:3128', HTTP_PROXY: 'http://plain.proxy:3128' }
const US = 'https://us.posthog.com'
const originOf = (target: string, env: NodeJS.ProcessEnv) => proxyOf(target, env)?.origin

describe('which proxy a request goes through', () => {
  test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    [US, {}, undefined],
    [US, ALL, 'http://secure.proxy:3128'],
    ['http://minio.lan:9000', ALL, 'http://plain.proxy:3128'],
    ['http://minio.lan:9000', { HTTPS_PROXY: 'http://secure.proxy:3128' }, undefined],
    [US, { HTTP_PROXY: 'http://plain.proxy:3128' }, 'http://plain.proxy:3128'],
    [US, { ...ALL, https_proxy: 'http://small.proxy' }, 'http://small.proxy'],
    [US, { HTTPS_PROXY: ' ', https_proxy: '' }, undefined],
    [US, { HTTPS_PROXY: 'proxy.lan:8080' }, 'http://proxy.lan:8080'],
    [US, { HTTPS_PROXY: 'https://proxy.lan/' }, 'https://proxy.lan'],
  ])('%s with %j: %s', (target, env, origin) => expect(originOf(target, env)).toBe(origin))

  test.each(
    `http://localhost:8010 https://localhost http://127.0.0.1:1 https://127.8.9.1 http://[::1]:80`.split(
      /\s+/,
    ),
  )('never one to this machine: %s', (target) => {
    for (const noProxy of [undefined, '', 'example.com']) {
      expect(
        originOf(target, { ...ALL, ...(noProxy !== undefined && { NO_PROXY: noProxy }) }),
      ).toBeUndefined()
    }
  })

  test.each([
    ['us.posthog.com', true],
    ['US.PostHog.com', true],
    ['posthog.com', true],
    ['.posthog.com', true],
    ['*.posthog.com', true],
    ['a.test, posthog.com', true],
    ['a.test posthog.com', true],
    ['us.posthog.com:443', true],
    ['*', true],
    ['a.test,*', true],
    ['us.posthog.com:8443', false],
    ['hog.com', false],
    ['eu.posthog.com', false],
    ['posthog.com.evil.test', false],
    [',', false],
  ])('none to what NO_PROXY names: %s, %s', (list, excepted) => {
    expect(originOf(US, { ...ALL, NO_PROXY: list }) === undefined).toBe(excepted)
    expect(originOf(US, { ...ALL, NO_PROXY: 'else.test', no_proxy: list }) === undefined).toBe(excepted)
  })
})

test('user and password go into a header, and are secrets', () => {
  const proxy = proxyOf(US, { HTTPS_PROXY: 'http://me:p%40ss@proxy.lan:8080' })!
  expect(proxy.origin).toBe('http://proxy.lan:8080')
  expect(proxy.authorization?.reveal()).toBe(`Basic ${Buffer.from('me:p@ss').toString('base64')}`)
  expect(proxy.secrets.map((secret) => secret.reveal())).toEqual(['me:p@ss', 'p@ss'])
})

test.each([
  'socks5://me:hush@proxy.lan',
  'http://me:hush@',
  'http://me:hush%zz@proxy.lan',
  'http://me:hush@a b',
])('the address %s is refused by the name of its variable, and not repeated', (address) => {
  let error: unknown
  try {
    proxyOf(US, { https_proxy: address })
  } catch (caught) {
    error = caught
  }
  expect(error).toMatchObject({ code: 'config', message: 'https_proxy is not the address of an http proxy' })
  expect((error as Error).cause).toBeUndefined()
})

// A name that no resolver knows: what reaches the server went through the proxy.
const ORIGIN = 'http://service.test'
const get = (more = {}) => ({ method: 'GET', path: '/x?a=1', timeoutMs: 5000, ...more }) as const

async function start(listener: RequestListener = (_, response) => response.end('{}')) {
  const sockets = new Set<unknown>()
  const hosts: (string | undefined)[] = []
  const server = createServer((request, response) => {
    sockets.add(request.socket)
    hosts.push(request.headers.host)
    listener(request, response)
  })
  const port = Number(new URL(await listening(server)).port)
  const proxy = await new ConnectProxy().start(port)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await proxy.close()
  })
  vi.stubEnv('HTTP_PROXY', `http://me:hush%2Fhush@${proxy.host}`)
  return { proxy, sockets, hosts, port }
}

function transportTo(origin = ORIGIN): Transport {
  const transport = new Transport({ origin, secrets: [] })
  onTestFinished(() => transport.close())
  return transport
}

async function failure(promise: Promise<unknown>): Promise<NetworkError> {
  const error = await promise.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NetworkError)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hush')
  return error as NetworkError
}

test('a request goes through the proxy, with its password, and the connection is kept', async () => {
  const { proxy, sockets, hosts } = await start((request, response) =>
    response.end(`${request.url} hush/hush`),
  )
  const transport = transportTo()
  for (let i = 0; i < 10; i++) {
    const { body, redact } = await transport.request(get())
    expect([body, redact(body)]).toEqual(['/x?a=1 hush/hush', '/x?a=1 [redacted]'])
  }
  const authorization = `Basic ${Buffer.from('me:hush/hush').toString('base64')}`
  expect(new Set(proxy.asked.map((asked) => JSON.stringify(asked)))).toEqual(
    new Set([JSON.stringify({ target: 'service.test:80', authorization })]),
  )
  // The next request may start in the instant before the last one's connection is free again.
  expect(sockets.size).toBeLessThanOrEqual(2)
  expect(new Set(hosts)).toEqual(new Set(['service.test']))
})

test("this machine's own names never do", async () => {
  const { proxy, port } = await start()
  for (const host of ['127.0.0.1', 'localhost']) {
    expect((await transportTo(`http://${host}:${port}`).request(get())).status).toBe(200)
  }
  expect(proxy.asked).toEqual([])
})

test.each([
  [407, 'proxy', 'config', 'stop'],
  [403, 'proxy', 'config', 'stop'],
  [502, 'refused', 'unavailable', 'retry'],
  [503, 'refused', 'unavailable', 'retry'],
] as const)('a proxy that answers %i is named by its variable', async (status, kind, code, fate) => {
  const { proxy } = await start()
  proxy.mood = status
  const error = await failure(transportTo().request(get()))
  expect(error).toMatchObject({ kind, code, fate, unreachable: false })
  expect(error.message).toBe(
    `the proxy http://${proxy.host} (HTTP_PROXY) answered ${status} for service.test:80`,
  )
  expect(error.hint).toContain('check HTTP_PROXY')
  expect(proxy.asked).toHaveLength(1)
})

test('a proxy that is not there is named by its variable', async () => {
  const { proxy } = await start()
  const { host } = proxy
  await proxy.close()
  const error = await failure(transportTo().request(get()))
  expect(error).toMatchObject({ kind: 'proxy', code: 'unavailable', fate: 'retry', unreachable: true })
  expect(error.message).toContain(`the proxy http://${host} (HTTP_PROXY) cannot be reached`)
  expect(error.message).toContain('ECONNREFUSED')
})

test('a proxy that hangs up is asked once a request, not for ever', async () => {
  const { proxy } = await start()
  proxy.mood = 'cut'
  const error = await failure(transportTo().request(get()))
  expect([error.kind, error.fate]).toEqual(['proxy', 'retry'])
  expect(proxy.asked).toHaveLength(1)
})

test('a proxy that takes a connection and says nothing is not waited for', async () => {
  const { proxy } = await start()
  proxy.mood = 'silent'
  const settings = proxyOf(ORIGIN)!
  const tunnel = new Tunnel(settings, 100, redactorOf(settings.secrets))
  onTestFinished(() => tunnel.close())
  const to = { protocol: 'http:', hostname: 'service.test', host: 'service.test', port: '' }
  const opening = new Promise((resolve, reject) => {
    tunnel.connect(to, (error, socket) => (error ? reject(error) : resolve(socket)))
  })
  expect((await failure(opening)).message).toContain('(HTTP_PROXY) cannot be reached: Headers Timeout Error')
})

test('through a proxy, a server that drops the connection is a reset, as without one', async () => {
  await start((_, response) => response.destroy())
  expect((await failure(transportTo().request(get()))).kind).toBe('reset')
})
