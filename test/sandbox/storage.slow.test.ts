import { expect, test } from 'vitest'
import { rows, startHarness, uuid } from './harness.ts'

const DAY = 86_400
const event = (n: number, more: object = {}) => ({
  uuid: uuid(n),
  event: 'signup',
  distinct_id: `u${n}`,
  timestamp: '2024-03-01T12:00:00.000Z',
  properties: { $set: { plan: 'pro' }, $os: 'Linux', seats: 3 },
  ...more,
})
const SEEN = 'SELECT properties.$set.plan, properties.$set.$os, properties.seats FROM events'
const PERSON = 'SELECT properties.plan, properties.$os FROM persons'

test('what an event set is gone 60 days after it came, and stays with the person', async () => {
  const { sandbox, send, ask } = await startHarness({ storage: 'json' })
  await send([event(1)])
  expect(await rows(sandbox, SEEN)).toEqual([['pro', 'Linux', '3']])
  expect((await ask('/_sandbox', { advance: 59 * DAY })).status).toBe(200)
  expect(await rows(sandbox, SEEN)).toEqual([['pro', 'Linux', '3']])
  await ask('/_sandbox', { advance: DAY + 1 })
  expect(await rows(sandbox, SEEN)).toEqual([[null, null, '3']])
  expect(await rows(sandbox, PERSON)).toEqual([['pro', 'Linux']])
})

test('the table of before keeps it', async () => {
  const { sandbox, send } = await startHarness({ storage: 'table' })
  await send([event(1)])
  sandbox.advance(100 * DAY * 1000)
  expect(await rows(sandbox, SEEN)).toEqual([['pro', 'Linux', '3']])
})

test('events of flags are not among the events', async () => {
  const called = event(2, { event: '$feature_flag_called' })
  const counts = []
  for (const storage of ['json', 'table'] as const) {
    const { sandbox, send } = await startHarness({ storage })
    await send([event(1), called])
    counts.push((await rows(sandbox, 'SELECT count() FROM events'))[0])
  }
  expect(counts).toEqual([[1], [2]])
})

test('an event whose lists are nested too deep has one property', async () => {
  const { sandbox, send } = await startHarness({ storage: 'json' })
  const deep = { a: [[[[[[[[[1]]]]]]]]], $ip: '10.0.0.1', $geoip_disable: true }
  await send([event(1, { properties: { deep } })])
  const [row] = await rows(sandbox, 'SELECT properties.deep, properties.$unparseable_properties FROM events')
  expect(row?.[0]).toBeNull()
  expect(JSON.parse(String(row?.[1]))).toMatchObject({ deep })
})

test('orders to the sandbox need its key, and say what is wrong with them', async () => {
  const { ask, get } = await startHarness({ personalKeys: [{ key: 'phx_reader', scopes: ['query:read'] }] })
  expect((await ask('/_sandbox', { advance: 1 }, 'phx_reader')).status).toBe(403)
  expect((await ask('/_sandbox', { advance: -1 })).status).toBe(400)
  expect((await ask('/_sandbox', { faults: ['nonsense'] })).status).toBe(400)
  expect((await ask('/_sandbox', { faults: ['503:on=api'] })).status).toBe(200)
  expect((await get('/api/projects/')).status).toBe(503)
})
