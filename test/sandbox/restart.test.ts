import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { arrivedQuery } from '../../src/service/arrived.ts'
import { testFolder } from '../helpers/folder.ts'
import { rows, startHarness, uuid } from './harness.ts'

const group = (plan: string) => ({
  uuid: uuid(1),
  event: '$groupidentify',
  distinct_id: 'company_acme',
  timestamp: '2024-03-01T00:00:00Z',
  properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan } },
})

test('events, groups and keys outlive a restart', async () => {
  const data = testFolder()
  const before = await startHarness({ data })
  await before.send([group('free'), { event: 'a', distinct_id: 'u', uuid: uuid(2) }])
  await before.sandbox.close()

  const after = await startHarness({ data })
  expect(after.sandbox.projectKey).toBe(before.sandbox.projectKey)
  expect(after.sandbox.personalKey).toBe(before.sandbox.personalKey)
  await after.send([group('pro')])
  expect(await rows(after.sandbox, 'SELECT count() FROM events')).toEqual([[2]])
  expect(await rows(after.sandbox, 'SELECT index, key, properties.plan FROM groups')).toEqual([
    [0, 'acme', 'pro'],
  ])
})

test('a restart answers alike: the same counts and prints for the same queries', async () => {
  const data = testFolder()
  // What arrived long ago is merged by then, before the restart as after it.
  const now = Date.UTC(2026, 5, 1)
  const before = await startHarness({ data, now: () => now })
  const batch = Array.from({ length: 3000 }, (_, n) => ({
    uuid: uuid(n % 2900),
    event: `e${n % 7}`,
    distinct_id: `u${n % 90}`,
    timestamp: new Date(Date.UTC(2026, 0, 1 + (n % 29))).toISOString(),
    properties: { n: n % 2900, $groups: { company: `c${n % 5}` }, ...(n % 3 === 0 && { $set: { n } }) },
  }))
  for (let at = 0; at < batch.length; at += 500) await before.send(batch.slice(at, at + 500))
  const filter = { first: '2026-01-01', last: '2026-01-29', importIds: null }
  const questions = [
    arrivedQuery(filter, false, undefined, 50_000),
    arrivedQuery(filter, true, undefined, 50_000),
    'SELECT event, count(), count(DISTINCT person_id), max(person.properties.n) FROM events GROUP BY event ORDER BY event',
    'SELECT $group_0, count() FROM events GROUP BY $group_0 ORDER BY $group_0',
    'SELECT uuid, timestamp, properties FROM events ORDER BY uuid, timestamp LIMIT 5000',
    'SELECT id, properties FROM persons ORDER BY id LIMIT 5000',
  ]
  const answers = async ({ query }: typeof before) => {
    const found: unknown[] = []
    for (const sql of questions) {
      const answer = await query(sql)
      expect(answer.status, `${sql}\n${answer.text}`).toBe(200)
      found.push((answer.json() as { results: unknown }).results)
    }
    return found
  }
  const first = await answers(before)
  await before.sandbox.close()
  const after = await startHarness({ data, now: () => now })
  expect(await answers(after)).toEqual(first)
})

test('a temporary folder goes with its sandbox, a given one stays', async () => {
  const data = testFolder()
  const [temporary, kept] = [await startHarness(), await startHarness({ data })]
  expect(existsSync(temporary.sandbox.data)).toBe(true)
  await temporary.sandbox.close()
  await kept.sandbox.close()
  expect(existsSync(temporary.sandbox.data)).toBe(false)
  expect(existsSync(join(data, 'sandbox.duckdb'))).toBe(true)
})

test('closing twice, and under way requests, do no harm', async () => {
  const { sandbox, send } = await startHarness()
  const sending = send([{ event: 'a', distinct_id: 'u' }]).catch(() => undefined)
  await Promise.all([sandbox.close(), sandbox.close(), sending])
})

test.each([
  [
    'a folder that another sandbox uses',
    'locked',
    async (data: string) => void (await startHarness({ data })),
  ],
  ['a folder of something else', 'config', (data: string) => writeFileSync(join(data, 'sandbox.json'), '{}')],
  [
    'a damaged file',
    'config',
    (data: string) => writeFileSync(join(data, 'sandbox.duckdb'), 'x'.repeat(5000)),
  ],
])('%s is a clear error', async (_, code, spoil) => {
  const data = testFolder()
  await spoil(data)
  await expect(startHarness({ data })).rejects.toMatchObject({ name: 'PosthaulError', code })
})

test('a folder that can not be made is a clear error', async () => {
  const data = join(testFolder(), 'file')
  writeFileSync(data, '')
  await expect(startHarness({ data })).rejects.toMatchObject({ name: 'PosthaulError', code: 'config' })
})

test('a port that is taken is a clear error', async () => {
  const { sandbox } = await startHarness()
  await expect(startHarness({ port: sandbox.port })).rejects.toMatchObject({
    name: 'PosthaulError',
    message: expect.stringContaining('the port is taken'),
  })
})
