import { expect, onTestFinished, test } from 'vitest'
import { preflight } from '../../../src/checks/preflight/preflight.ts'
import type { VendorProject } from '../../../src/sources/vendor-source.ts'
import { type Asked, oddServer, type Reply } from '../../helpers/odd-server.ts'
import { levelsOf, subject, testTools, wordsOf } from './tools.ts'

const SECRETS = {
  MIXPANEL_API_SECRET: 'mixpanel-secret',
  MIXPANEL_PROJECT_ID: '77',
  AMPLITUDE_API_KEY: 'amplitude-key',
  AMPLITUDE_SECRET_KEY: 'amplitude-secret',
  MATOMO_TOKEN: 'matomo-token-of-thirty-two-signs',
  POSTHOG_SOURCE_HOST: 'https://source.example',
  POSTHOG_SOURCE_PROJECT_ID: '5',
  POSTHOG_SOURCE_API_KEY: 'phx_source',
}

async function vendor(source: VendorProject, reply: (asked: Asked) => Reply, env: object = SECRETS) {
  const server = await oddServer(reply)
  onTestFinished(() => server.close())
  const at = source.vendor === 'matomo' ? { url: `${server.url}/stats`, site: '3' } : { baseUrl: server.url }
  const sources = [{ ...source, ...at }]
  const found = await preflight(subject({ sources }), testTools({ env: { ...env } }))
  expect(JSON.stringify(found)).not.toMatch(/mixpanel-secret|amplitude-secret|matomo-token|phx_source/)
  return { found, asked: server.asked }
}

test.each<[VendorProject, Reply, string]>([
  [{ vendor: 'mixpanel' }, { body: '{"event":"a"}\n' }, 'project 77'],
  [{ vendor: 'amplitude' }, { status: 404, body: 'no data' }, 'Amplitude lets the credentials in'],
  [{ vendor: 'matomo' }, { body: [{ idsite: '3', name: 'Shop', timezone: 'UTC' }] }, 'site 3, "Shop"'],
  [{ vendor: 'posthog' }, { body: { results: [[1]] } }, 'project 5'],
])('%j is asked once, and lets the credentials in', async (source, reply, words) => {
  const { found, asked } = await vendor(source, () => reply)
  expect(levelsOf(found)).toEqual(['ok node', 'ok vendor'])
  expect(wordsOf(found, 'vendor')).toContain(words)
  expect(asked.length).toBe(1)
})

test.each<[VendorProject, Reply]>([
  [{ vendor: 'mixpanel' }, { status: 401, body: { error: 'Invalid credentials' } }],
  [{ vendor: 'amplitude' }, { status: 403, body: 'Invalid API Key' }],
  [{ vendor: 'matomo' }, { body: { result: 'error', message: 'You can not access this view' } }],
  [{ vendor: 'posthog' }, { status: 403, body: { detail: "API key missing required scope 'query:read'" } }],
])('%j refuses, and its words are the cause', async (source, reply) => {
  const { found } = await vendor(source, () => reply)
  expect(levelsOf(found)).toEqual(['ok node', 'error vendor'])
  expect(wordsOf(found, 'vendor')).toMatch(/refused by .* \| .*(credentials|API Key|access|scope)/)
})

test('Mixpanel is asked for one record only', async () => {
  const { asked } = await vendor({ vendor: 'mixpanel' }, () => ({ body: '' }))
  const query = new URL(asked[0]!.path, 'http://x').searchParams
  expect([query.get('limit'), query.get('from_date') === query.get('to_date')]).toEqual(['1', true])
})

test('credentials that are not whole are an error, and nobody is asked', async () => {
  const { found, asked } = await vendor({ vendor: 'amplitude' }, () => ({}), { AMPLITUDE_API_KEY: 'a' })
  expect(levelsOf(found)).toEqual(['ok node', 'error vendor'])
  expect(asked).toEqual([])
})

test.each([
  [{ POSTHOG_SOURCE_PROJECT_ID: '@current' }, 'not the number of a project'],
  [{ POSTHOG_SOURCE_API_KEY: 'phs_source' }, 'is a project secret key (phs_)'],
])('%j is no login of PostHog, and nobody is asked', async (wrong, words) => {
  const { found, asked } = await vendor({ vendor: 'posthog' }, () => ({}), { ...SECRETS, ...wrong })
  expect(wordsOf(found, 'vendor')).toContain(words)
  expect(asked).toEqual([])
})

test('a Matomo without an address is not tried, which is said', async () => {
  const found = await preflight(subject({ sources: [{ vendor: 'matomo' }] }), testTools({ env: SECRETS }))
  expect(levelsOf(found)).toEqual(['ok node', 'note vendor'])
})
