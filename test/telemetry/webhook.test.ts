import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EXITS, type ExitName } from '../../src/errors.ts'
import { type RequestSeen, watchRequests } from '../../src/http/request-watch.ts'
import { Secret } from '../../src/http/secret.ts'
import { webhookAddress } from '../../src/options/values.ts'
import { PauseWatch, resultEntry } from '../../src/telemetry/telemetry.ts'
import { Webhook, webhookBody } from '../../src/telemetry/webhook.ts'
import { listening } from '../helpers/listening.ts'

const KEY = 'b3c1f0aa-77aa-4d2e-9b5e-0123456789ab'
const RUN = { command: 'import', host: 'carrier', startedAt: new Date('2024-06-01T00:00:00Z') }

// A slow machine must not be taken for a service that hangs.
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  vi.useRealTimers()
  watchRequests(undefined)
})

type Behaviour = (request: IncomingMessage, response: ServerResponse, count: number) => void

/** A service on loopback that notes what it is asked. */
async function service(behaviour: Behaviour = (_, response) => void response.end('OK')) {
  const asked: { readonly line: string; readonly body: string }[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => {
      body += piece
    })
    request.on('end', () => {
      asked.push({ line: `${request.method} ${request.url}`, body })
      behaviour(request, response, asked.length)
    })
  })
  return { asked, origin: await listening(server) }
}

function end(outcome: ExitName, error?: { readonly message: string; readonly hint: string | null }) {
  const { code } = EXITS[outcome]
  const counts = { written: 10, rejected: 2, pending: 0 }
  const ending = { command: 'import', code, seconds: 3, counts, finished: null, isStopped: false }
  return { event: 'end', result: resultEntry(ending, {}), outcome, error } as const
}

/** Begins to tell an address of a run. */
function begun(address: string) {
  const warnings: string[] = []
  const webhook = new Webhook(new Secret(address, '--notify-webhook'), RUN, (text) => warnings.push(text))
  webhook.tell({ event: 'start' })
  return { webhook, warnings }
}

test('an address is told of the start and the end, in this order, by JSON', async () => {
  const { asked, origin } = await service()
  const { webhook, warnings } = begun(`${origin}/hook?token=x`)
  await webhook.end(end('done'))
  expect([warnings, asked.map(({ line }) => line)]).toEqual([
    [],
    ['POST /hook?token=x', 'POST /hook?token=x'],
  ])
  const [first, last] = asked.map(({ body }) => JSON.parse(body))
  const run = { version: 1, command: 'import', host: 'carrier', started_at: '2024-06-01T00:00:00.000Z' }
  expect(first).toMatchObject({ ...run, event: 'start', result: null, exit_code: null })
  expect(Object.keys(last).sort()).toEqual(Object.keys(first).sort())
  expect(last).toMatchObject({
    ...run,
    event: 'end',
    result: 'done',
    exit_code: 0,
    counts: { written: 10 },
    text: 'posthaul import on carrier: done: 10 written, 2 rejected, in 3 s (exit code 0)',
  })
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
])('a service that %s is one warning, and no line has its address', async (_, behaviour, words) => {
  const { origin } = await service(behaviour)
  const seen: RequestSeen[] = []
  watchRequests((one) => seen.push(one))
  const { webhook, warnings } = begun(`${origin}/${KEY}?token=${KEY}`)
  await webhook.end(end('done'))
  expect(warnings).toEqual([
    expect.stringMatching(/^the webhook was not told: .*; the run itself is not affected$/),
  ])
  expect(warnings[0]).toMatch(words)
  expect(warnings[0]).toContain(origin)
  expect(seen).toHaveLength(2)
  expect(JSON.stringify([warnings, seen])).not.toContain(KEY)
})

test('services that hang hold the end up by 5 s and no longer', async () => {
  const told: (() => void)[] = []
  const came = (count: number) =>
    new Promise<void>((resolve) => {
      told[count] = resolve
    })
  const [start, last] = [came(1), came(2)]
  const hung = await service((_, _response, count) => told[count]?.())
  const { webhook, warnings } = begun(`${hung.origin}/${KEY}`)
  await start
  let isOver = false
  const over = webhook.end(end('done')).then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(2000)
  await last
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(3000)
  await over
  expect(warnings).toEqual([
    `the webhook was not told: ${hung.origin}: no answer in time; the run itself is not affected`,
  ])
  expect(hung.asked).toHaveLength(2)
})

test('what is told has the error, but no folder, and nothing that a chat obeys', () => {
  const error = {
    message: '/run/secrets/key can be read by others <!channel>\n    at stack (/home/me/x.js)',
    hint: 'chmod 600 ~/keys/key, see https://example.com/docs/keys',
  }
  const { text, error: told } = JSON.parse(webhookBody(RUN, end('usage', error), new Date()))
  expect(text.split('\n').slice(1)).toEqual([
    '…/key can be read by others &lt;!channel&gt;',
    'chmod 600 …/key, see https://example.com/docs/keys',
  ])
  expect(told).toEqual({
    message: '…/key can be read by others <!channel>',
    hint: 'chmod 600 …/key, see https://example.com/docs/keys',
  })
})

test('waits are told once when there was no progress for 5 minutes, and again after there was', () => {
  const watch = new PauseWatch()
  const minute = 60_000
  const waits = [
    [0, minute, 7, undefined],
    [3 * minute, minute, 7, undefined],
    [4 * minute, minute, 7, 5 * minute],
    [9 * minute, minute, 7, undefined],
    [20 * minute, minute, 8, undefined],
    [21 * minute, 6 * minute, 8, 7 * minute],
  ] as const
  for (const [now, waitMs, done, told] of waits) expect(watch.wait(now, waitMs, done)).toBe(told)
})

test.each(['hc-ping.com/abc', 'ftp://example.com/a', 'https://', 'https://me:pass@example.com/a'])(
  '%s is refused, and not repeated',
  (text) => {
    expect(() => webhookAddress(text, '--notify-webhook')).toThrow(
      expect.objectContaining({ code: 'usage', message: expect.not.stringContaining(text) }),
    )
  },
)
