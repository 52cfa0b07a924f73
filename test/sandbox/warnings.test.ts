import { expect, test } from 'vitest'
import { rows, startHarness, uuid } from './harness.ts'

const PATH = '/api/projects/1/ingestion_warnings_v2/'
const TIME = '2024-03-01T00:00:00Z'
const start = Date.parse('2024-03-02T00:00:00Z')

interface Row {
  readonly type: string
  readonly severity: string
  readonly count: number
  readonly samples: readonly { readonly event_uuid: string | null; readonly details: object }[]
}

test('warns of what it drops and changes, an example each', async () => {
  const { get, send, sandbox } = await startHarness({ now: () => start, maxMessageBytes: 5000 })
  const event = (n: number, properties: object, more: object = {}) => {
    return { uuid: uuid(n), event: 'e', distinct_id: 'u', timestamp: TIME, properties, ...more }
  }
  await send([
    event(1, { text: 'x'.repeat(6000) }),
    event(2, { $anon_distinct_id: 'guest' }, { event: '$identify' }),
    event(3, { $anon_distinct_id: 'b' }, { event: '$identify', distinct_id: 'a' }),
    event(4, { $anon_distinct_id: 'c' }, { event: '$identify', distinct_id: 'd' }),
    event(5, { $anon_distinct_id: 'a' }, { event: '$identify', distinct_id: 'd' }),
    event(6, { $group_type: 't', $group_key: 'k'.repeat(401), $group_set: {} }, { event: '$groupidentify' }),
    event(7, { $group_type: 't', $group_key: 'k', $group_set: 1 }, { event: '$groupidentify' }),
    event(8, { $process_person_profile: 'maybe' }),
    event(9, { $process_person_profile: false, $anon_distinct_id: 'z' }, { event: '$identify' }),
    event(10, {}, { distinct_id: 'i'.repeat(201) }),
    event(11, {}),
    event(12, {}, { timestamp: 'soon' }),
    event(13, { $lib: 'shop' }, { uuid: uuid(13).replace('-7000-', '-4000-') }),
    event(14, { $lib: 'shop' }, { uuid: uuid(14).replace('-7000-', '-4000-') }),
    event(15, { $lib: 'posthog-node' }, { uuid: uuid(15).replace('-7000-', '-4000-') }),
  ])
  const rows = (await get(PATH)).json() as Row[]
  const told = rows.map((row) => [row.type, [row.severity, row.count, row.samples[0]?.event_uuid]])
  expect(Object.fromEntries(told)).toEqual({
    message_size_too_large: ['error', 1, uuid(1)],
    cannot_merge_with_illegal_distinct_id: ['warning', 1, uuid(2)],
    cannot_merge_already_identified: ['warning', 1, uuid(5)],
    group_key_too_long: ['error', 1, uuid(6)],
    invalid_group_set: ['error', 1, uuid(7)],
    invalid_process_person_profile: ['warning', 1, uuid(8)],
    invalid_event_when_process_person_profile_is_false: ['error', 1, uuid(9)],
    distinct_id_truncated: ['warning', 1, uuid(10)],
    ignored_invalid_timestamp: ['warning', 1, uuid(12)],
    event_uuid_not_v7: ['warning', 1, uuid(13).replace('-7000-', '-4000-')],
  })
  expect((await sandbox.query('SELECT count() FROM events')).results).toEqual([[12]])
})

test('tells the warnings since a time, and forgets them after 90 days', async () => {
  const { get, send, sandbox } = await startHarness({ dropEventsOlderThan: 30, now: () => start })
  const old = { event: 'e', distinct_id: 'u', timestamp: '2023-01-01T00:00:00Z' }
  await send([{ ...old, uuid: uuid(1) }])
  sandbox.advance(3_600_000)
  await send([
    { ...old, uuid: uuid(2) },
    { ...old, uuid: uuid(3), properties: { $process_person_profile: 1 }, timestamp: TIME },
  ])
  const asked = async (query: string) => (await get(PATH + query)).json() as Row[]
  expect(await asked('')).toMatchObject([
    {
      type: 'event_dropped_too_old',
      category: 'event',
      severity: 'info',
      count: 2,
      samples: [{ event_uuid: uuid(2), distinct_id: 'u', source: 'plugin-server' }, { event_uuid: uuid(1) }],
    },
    { type: 'invalid_process_person_profile', count: 1 },
  ])
  expect(await asked('?since=2024-03-02T00:30:00Z')).toMatchObject([{ count: 1 }, { count: 1 }])
  expect((await get(`${PATH}?since=never`)).status).toBe(400)
  sandbox.advance(91 * 86_400_000)
  expect(await asked('?since=2024-01-01T00:00:00Z')).toEqual([])
})

test('Capture V1 warns of the events that it drops', async () => {
  const { get, sandbox } = await startHarness({ now: () => start })
  const headers = {
    authorization: `Bearer ${sandbox.projectKey}`,
    'content-type': 'application/json',
    'PostHog-Sdk-Info': 'test/1',
    'PostHog-Attempt': '1',
    'PostHog-Request-Id': uuid(99),
    'PostHog-Request-Timestamp': TIME,
  }
  const batch = [{ uuid: uuid(1), event: '', distinct_id: 'u', timestamp: TIME, properties: {} }]
  const body = JSON.stringify({ created_at: TIME, historical_migration: true, batch })
  const answer = await fetch(`${sandbox.url}/i/v1/analytics/events/`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  expect((await get(PATH)).json()).toMatchObject([
    { type: 'missing_event_name', severity: 'error', samples: [{ source: 'capture', event_uuid: uuid(1) }] },
  ])
})

test('over its quota a project loses events without a word, and says what it took', async () => {
  const { get, send, sandbox } = await startHarness({ quota: { events: 2 } })
  const named = (event: string) => ({ event, distinct_id: 'u' })
  await send([named('a'), named('b')])
  await send([named('c'), named('$exception'), named('survey sent')])
  expect((await rows(sandbox, 'SELECT event FROM events ORDER BY event')).flat()).toEqual([
    '$exception',
    'a',
    'b',
    'survey sent',
  ])
  expect((await get('/api/projects/1/quota_limits/')).json()).toEqual({
    limited: { events: { limited: true, usage: 2, limit: 2 } },
    code_usage_billing_active: false,
  })
})

test.each(['quota', 'quota-said'])('says so while the fault `%s` drops events', async (fault) => {
  const { get, send, sandbox } = await startHarness({ faults: [`${fault}:after=2`] })
  const standing = async () =>
    ((await get('/api/projects/1/quota_limits/')).json() as { limited: { events: unknown } }).limited.events
  expect(await standing()).toEqual({ limited: false, usage: 0, limit: null })
  await send(['a', 'b'].map((event) => ({ event, distinct_id: 'u' })))
  expect(await standing()).toEqual({ limited: true, usage: 2, limit: 2 })
  sandbox.setFaults([])
  expect(await standing()).toEqual({ limited: false, usage: 2, limit: null })
})

test('older and self-hosted servers have neither; a key needs the scopes', async () => {
  const dialect = { ingestionWarnings: 'absent', quotaLimits: 'absent' } as const
  const older = await startHarness({ dialect })
  const paths = [PATH, '/api/projects/1/quota_limits/']
  for (const path of paths) expect((await older.get(path)).status, path).toBe(404)
  const key = { key: 'phx_few', scopes: ['query:read'] }
  const { get } = await startHarness({ personalKeys: [key] })
  for (const [at, scope] of ['ingestion_warning:read', 'project:read'].entries()) {
    const answer = await get(paths[at]!, 'phx_few')
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(scope)])
  }
})

test('flags are refused for a project key that is not known', async () => {
  const { post, sandbox } = await startHarness()
  const status = async (body: object) => (await post('/flags/?v=2', { distinct_id: 'u', ...body })).status
  expect(await status({ api_key: sandbox.projectKey })).toBe(200)
  expect(await status({ token: sandbox.projectKey })).toBe(200)
  expect(await status({ api_key: 'phc_other' })).toBe(401)
  expect(await status({})).toBe(401)
  expect(
    (await post('/batch/', { api_key: 'phc_other', batch: [{ event: 'e', distinct_id: 'u' }] })).status,
  ).toBe(200)
})
