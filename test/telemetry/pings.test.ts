import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EXITS, type ExitName } from '../../src/errors.ts'
import { Secret } from '../../src/http/secret.ts'
import { pingAddress } from '../../src/options/values.ts'
import { healthcheckBody, healthcheckPath, webhookBody } from '../../src/telemetry/ping-words.ts'
import { Pings } from '../../src/telemetry/pings.ts'
import { resultEntry } from '../../src/telemetry/run-result.ts'
import { PauseWatch } from '../../src/telemetry/telemetry.ts'

const KEY = 'b3c1f0aa-77aa-4d2e-9b5e-0123456789ab'
const RUN = { command: 'import', host: 'carrier', startedAt: new Date('2024-06-01T00:00:00Z') }

const closing: (() => void)[] = []
// A slow machine must not be taken for a service that hangs.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  for (const close of closing.splice(0)) close()
})

type Behaviour = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** A service on loopback that notes what it is asked. */
async function service(behaviour: Behaviour = (_, response) => void response.end('OK')) {
  const asked: string[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      bodies.push(body)
      behaviour(request, response, asked.length)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  closing.push(close)
  return { asked, bodies, close, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

function end(outcome: ExitName, error?: { readonly message: string; readonly hint: string | null }) {
  const { code } = EXITS[outcome]
  const counts = { written: 10, rejected: 2, pending: 0 }
  const result = resultEntry({ command: 'import', code, seconds: 3, counts, finished: null }, {})
  return { event: 'end', result, outcome, error } as const
}

/** Tells a run's begin and end to addresses. Returns the warnings. */
async function tellAll(healthcheck: string | undefined, webhook: string | undefined): Promise<string[]> {
  const warnings: string[] = []
  const pings = new Pings(RUN, (message) => warnings.push(message))
  const secret = (address: string | undefined) =>
    address === undefined ? undefined : new Secret(address, '--healthcheck')
  pings.begin({ healthcheck: secret(healthcheck), webhook: secret(webhook) })
  await pings.end(end('done'))
  return warnings
}

test.each<[ExitName, string]>([
  ['done', ''],
  ['rejects', '/fail'],
  ['bug', '/fail'],
  ['usage', '/fail'],
  ['auth', '/fail'],
  ['mismatch', '/fail'],
  ['paused', '/log'],
  ['locked', '/log'],
  ['sighup', '/log'],
  ['sigint', '/log'],
  ['sigterm', '/log'],
])('a run that ends as %s asks a healthcheck for "%s"', (outcome, endpoint) => {
  const url = new URL(`https://hc.example/${KEY}?create=1`)
  expect(healthcheckPath(url, end(outcome))).toBe(`/${KEY}${endpoint}?create=1`)
})

test('a healthcheck is told of the start and the end, a webhook by JSON, in this order', async () => {
  const checks = await service()
  const hooks = await service()
  expect(await tellAll(`${checks.origin}/ping/${KEY}/?create=1`, `${hooks.origin}/hook?token=x`)).toEqual([])
  expect(checks.asked).toEqual([`POST /ping/${KEY}/start?create=1`, `POST /ping/${KEY}?create=1`])
  expect(checks.bodies[1]).toBe(
    'posthaul import on carrier: done: 10 written, 2 rejected, in 3 s (exit code 0)\n',
  )
  expect(hooks.asked).toEqual(['POST /hook?token=x', 'POST /hook?token=x'])
  const [first, last] = hooks.bodies.map((body) => JSON.parse(body))
  expect(first).toMatchObject({
    version: 1,
    event: 'start',
    command: 'import',
    host: 'carrier',
    result: null,
  })
  expect(Object.keys(last).sort()).toEqual(Object.keys(first).sort())
  expect(last).toMatchObject({
    event: 'end',
    started_at: '2024-06-01T00:00:00.000Z',
    result: 'done',
    exit_code: 0,
    counts: { written: 10 },
    text: 'posthaul import on carrier: done: 10 written, 2 rejected, in 3 s (exit code 0)',
  })
})

test('a webhook of options and a healthcheck of a file are told once each', async () => {
  const checks = await service()
  const hooks = await service()
  const pings = new Pings(RUN, () => undefined)
  pings.begin({ webhook: new Secret(`${hooks.origin}/hook`, '--notify-webhook') })
  const file = { healthcheck: `${checks.origin}/a`, webhook: `${checks.origin}/other` }
  pings.begin({
    healthcheck: new Secret(file.healthcheck, 'file'),
    webhook: new Secret(file.webhook, 'file'),
  })
  await pings.end(end('done'))
  expect(checks.asked).toEqual(['POST /a/start', 'POST /a'])
  expect(hooks.asked).toHaveLength(2)
})

test.each<[string, Behaviour, RegExp]>([
  ['answers 500', (_, response) => void response.writeHead(500).end(), /answered 500/],
  ['answers 404', (request, response) => void response.writeHead(404).end(request.url), /answered 404/],
  [
    'redirects',
    (request, response) => void response.writeHead(302, { location: `${request.url}/login` }).end(),
    /redirects \(302\)/,
  ],
  ['breaks the connection', (request) => void request.socket.destroy(), /the connection broke/],
  [
    'does not know the check',
    (_, response) => void response.end('OK (not found)'),
    /answered "OK \(not found\)"/,
  ],
  [
    'repeats what it was asked',
    (request, response) => void response.end(`OK (no ${request.url})`),
    /answered "OK \(no \[redacted\]/,
  ],
])('a service that %s is one warning, without its address', async (_, behaviour, words) => {
  const { origin } = await service(behaviour)
  const warnings = await tellAll(`${origin}/${KEY}?token=${KEY}`, undefined)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toMatch(words)
  expect(warnings[0]).toContain(origin)
  expect(warnings[0]).not.toContain(KEY)
})

test('a service that nobody runs is one warning', async () => {
  const { origin, close } = await service()
  close()
  const [warning, ...more] = await tellAll(`${origin}/${KEY}`, undefined)
  expect(warning).toMatch(/^the healthcheck was not told: http:\/\/127\.0\.0\.1:\d+: no connection/)
  expect(warning).not.toContain(KEY)
  expect(more).toEqual([])
})

test('a ping that is lost is sent again', async () => {
  const flaky = await service((request, response, count) => {
    if (count % 2 === 1) request.socket.destroy()
    else response.end('OK')
  })
  expect(await tellAll(`${flaky.origin}/${KEY}`, undefined)).toEqual([])
  expect(flaky.asked.map((line) => line.split('/').at(-1))).toEqual(['start', 'start', KEY, KEY])
})

test('services that hang hold the end up by 5 s and no longer', async () => {
  const told: (() => void)[] = []
  const came = (count: number) =>
    new Promise<void>((resolve) => {
      told[count] = resolve
    })
  const [start, last] = [came(1), came(2)]
  const hung = await service((_, _response, count) => told[count]?.())
  const warnings: string[] = []
  const pings = new Pings(RUN, (message) => warnings.push(message))
  pings.begin({ healthcheck: new Secret(`${hung.origin}/${KEY}`, '--healthcheck') })
  await start
  let isOver = false
  const over = pings.end(end('done')).then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(2000)
  await last
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(3000)
  await over
  expect(warnings).toEqual([
    `the healthcheck was not told: ${hung.origin}: no answer in time; the run itself is not affected`,
  ])
  expect(hung.asked).toEqual([`POST /${KEY}/start`, `POST /${KEY}`])
})

test('what is told has the error, but no folder, and nothing that a chat obeys', () => {
  const error = {
    message: '/run/secrets/key can be read by others <!channel>\n    at stack (/home/me/x.js)',
    hint: 'chmod 600 ~/keys/key, see https://example.com/docs/keys',
  }
  const body = healthcheckBody(RUN, end('usage', error))
  expect(body.split('\n').slice(1)).toEqual([
    '…/key can be read by others <!channel>',
    'chmod 600 …/key, see https://example.com/docs/keys',
    '',
  ])
  const { text } = JSON.parse(webhookBody(RUN, end('usage', error), new Date()))
  expect(text).toContain('&lt;!channel&gt;')
})

test('waits are told once when there was no progress for 5 minutes, and again after there was', () => {
  const watch = new PauseWatch()
  const minute = 60_000
  expect(watch.wait(0, minute, 7)).toBeUndefined()
  expect(watch.wait(3 * minute, minute, 7)).toBeUndefined()
  expect(watch.wait(4 * minute, minute, 7)).toBe(5 * minute)
  expect(watch.wait(9 * minute, minute, 7)).toBeUndefined()
  expect(watch.wait(20 * minute, minute, 8)).toBeUndefined()
  expect(watch.wait(21 * minute, 6 * minute, 8)).toBe(7 * minute)
})

test.each(['hc-ping.com/abc', 'ftp://example.com/a', 'https://', 'https://me:pass@example.com/a'])(
  '%s is refused, and not repeated',
  (text) => {
    expect(() => pingAddress(text, '--healthcheck')).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.not.stringContaining(text) }),
    )
  },
)
