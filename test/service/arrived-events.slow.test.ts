import { expect, test } from 'vitest'
import { arrivedEvents } from '../../src/service/arrived-events.ts'
import { apiAt } from '../helpers/api.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

test('finds the events that are there, at both edges of a UTC day and under any name', async () => {
  // The days of this zone are not those of UTC.
  const sandbox = await testSandbox({ timeZone: 'America/Los_Angeles' })
  const api = apiAt(sandbox.url, { key: sandbox.personalKey })
  const day = '2024-02-29'
  const events = ["it's", 'a\\b', 'ü', '$pageview'].flatMap((event, i) => [
    { uuid: uuid(2 * i), event, timestamp: `${day}T00:00:00.000000Z` },
    { uuid: uuid(2 * i + 1), event, timestamp: `${day}T23:59:59.999999Z` },
  ])
  const batch = events.map((event) => ({ ...event, distinct_id: 'u' }))
  const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
  // Twice, as after a lost answer: until the service merges, it holds each twice.
  for (let time = 0; time < 2; time++) await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })

  const wanted = events.map((event) => ({ day, event: event.event, uuid: event.uuid }))
  const others = [
    { day, event: "it's", uuid: uuid(90) },
    { day: '2024-03-01', event: 'ü', uuid: uuid(4) },
    { day, event: '$pageleave', uuid: uuid(6) },
  ]
  const found = await arrivedEvents({ api, projectId: String(sandbox.projectId) }, [...others, ...wanted])
  expect([...found].sort()).toEqual(events.map((event) => event.uuid))
  expect(await arrivedEvents({ api, projectId: String(sandbox.projectId) }, others)).toEqual(new Set())
})
