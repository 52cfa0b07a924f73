import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { patience } from '../helpers/patience.ts'

const SECRET = 'phx_very+secret/key'
const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

async function serve(listener: RequestListener): Promise<Transport> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = new Transport({ origin, secrets: [new Secret(SECRET, 'a test')] })
  open.push({
    close: async () => {
      await transport.close()
      server.closeAllConnections()
      server.close()
    },
  })
  return transport
}

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
