import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts'
import { type Harness, startHarness, uuid } from './harness.ts'

const BASE = '/api/projects/1/data_deletion_requests/'
const QUERY = "SELECT uuid FROM events WHERE properties.$import_job_id = 'mine'"

const event = (n: number, id = 'mine') => ({
  event: 'e',
  uuid: uuid(n),
  distinct_id: `u${n}`,
  timestamp: '2024-03-01T12:00:00Z',
  properties: { $import_job_id: id, $set: { plan: 'p' } },
})

async function startWith(options: SandboxOptions = {}) {
  const harness = await startHarness(options)
  await harness.send([event(1), event(2), event(3, 'other')])
  return harness
}

const move = (harness: Harness, deletions: string) => harness.ask('/_sandbox', { deletions })
const order = (n: number, query = QUERY) => ({ query, variables: {}, submission_id: uuid(1000 + n) })
const names = async ({ query }: Harness) =>
  (
    (await query('SELECT toString(uuid) FROM events ORDER BY uuid')).json() as { results: string[][] }
  ).results.flat()

test('a query of one column of uuids is counted', async () => {
  const harness = await startWith()
  const preview = (query: string) => harness.ask(`${BASE}preview/`, { query })
  expect((await preview(QUERY)).json()).toEqual({ count: 2 })
  for (const query of ['SELECT uuid, event FROM events', 'SELECT event FROM events', 'SELECT']) {
    const answer = await preview(query)
    expect([answer.status, answer.json()]).toEqual([400, expect.objectContaining({ attr: 'query' })])
  }
})

test('previews are limited, and long queries refused', async () => {
  const harness = await startWith()
  const long = await harness.ask(`${BASE}preview/`, { query: `${QUERY} --${'x'.repeat(100_000)}` })
  expect(long.status).toBe(400)
  for (let n = 0; n < 4; n++)
    expect((await harness.ask(`${BASE}preview/`, { query: QUERY })).status).toBe(200)
  expect((await harness.ask(`${BASE}preview/`, { query: QUERY })).status).toBe(429)
  await harness.ask('/_sandbox', { advance: 60 })
  expect((await harness.ask(`${BASE}preview/`, { query: QUERY })).status).toBe(200)
})

test('a submission id is one request', async () => {
  const harness = await startWith()
  const first = await harness.ask(BASE, order(1))
  const again = await harness.ask(BASE, order(1))
  expect([first.status, again.status]).toEqual([201, 200])
  expect(again.json()).toEqual(first.json())
  expect((await harness.ask(BASE, order(1, `${QUERY} AND true`))).status).toBe(409)
  const list = (await harness.get(BASE)).json() as { results: { id: string; status: string }[] }
  expect(list.results).toEqual([first.json()])
  expect((await harness.get(`${BASE}${list.results[0]!.id}/`)).json()).toMatchObject({ status: 'pending' })
  expect((await harness.get(`${BASE}${uuid(9)}/`)).status).toBe(404)
})

test('at most five requests are active, and ten an hour are taken', async () => {
  const harness = await startWith()
  for (let n = 0; n < 5; n++) expect((await harness.ask(BASE, order(n))).status).toBe(201)
  expect((await harness.ask(BASE, order(5))).status).toBe(409)
  await move(harness, 'fail')
  for (let n = 6; n < 10; n++) expect((await harness.ask(BASE, order(n))).status).toBe(201)
  expect((await harness.ask(BASE, order(10))).status).toBe(429)
})

test('the weekend deletes the uuids of the queue, and what came again under them', async () => {
  const harness = await startWith()
  await harness.ask(BASE, order(1))
  for (const step of ['queue', 'delete']) await move(harness, step)
  expect(await names(harness)).toHaveLength(3)
  for (const step of ['approve', 'queue']) await move(harness, step)
  // One is sent again, and one comes that the query would select, too.
  await harness.send([{ ...event(1), timestamp: '2024-03-02T12:00:00Z' }, event(4)])
  await move(harness, 'delete')
  expect(await names(harness)).toEqual([uuid(3), uuid(4)])
  await harness.send([event(2)])
  expect(await names(harness)).toEqual([uuid(2), uuid(3), uuid(4)])
})

test('persons stay', async () => {
  const harness = await startWith()
  await harness.ask(BASE, order(1, 'SELECT uuid FROM events'))
  for (const step of ['approve', 'queue', 'delete']) await move(harness, step)
  expect(await names(harness)).toEqual([])
  const persons = (await harness.query('SELECT count() FROM persons')).json()
  expect(persons).toMatchObject({ results: [[3]] })
})

test.each([
  ['refused', 403, 'Self-service data deletion is not enabled for this project.'],
  ['absent', 404, 'Endpoint not found.'],
] as const)('%s: no request is taken', async (dataDeletion, status, detail) => {
  const harness = await startHarness({ dialect: { dataDeletion } })
  const answer = await harness.ask(BASE, order(1))
  expect([answer.status, answer.json()]).toEqual([status, expect.objectContaining({ detail })])
})

test('the scopes are data_deletion:read and data_deletion:write', async () => {
  const reader = { key: 'phx_reader', scopes: ['data_deletion:read'] }
  const harness = await startHarness({ personalKeys: [reader] })
  expect((await harness.get(BASE, reader.key)).status).toBe(200)
  expect((await harness.ask(BASE, order(1), reader.key)).status).toBe(403)
})
