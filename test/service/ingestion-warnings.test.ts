import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { Transport } from '../../src/http/transport.ts'
import { eventQuota } from '../../src/service/event-quota.ts'
import { ingestionWarnings } from '../../src/service/ingestion-warnings.ts'
import { tryProjectKey } from '../../src/service/send-events.ts'
import { oddApi } from '../helpers/api.ts'
import type { Reply } from '../helpers/odd-server.ts'
import { seenRequests } from '../helpers/seen-requests.ts'

const serverWith = (reply: Reply, given = {}) => oddApi(() => reply, given)

test('warnings keep words that nobody knows yet, and samples without an event', async () => {
  const sample = { event_uuid: '018F3C6E-1C2B-7A10-9F00-0123456789AB', distinct_id: 'u', more: 1 }
  const dropped = { details: { transformationName: 'Bots' } }
  const body = [
    {
      type: 'brand_new',
      category: 'odd',
      severity: 'grave',
      count: '3',
      samples: [sample, {}, dropped, dropped, { details: 'odd' }],
    },
    { type: 'bare', count: 1 },
  ]
  const { server, api } = await serverWith({ body })
  expect(await ingestionWarnings({ api, projectId: '7' }, '2026-12-01T00:00:00Z')).toEqual([
    {
      type: 'brand_new',
      severity: 'grave',
      sampled: 3,
      example: '018f3c6e-1c2b-7a10-9f00-0123456789ab',
      by: ['Bots'],
    },
    { type: 'bare', severity: 'unknown', sampled: 1, example: null },
  ])
  expect(server.asked[0]?.path).toBe(
    '/api/projects/7/ingestion_warnings_v2/?since=2026-12-01T00%3A00%3A00Z&limit=100&samples=5',
  )
})

test('an answer of another shape names the member', async () => {
  const { api } = await serverWith({ body: [{ type: 7, count: 1 }] })
  await expect(ingestionWarnings({ api, projectId: '7' }, 'x')).rejects.toThrow('0.type')
  await expect(eventQuota({ api, projectId: '7' })).rejects.toThrow('the quotas')
})

test('a server that never answers is asked once for what only helps', async () => {
  const { api } = await serverWith({ silent: true }, { optionalMs: 50 })
  const seen = seenRequests()
  await expect(ingestionWarnings({ api, projectId: '7' }, 'x')).rejects.toMatchObject({ kind: 'timeout' })
  await expect(eventQuota({ api, projectId: '7' })).rejects.toMatchObject({ kind: 'timeout' })
  expect(seen.map(({ failure }) => failure)).toEqual(['timeout', 'timeout'])
})

test('the quota of events is read', async () => {
  const limited = { events: { limited: true, usage: 5, limit: 4 }, other: { limited: 'not ours' } }
  const { api } = await serverWith({ body: { limited, code_usage_billing_active: false } })
  expect(await eventQuota({ api, projectId: '7' })).toEqual({ limited: true, usage: 5, limit: 4 })
})

test('a project key is tried without a flag, and whatever comes back is told', async () => {
  for (const status of [200, 401, 404]) {
    const { server } = await serverWith({ status })
    const key = new Secret('phc_key', 'a test')
    const transport = new Transport({ origin: server.url, secrets: [key] })
    onTestFinished(() => transport.close())
    expect(await tryProjectKey(transport, key, new AbortController().signal)).toBe(status)
    expect(server.asked).toMatchObject([{ method: 'POST', path: '/flags/?v=2' }])
    expect(JSON.parse(server.asked[0]!.body)).toMatchObject({ api_key: 'phc_key', disable_flags: true })
  }
})
