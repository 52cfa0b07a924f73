import { expect, test } from 'vitest'
import { readProjectSettings } from '../../src/sandbox/project-setting.ts'
import { startHarness, uuid } from './harness.ts'

test('settings are read, the last of a name wins', () => {
  expect(
    readProjectSettings(
      `drop_events_older_than=7 drop_events_older_than=30 event_retention_months=12
      timezone=Europe/Berlin quota_events=5
      event_rules={"enforced":{"a":{"n":"Numeric"}}}`.split(/\s+/),
    ),
  ).toEqual({
    dropEventsOlderThan: 30,
    retentionMonths: 12,
    timeZone: 'Europe/Berlin',
    quota: { events: 5 },
    eventRules: { enforced: { a: { n: 'Numeric' } } },
  })
})

test.each([
  ['nope=1', "there is no setting 'nope'"],
  ['toString=1', "there is no setting 'toString'"],
  ['quota=5', "there is no setting 'quota'"],
  ['quota_events', "'' is no value of it"],
  ['timezone=Mars', "'Mars' is no value of it"],
  ["timezone=UTC'; DROP TABLE x", 'is no value of it'],
  ['drop_events_older_than=-1', "'-1' is no value of it"],
  ['event_retention_months=-12', "'-12' is no value of it"],
  ['event_rules={"filter":1}', 'is no value of it'],
])('%s is refused', (spec, reason) => {
  expect(() => readProjectSettings([spec])).toThrow(reason)
})

test('a duplicate is seen until its merge, which comes when the project says', async () => {
  let now = Date.parse('2024-06-01T00:00:00Z')
  const { send, query } = await startHarness({ mergeAfterMs: 600_000, now: () => now })
  const event = { uuid: uuid(1), event: 'a', distinct_id: 'u', timestamp: '2024-01-01T00:00:00Z' }
  await send([event])
  await send([event])
  const count = async () =>
    ((await query('SELECT count() FROM events')).json() as { results: unknown }).results
  now += 600_000
  expect(await count()).toEqual([[2]])
  now += 1
  expect(await count()).toEqual([[1]])
})

test('a retention hides older events from queries and downloads, which are taken all the same', async () => {
  // Of March's last day a month before is February's.
  const now = Date.parse('2024-03-31T12:00:00Z')
  const { sandbox, send, query, get, ask } = await startHarness({ retentionMonths: 1, now: () => now })
  const times = ['2023-03-01T00:00:00Z', '2024-02-29T11:59:59Z', '2024-02-29T12:05:00Z']
  await send(times.map((timestamp, n) => ({ uuid: uuid(n), event: `e${n}`, distinct_id: 'u', timestamp })))
  expect(sandbox.stats().events).toBe(3)
  expect((await query('SELECT event FROM events')).json()).toMatchObject({ results: [['e2']] })
  const retention = { event_retention_months: 1, events_retention_enforced: true }
  expect((await get('/api/projects/1/')).json()).toMatchObject(retention)
  expect((await get('/api/projects/')).json()).toMatchObject({ results: [retention] })
  const order = {
    model: 'events',
    file: { format: 'JSONLines', compression: 'gzip', max_size_mb: 100 },
    data_interval_start: '2024-03-31T00:00:00Z',
    data_interval_end: '2024-03-31T12:01:00Z',
  }
  sandbox.advance(120_000)
  const { id } = (await ask('/api/projects/1/file_download_batch_exports/', order)).json() as { id: string }
  await expect
    .poll(async () => (await get(`/api/projects/1/file_download_batch_exports/${id}/`)).json())
    .toMatchObject({ status: 'Completed', records_completed: 1 })
})
