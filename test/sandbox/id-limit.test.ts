import { expect, test } from 'vitest'
import { rows, startHarness, uuid } from './harness.ts'

const sent = (n: number, distinct_id: string) => ({
  uuid: uuid(n),
  event: 'e',
  distinct_id,
  timestamp: '2024-03-01T00:00:00Z',
  properties: { $set: { n } },
})

test('more events a minute of one distinct_id are stored without their person, and warned of', async () => {
  // A clock may tell fractions of a millisecond.
  const now = () => Date.parse('2024-03-02T00:00:00Z') + 0.5
  const { send, get, sandbox } = await startHarness({ maxEventsPerId: 2, now })
  await send([sent(1, 'busy'), sent(2, 'busy'), sent(3, 'busy'), sent(4, 'calm')])
  const answer = await get('/api/projects/1/ingestion_warnings_v2/')
  expect(answer.json()).toMatchObject([
    { type: 'high_volume_distinct_id', severity: 'warning', count: 1, samples: [{ event_uuid: uuid(3) }] },
  ])
  sandbox.advance(60_000)
  await send([sent(5, 'busy')])
  const kept = 'SELECT properties.$process_person_profile FROM events ORDER BY uuid'
  expect(await rows(sandbox, kept)).toEqual([[null], [null], ['false'], [null], [null]])
})
