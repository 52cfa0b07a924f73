import { afterAll, beforeAll, expect, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import { uuidV5 } from '../../src/record/uuid.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { Api } from '../../src/service/api.ts'
import { countEvents, type EventCount } from '../../src/service/event-counts.ts'

const NAMESPACE = '706f7374-6861-756c-0000-000000000000'

let sandbox: Sandbox
let api: Api
beforeAll(async () => {
  // The days of this zone are not those of UTC; nothing may depend on that.
  sandbox = await startSandbox({ timeZone: 'America/Los_Angeles' })
  api = new Api({
    settings: {
      origin: { value: sandbox.url, source: 'env', from: 'POSTHOG_HOST' },
      personalKey: new Secret(sandbox.personalKey, 'a test'),
      projectId: undefined,
    },
    signal: new AbortController().signal,
    onWait: () => {},
  })
  const batch = expected().flatMap(({ day, event, count }) =>
    Array.from({ length: count }, (_, i) => ({
      uuid: uuidV5(NAMESPACE, `${day} ${event} ${i}`),
      event,
      // Events at the edges of each day, where a wrong zone would show.
      timestamp: `${day}T${i % 2 ? '00:00:00.000000' : '23:59:59.999999'}Z`,
      properties: { distinct_id: `u${i}` },
    })),
  )
  const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
  // All are sent twice, as after a lost answer: until the service merges, it holds each twice.
  for (let time = 0; time < 2; time++) await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
})
afterAll(async () => {
  await api.close()
  await sandbox.close()
})

/** Seven days with up to nine names each; days and names in the order of bytes. */
function expected(): EventCount[] {
  return ['02-26', '02-27', '02-28', '02-29', '03-01', '03-02', '03-05'].flatMap((date, i) =>
    ["it's", 'a\\b', 'c', 'd', 'e', 'f', 'g', 'h', 'ü']
      .sort()
      .slice(0, (i % 3) * 4 + 1)
      .map((event, n) => ({ day: `2024-${date}`, event, count: 1 + ((i + n) % 4) })),
  )
}

async function counted(first: string, last: string, maxRows?: number): Promise<EventCount[]> {
  const counts: EventCount[] = []
  for await (const count of countEvents(api, String(sandbox.projectId), first, last, maxRows))
    counts.push(count)
  return counts
}

test.each([undefined, 1, 2, 3, 5, 9, 10, 50])('every count once, in pages of %s rows', async (maxRows) => {
  expect(await counted('2024-02-01', '2024-03-31', maxRows)).toEqual(expected())
})

test('only the days that are asked for', async () => {
  expect(await counted('2024-02-29', '2024-02-29')).toEqual(
    expected().filter(({ day }) => day === '2024-02-29'),
  )
  expect(await counted('2024-03-03', '2024-03-04')).toEqual([])
})
