import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import type { Level } from '../../src/telemetry/entry.ts'
import { oddServer } from '../helpers/odd-server.ts'
import { patience } from '../helpers/patience.ts'
import { screen } from '../helpers/screen.ts'

const KEY = 'phx_aKeyThatIsInEveryPlaceItCanBeIn'

/** The lines of a run that makes requests with a key everywhere. */
async function lines(least: Level) {
  const server = await oddServer(({ path }) => ({
    status: path.startsWith('/gone') ? 404 : 200,
    body: `you sent ${KEY}`,
    headers: { location: `/${KEY}` },
  }))
  const transport = new Transport({ origin: server.url, secrets: [new Secret(KEY, 'a test')] })
  const shown = screen(false, 'json')
  onTestFinished(async () => {
    await shown.telemetry.close(0)
    await transport.close()
    server.close()
  })
  await shown.telemetry.open({ command: 'import', log: { format: 'json', least } })
  const timeoutMs = patience(5000)
  const headers = { authorization: KEY }
  const body = Buffer.from(`{"api_key":"${KEY}"}`)
  await transport.request({ method: 'POST', path: `/batch/?token=${KEY}`, headers, body, timeoutMs })
  await transport.request({ method: 'POST', path: '/batch/', headers, body, timeoutMs })
  await transport.request({ method: 'GET', path: `/gone/${KEY}/x`, headers, timeoutMs })
  await transport.request({ method: 'HEAD', path: '/head', timeoutMs })
  server.close()
  await transport.request({ method: 'GET', path: '/nobody', timeoutMs }).catch(() => undefined)
  return {
    host: new URL(server.url).host,
    text: shown.text(),
    objects: shown.lines().map((line) => JSON.parse(line)),
  }
}

test('--debug tells each request once, and no key', async () => {
  const { host, text, objects } = await lines('debug')
  const out = Buffer.byteLength(`{"api_key":"${KEY}"}`)
  const bytesIn = `you sent ${KEY}`.length
  const ok = { level: 'debug', event: 'request', command: 'import', host, failure: null }
  expect(objects).toMatchObject([
    { ...ok, method: 'POST', path: '/batch/', status: 200, bytes_out: out, bytes_in: bytesIn, attempt: 1 },
    { ...ok, method: 'POST', path: '/batch/', status: 200, bytes_out: out, bytes_in: bytesIn, attempt: 2 },
    { ...ok, method: 'GET', path: '/gone/[redacted]/x', status: 404, bytes_out: 0, attempt: null },
    { ...ok, method: 'HEAD', path: '/head', status: 200, bytes_in: 0 },
    { ...ok, method: 'GET', path: '/nobody', status: null, failure: expect.stringMatching(/refused|reset/) },
  ])
  expect(objects[1].message).toMatch(/^POST \S+\/batch\/: 200, \d+ B out, \d+ B in, \d+ ms, attempt 2$/)
  expect(text).not.toContain(KEY)
})

test('nobody else is told of requests', async () => {
  expect((await lines('verbose')).objects).toEqual([])
})
