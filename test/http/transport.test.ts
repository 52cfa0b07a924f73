import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { NetworkError, networkError } from '../../src/http/network-error.ts'
import { redactorOf } from '../../src/http/redact.ts'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { MIB } from '../../src/text/units.ts'
import { freePort } from '../helpers/free-port.ts'
import { listening } from '../helpers/listening.ts'
import { patience } from '../helpers/patience.ts'

const SECRET = 'phx_very+secret/key'

function client(origin: string): Transport {
  const transport = new Transport({ origin, secrets: [new Secret(SECRET, 'a test')] })
  onTestFinished(() => transport.close())
  return transport
}

const serve = async (listener: RequestListener) => client(await listening(createServer(listener)))

async function text(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

const get = (path = '/', more = {}) => ({ method: 'GET', path, timeoutMs: patience(5000), ...more }) as const

async function failure(promise: Promise<unknown>): Promise<NetworkError> {
  const error = await promise.catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(NetworkError)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('phx_very')
  return error as NetworkError
}

test('sends a body and headers, and hands back status, headers and text', async () => {
  const transport = await serve(async (request, response) => {
    response.writeHead(201, { 'X-Seen': request.headers['user-agent'] ?? '' })
    response.end(`${request.method} ${request.url} ${await text(request)}`)
  })
  const answer = await transport.request({
    method: 'POST',
    path: '/batch/?a=1',
    body: '{"x":1}',
    timeoutMs: patience(5000),
  })
  expect(answer.status).toBe(201)
  expect(answer.headers['x-seen']).toMatch(/^posthaul\/\d+\.\d+\.\d+/)
  expect(answer.body).toBe('POST /batch/?a=1 {"x":1}')
  expect(answer.truncated).toBe(false)
})

test('keeps its connections', async () => {
  const sockets = new Set<unknown>()
  const transport = await serve((request, response) => {
    sockets.add(request.socket)
    response.end('{}')
  })
  for (let i = 0; i < 20; i++) await transport.request(get())
  // The next request may start in the instant before the last one's connection is free again.
  expect(sockets.size).toBeLessThanOrEqual(2)
})

test('follows no redirect', async () => {
  const paths: (string | undefined)[] = []
  const transport = await serve((request, response) => {
    paths.push(request.url)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const answer = await transport.request(get('/here'))
  expect([answer.status, answer.headers.location, paths]).toEqual([302, '/elsewhere', ['/here']])
})

test('reads no more of an endless answer than was asked for', async () => {
  const transport = await serve((_, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536))) {}
    }
    response.on('drain', more)
    more()
  })
  const answer = await transport.request(get('/', { maxBytes: 1000 }))
  expect([answer.truncated, answer.bytes.length]).toEqual([true, 1000])
})

test('a slow drip ends at the deadline', async () => {
  const transport = await serve((_, response) => {
    response.write('a')
    const drip = setInterval(() => response.write('a'), 20)
    response.on('close', () => clearInterval(drip))
  })
  const error = await failure(transport.request(get('/', { timeoutMs: 150 })))
  expect([error.kind, error.fate, error.exitCode]).toEqual(['timeout', 'retry', 5])
})

test("the caller's signal ends a request, before and during it", async () => {
  const stop = new AbortController()
  const transport = await serve(() => stop.abort())
  const error = await failure(transport.request(get('/', { signal: stop.signal })))
  expect([error.kind, error.code, error.fate]).toEqual(['aborted', 'interrupted', 'stop'])
  expect((await failure(transport.request(get('/', { signal: stop.signal })))).kind).toBe('aborted')
})

test('a connection cut in the middle of an answer is a reset', async () => {
  const transport = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"status', () => response.destroy())
  })
  expect((await failure(transport.request(get()))).kind).toBe('reset')
})

test('a port where no server listens', async () => {
  const origin = `http://127.0.0.1:${await freePort()}`
  const error = await failure(client(origin).request(get(`/?key=${SECRET}`)))
  expect([error.kind, error.fate, error.unreachable]).toEqual(['refused', 'retry', true])
  expect(error.message).toContain('ECONNREFUSED')
})

test.each([
  ['ENOTFOUND', true],
  ['EAI_AGAIN', false],
  ['ECONNRESET', false],
])('%s means that the server is unreachable: %s', (code, unreachable) => {
  const cause = Object.assign(new Error(code), { code })
  expect(networkError(cause, 'https://posthog.example.com', redactorOf([])).unreachable).toBe(unreachable)
})

test('an answer that is not HTTP', async () => {
  const server = createTcpServer((socket) => socket.end(`220 ${SECRET} ESMTP\r\n`))
  const transport = client(await listening(server))
  expect((await failure(transport.request(get()))).kind).toBe('protocol')
})

test('an answer with headers without an end', async () => {
  const server = createTcpServer((socket) =>
    socket.on('error', () => undefined).write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(MIB)}`),
  )
  const error = await failure(client(await listening(server)).request(get()))
  expect([error.kind, error.fate]).toEqual(['protocol', 'retry'])
})

test('a server without TLS at an https address', async () => {
  const server = createTcpServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const origin = (await listening(server)).replace('http:', 'https:')
  const error = await failure(client(origin).request(get()))
  expect([error.kind, error.fate]).toEqual(['tls', 'stop'])
  expect(error.hint).toBe(`for plain http write ${origin.replace('https:', 'http:')}`)
})

test('a secret that the server repeats is redacted where it is shown, also when URLs or Basic authorization encode it', async () => {
  const forms = [SECRET, encodeURIComponent(SECRET), Buffer.from(SECRET).toString('base64')]
  const transport = await serve((_, response) =>
    response
      .writeHead(302, { location: `https://sso.example.com/${SECRET}` })
      .end(`not valid: ${forms.join(' ')}`),
  )
  const answer = await transport.request(get())
  expect(answer.redact(answer.body)).toBe('not valid: [redacted] [redacted] [redacted]')
  expect(answer.redact(answer.headers.location!)).toBe('https://sso.example.com/[redacted]')
})

test('leaves no listener on a long-lived signal', async () => {
  const transport = await serve((_, response) => response.end('{}'))
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: unknown[]) => {
    listeners++
    Reflect.apply(addEventListener, signal, args)
  }
  signal.removeEventListener = (...args: unknown[]) => {
    listeners--
    Reflect.apply(removeEventListener, signal, args)
  }
  for (let i = 0; i < 3; i++) await transport.request(get('/', { signal }))
  expect(listeners).toBe(0)
})

describe('an answer that is read as it comes', () => {
  const get = (more = {}) =>
    ({ method: 'GET', path: '/', timeoutMs: patience(5000), quietMs: patience(5000), ...more }) as const

  async function read(body: AsyncIterable<Buffer>): Promise<number> {
    let length = 0
    for await (const chunk of body) length += chunk.length
    return length
  }

  test('a body comes in pieces, whole', async () => {
    const transport = await serve((_, response) => {
      response.writeHead(200, { 'x-kind': ['a', 'b'] })
      for (let i = 0; i < 100; i++) response.write(Buffer.alloc(50_000))
      response.end()
    })
    const answer = await transport.stream(get())
    expect(answer.status).toBe(200)
    expect(answer.headers['x-kind']).toBe('a, b')
    expect(await read(answer.body)).toBe(5_000_000)
  })

  test.each([
    ['with a length', { 'content-length': '1000' }],
    ['in chunks', {}],
  ])('a body cut short is an error: %s', async (_, headers) => {
    const transport = await serve((_, response) => {
      response.writeHead(200, headers as Record<string, string>)
      response.write(Buffer.alloc(100), () => response.socket?.destroy())
    })
    const answer = await transport.stream(get())
    await expect(read(answer.body)).rejects.toMatchObject({ kind: 'reset', fate: 'retry' })
  })

  test('a server that falls silent, and one that is too slow, run out of time', async () => {
    const transport = await serve((_, response) => {
      response.writeHead(200)
      const timer = setInterval(() => response.write('.'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const slow = await transport.stream(get({ timeoutMs: 200 }))
    await expect(read(slow.body)).rejects.toMatchObject({ kind: 'timeout', fate: 'retry' })
    const silent = await serve((_, response) => void response.writeHead(200).write('a'))
    const quiet = await silent.stream(get({ quietMs: 100 }))
    await expect(read(quiet.body)).rejects.toMatchObject({ kind: 'timeout', fate: 'retry' })
  })

  test('an interrupt ends the reading', async () => {
    const transport = await serve((_, response) => void response.writeHead(200).write('a'))
    const interruption = new AbortController()
    const answer = await transport.stream(get({ signal: interruption.signal }))
    const reading = read(answer.body)
    interruption.abort('SIGINT')
    await expect(reading).rejects.toMatchObject({ kind: 'aborted', code: 'interrupted' })
  })

  test('the beginning of an answer is given as it came, and shown without its secrets', async () => {
    const transport = await serve((_, response) =>
      response.writeHead(401).end(`no ${SECRET} here ${'x'.repeat(99)}`),
    )
    const answer = await transport.stream(get())
    const text = await answer.text(SECRET.length + 10)
    expect(text).toBe(`no ${SECRET} here x`)
    expect(answer.redact(text)).toBe('no [redacted] here x')
    expect(inspect(answer, { depth: 9 })).not.toContain('very')
  })
})
