import { expect, test } from 'vitest'
import { type Harness, rows, startHarness, uuid } from '../harness.ts'

const BATCH = [1, 2, 3, 4].map((n) => ({ event: 'a', distinct_id: `u${n}` }))

async function withFaults(...faults: string[]): Promise<Harness & { ask(): ReturnType<Harness['post']> }> {
  const harness = await startHarness({ faults })
  const body = { api_key: harness.sandbox.projectKey, batch: BATCH }
  return { ...harness, ask: () => harness.post('/batch/', body) }
}

const stored = async ({ sandbox }: Harness) => (await rows(sandbox, 'SELECT count() FROM events'))[0]?.[0]

test.each([
  ['429:1', 429, 'rate limited', 0],
  ['503:1', 503, 'service unavailable', 0],
  ['billing', 429, 'billing limit reached', 0],
  ['413', 413, '<html>', 0],
  ['413:events=3', 413, '<html>', 0],
  ['413:events=4', 200, '{"status":"Ok"}', 4],
  ['413:bytes=10', 413, '<html>', 0],
  ['quota', 200, '{"status":"Ok"}', 0],
  ['quota-said', 200, '{"status":"Ok","quota_limited":["events"]}', 0],
  ['html', 200, '<!doctype html>', 0],
  ['partial', 500, 'transient error, please retry', 2],
  ['slow:ms=20', 200, '{"status":"Ok"}', 4],
])('%s', async (spec, status, text, count) => {
  const harness = await withFaults(spec)
  const answer = await harness.ask()
  expect([answer.status, answer.text.slice(0, text.length)]).toEqual([status, text])
  expect(await stored(harness)).toBe(count)
})

test.each([
  ['reset', 0],
  ['lost', 4],
])('%s cuts the connection', async (spec, count) => {
  const harness = await withFaults(`${spec}:times=1`)
  await expect(harness.ask()).rejects.toThrow('fetch failed')
  expect(await stored(harness)).toBe(count)
  expect((await harness.ask()).status).toBe(200)
  expect(harness.sandbox.stats()).toEqual({
    requests: 2,
    accepted: spec === 'lost' ? 2 : 1,
    events: count + 4,
    statuses: { 200: 1 },
    faults: { [spec]: 1 },
  })
})

test('a Retry-After goes with its status', async () => {
  const { ask } = await withFaults('429:retry-after=3')
  expect((await ask()).headers.get('retry-after')).toBe('3')
})

test('the quota is used up after so many events', async () => {
  const { ask, sandbox } = await withFaults('quota:after=8')
  const answers = [await ask(), await ask(), await ask()].map(({ text }) => text)
  expect(new Set(answers)).toEqual(new Set(['{"status":"Ok"}']))
  expect(sandbox.stats().events).toBe(8)
})

test('quota drops what has no quota of its own, and no word of it', async () => {
  const { post, sandbox } = await startHarness({ faults: ['quota'] })
  const names = ['signup', '$exception', '$ai_generation', 'survey sent']
  const batch = names.map((event, n) => ({ event, distinct_id: `u${n}` }))
  const tour = { event: 'survey shown', distinct_id: 'u9', properties: { $product_tour_id: 't' } }
  const answer = await post('/batch/', { api_key: sandbox.projectKey, batch: [...batch, tour] })
  expect(answer.text).toBe('{"status":"Ok"}')
  const left = ['$ai_generation', '$exception', 'survey sent']
  expect((await rows(sandbox, 'SELECT event FROM events ORDER BY event')).flat()).toEqual(left)
})

test('faults can change, and strike the project API when asked to', async () => {
  const { ask, get, sandbox } = await withFaults('500')
  expect((await ask()).status).toBe(500)
  sandbox.setFaults(['429:on=api,retry-after=1,times=1', 'html:on=api,times=1'])
  expect((await ask()).status).toBe(200)
  const throttled = await get('/api/projects/')
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '1'])
  expect(throttled.json()).toMatchObject({ code: 'throttled' })
  expect((await get('/api/projects/')).text).toContain('<!doctype html>')
  expect((await get('/api/projects/')).status).toBe(200)
})

const DELETIONS = '/api/projects/1/data_deletion_requests/'

test.each([
  ['503', '503 {"type":"s', 0],
  ['429', '429 {"type":"t', 0],
  ['html', '200 <!doctype ', 0],
  ['reset', 'none', 0],
  ['lost', 'none', 1],
  ['slow:ms=40', '201 {"id":"', 1],
])('%s of the project API, and of a request for deletion, is what it is called', async (spec, seen, done) => {
  const { ask, get, sandbox } = await startHarness()
  const file = (n: number) =>
    ask(DELETIONS, { query: 'SELECT uuid FROM events', variables: {}, submission_id: uuid(n) })
      .then(({ status, text }) => `${status} ${text}`)
      .catch(() => 'none')
  const filed = async () => ((await get(DELETIONS)).json() as { results: unknown[] }).results.length
  const on = spec.includes(':') ? `${spec},on` : `${spec}:on`
  sandbox.setFaults([`${on}=api,times=1`])
  expect((await file(1)).slice(0, seen.length)).toBe(seen)
  expect(await filed()).toBe(done)
  // A request for deletion is filed before.
  sandbox.setFaults([`${on}=deletion,times=1`])
  expect((await file(2)).slice(0, seen.length)).toBe(seen)
  expect(await filed()).toBe(done + 1)
})
