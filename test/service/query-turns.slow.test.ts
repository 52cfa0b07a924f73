import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import type { Api } from '../../src/service/api.ts'
import { runQuery } from '../../src/service/query.ts'
import { bearer } from '../../src/sources/vendor-client.ts'
import { windowsOf } from '../../src/sources/window.ts'
import { MS_PER_DAY } from '../../src/text/units.ts'
import { openApi } from '../helpers/api.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { listening } from '../helpers/listening.ts'
import { startHarness, uuid } from '../sandbox/harness.ts'
import { exportInto, freshStore, recordsOf } from '../sources/harness.ts'
import { posthogFrom } from '../sources/orders.ts'

/** The limits of the query endpoint are the project's, whoever asks. */

const NOW = Date.UTC(2024, 11, 1)
const FROM = Date.UTC(2024, 0, 1)

const events = (days: number) =>
  Array.from({ length: days }, (_, n) => ({
    uuid: uuid(n),
    event: 'a',
    distinct_id: 'u',
    timestamp: new Date(FROM + n * MS_PER_DAY).toISOString(),
  }))

function apiOf(url: string, key: string, clock: FakeClock, waits: string[] = []): Api {
  return openApi(url, { key, clock, onWait: ({ why }) => void waits.push(why) })
}

const order = (url: string, key: string, clock: FakeClock, days: number) =>
  posthogFrom(url, {
    projectId: '1',
    credentials: bearer(new Secret(key, 'a test')),
    windows: windowsOf(FROM, FROM + days * MS_PER_DAY, MS_PER_DAY),
    clock,
    quietMs: 120_000,
  })

test('no more than three queries are under way at once, of exports and of others together', async () => {
  const { sandbox, send } = await startHarness({ now: () => NOW })
  await send(events(20))
  let [active, most] = [0, 0]
  const url = await listening(
    createServer(async (request, response) => {
      active++
      most = Math.max(most, active)
      let body = ''
      for await (const chunk of request) body += chunk
      const { authorization = '' } = request.headers
      const answer = await fetch(sandbox.url + request.url, {
        method: 'POST',
        headers: { authorization },
        body,
      })
      const text = await answer.text()
      active--
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
    }),
  )
  const clock = new FakeClock(NOW)
  const { personalKey: key } = sandbox
  const apis = Array.from({ length: 3 }, () => apiOf(url, key, clock))
  const queries = apis.flatMap((api) =>
    Array.from({ length: 10 }, () => runQuery({ api, projectId: '1' }, { query: 'SELECT 1', what: 'it' })),
  )
  const into = freshStore()
  await Promise.all([exportInto(into, order(url, key, clock, 20), { concurrency: 8 }), ...queries])
  await Promise.all(apis.map((api) => api.close()))
  expect(await recordsOf(into)).toHaveLength(20)
  expect(most).toBe(3)
})

const THROTTLE = { perMinute: 10_000, perHour: 120 }

test('a project that takes 120 queries an hour is waited for, and the user is told how long', async () => {
  const clock = new FakeClock(NOW)
  const { sandbox, send } = await startHarness({ now: () => clock.wall(), throttle: THROTTLE })
  await send(events(125))
  const into = freshStore()
  const { notes, retries } = await exportInto(into, order(sandbox.url, sandbox.personalKey, clock, 125), {
    clock,
    retryForMs: 60_000,
    concurrency: 2,
  })
  expect(await recordsOf(into)).toHaveLength(125)
  expect(retries).toEqual([])
  expect(notes).toContainEqual(
    expect.stringMatching(/^PostHog lets this project ask 120 queries an hour: the next is asked in 1 h$/),
  )
  // Whoever asks next, in the same process, knows it.
  const waits: string[] = []
  const api = apiOf(sandbox.url, sandbox.personalKey, clock, waits)
  const ask = () => runQuery({ api, projectId: '1' }, { query: 'SELECT 1', what: 'it' })
  for (let n = 0; n < 130 && waits.length === 0; n++) await ask()
  await api.close()
  expect(waits).toContainEqual(expect.stringContaining('120 queries an hour: '))
})

test('a limit that others use up is waited for, and not taken for one of 120 an hour', async () => {
  const clock = new FakeClock(NOW)
  const { sandbox } = await startHarness({ now: () => clock.wall(), throttle: { ...THROTTLE, perHour: 200 } })
  const waits: string[] = []
  const api = apiOf(sandbox.url, sandbox.personalKey, clock, waits)
  for (let n = 0; n < 210; n++) await runQuery({ api, projectId: '1' }, { query: 'SELECT 1', what: 'it' })
  await api.close()
  expect(new Set(waits)).toEqual(
    new Set([expect.stringContaining('lets this project ask no more queries in this hour')]),
  )
})
