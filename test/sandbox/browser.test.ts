import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { rows, startHarness } from './harness.ts'

const TIME = '2024-03-01T12:34:56.789Z'
/** Its base64 has a plus sign, wherever it stands. */
const ID = 'ü>>>>>?'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const base64 = (data: Uint8Array | string) => Buffer.from(data).toString('base64')

test('takes events in every packing of a browser', async () => {
  const { sandbox } = await startHarness()
  const token = sandbox.projectKey
  const json = (event: string) =>
    JSON.stringify([{ event, distinct_id: ID, timestamp: TIME, properties: { token } }])
  const post = (path: string, body: Uint8Array<ArrayBuffer> | string, headers = {}) =>
    fetch(`${sandbox.url}${path}`, { method: 'POST', body, headers })
  const form = (text: string) => `data=${encodeURIComponent(text)}`
  const requests: [status: number, answer: Promise<Response>][] = [
    [200, post('/e/', form(base64(json('form'))), FORM)],
    // A form that was not encoded: its plus signs have become blanks.
    [200, post('/e/', `data=${base64(json('plus'))}`, FORM)],
    [204, post('/e/?beacon=1', form(base64(json('beacon'))), FORM)],
    [200, post('/e/?compression=gzip-js', gzipSync(json('gzip')), { 'content-type': 'text/plain' })],
    [200, post('/i/v0/e/', gzipSync(json('no hint')))],
    [200, post('/track/', base64(json('base64')))],
    [200, fetch(`${sandbox.url}/e/?data=${encodeURIComponent(base64(json('get')))}`)],
    [400, post('/e/', '')],
    [400, post('/e/', 'no form', FORM)],
    [400, post('/e/?compression=gzip-js', json('no gzip'))],
  ]
  for (const [status, answer] of requests) expect.soft((await answer).status, (await answer).url).toBe(status)
  const stored = await rows(sandbox, 'SELECT event, distinct_id FROM events ORDER BY event')
  const names = ['base64', 'beacon', 'form', 'get', 'gzip', 'no hint', 'plus']
  expect(stored).toEqual(names.map((name) => [name, ID]))
})

test('moves times by the clock that the address says', async () => {
  const now = Date.parse('2024-06-01T12:00:00Z')
  const { sandbox, post } = await startHarness({ now: () => now })
  const body = { event: 'a', distinct_id: 'u', timestamp: TIME, api_key: sandbox.projectKey }
  await post(`/e/?_=${now + 10_500}`, body)
  await post(`/e/?_=${now / 1000}`, { ...body, event: 'b' })
  expect(await rows(sandbox, 'SELECT timestamp, properties.$sent_at FROM events ORDER BY event')).toEqual([
    ['2024-03-01T12:34:46.289000Z', '2024-06-01T12:00:10.5Z'],
    ['2024-03-01T12:34:56.789000Z', null],
  ])
})

test('lets pages of any origin in', async () => {
  const { sandbox } = await startHarness()
  const origin = 'https://shop.example'
  for (const path of ['/e/', '/batch', '/i/v1/analytics/events/', '/flags/?v=2', '/array/x/config']) {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-a,x-b',
    }
    const answer = await fetch(`${sandbox.url}${path}`, { method: 'OPTIONS', headers })
    expect.soft(answer.ok, path).toBe(true)
    expect.soft(answer.headers.get('access-control-allow-origin'), path).toBe(origin)
    expect.soft(answer.headers.get('access-control-allow-headers'), path).toMatch(/x-a, ?x-b/)
  }
  const refused = await fetch(`${sandbox.url}/i/v1/analytics/events/`, {
    method: 'POST',
    headers: { origin },
  })
  expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin])
})

test('answers what the libraries ask: a configuration, and no flags', async () => {
  const { sandbox, get, post } = await startHarness()
  const { projectKey } = sandbox
  const config = await get(`/array/${projectKey}/config`)
  expect(config.json()).toMatchObject({ token: projectKey, hasFeatureFlags: false, surveys: false })
  const script = await get(`/array/${projectKey}/config.js`)
  const window: { _POSTHOG_REMOTE_CONFIG?: Record<string, unknown> } = {}
  new Function('window', script.text)(window)
  expect(window._POSTHOG_REMOTE_CONFIG?.[projectKey]).toEqual({ config: config.json(), siteApps: [] })
  expect((await get('/array/phc_other/config')).status).toBe(404)
  const asked = { token: projectKey, distinct_id: 'u' }
  expect((await post('/flags/?v=2', asked)).json()).toMatchObject({
    flags: {},
    errorsWhileComputingFlags: false,
  })
  expect((await post('/flags/', asked)).json()).toMatchObject({ featureFlags: {}, featureFlagPayloads: {} })
  expect((await post('/decide/?v=3', asked)).json()).toMatchObject({
    featureFlags: {},
    supportedCompression: ['gzip', 'gzip-js'],
  })
})
