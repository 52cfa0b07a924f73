import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PosthaulError } from '../../../src/errors.ts'
import { readTry, triesIn } from '../../../src/jobs/fleet/look.ts'
import { Try } from '../../../src/transform/fleet/tries.ts'
import { MemoryStore } from '../../helpers/memory-store.ts'

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2024, 2, 1, 10) }))
afterEach(() => void vi.useRealTimers())

const begin = (store: MemoryStore, index = 12) =>
  Try.begin(store, { plan: 'plan-1', stage: 'map', index, of: 1000 })
const listed = async (store: MemoryStore) => triesIn(await store.list())
const only = async (store: MemoryStore) => {
  const [one] = await listed(store)
  return { one: one!, record: await readTry(store, one!.name, 'plan-1') }
}

test('a try is seen from its start, and each beat says how far it is', async () => {
  const store = new MemoryStore()
  const task = await begin(store)
  expect((await only(store)).record).toMatchObject({ state: 'running', stage: 'map', index: 12, of: 1000 })
  task.progress(300)
  task.progress(200)
  await vi.advanceTimersByTimeAsync(30_000)
  const { one, record } = await only(store)
  expect(one.name).toMatch(/^tries\/map\/000012-20240301T100000-[0-9a-f]{8}\.json$/)
  expect(record).toMatchObject({ bytes: 500, at: '2024-03-01T10:00:30.000Z', seconds: 30, error: null })
  expect(record?.started_at).toBe('2024-03-01T10:00:00.000Z')
  expect(record?.peak_memory).toBeGreaterThan(1e6)
})

test('how a try ended and how long it took is in the name alone, so that ten thousand need one listing', async () => {
  const store = new MemoryStore()
  const good = await begin(store)
  await vi.advanceTimersByTimeAsync(95_000)
  await good.done()
  const bad = await begin(store, 7)
  await bad.failed(new PosthaulError('the bucket is full', { code: 'paused', fate: 'retry', hint: 'wait' }))
  const tries = await listed(store)
  expect(tries).toMatchObject([
    { index: 12, state: 'done', seconds: 95 },
    { index: 7, state: 'failed', seconds: 0 },
  ])
  const record = await readTry(store, tries[1]!.name, 'plan-1')
  expect(record?.error).toEqual({
    code: 'paused',
    exit: 5,
    fate: 'retry',
    message: 'the bucket is full',
    hint: 'wait',
  })
  await vi.advanceTimersByTimeAsync(90_000)
  expect(store.files.size).toBe(2)
})

test('a signal gives its own exit code, and a bug is told as one', async () => {
  const store = new MemoryStore()
  await (await begin(store)).failed(new PosthaulError('stopped', { code: 'interrupted' }), 143)
  expect((await only(store)).record?.error).toMatchObject({ code: 'interrupted', exit: 143 })
  const other = new MemoryStore()
  await (await begin(other)).failed(new TypeError('x is undefined'))
  expect((await only(other)).record?.error).toMatchObject({ code: 'bug', exit: 1, fate: 'stop' })
})

test('a store that refuses the records fails no task', async () => {
  const store = new MemoryStore()
  store.put = () => Promise.reject(new PosthaulError('cannot write', { code: 'paused' }))
  store.remove = () => Promise.reject(new PosthaulError('cannot remove', { code: 'paused' }))
  const task = await begin(store)
  await vi.advanceTimersByTimeAsync(60_000)
  await task.done()
  expect(store.files.size).toBe(0)
})

test('a beat that is late does not bring a try back that has ended', async () => {
  const store = new MemoryStore()
  const task = await begin(store)
  const put = store.put.bind(store)
  const waiting: Array<() => void> = []
  store.put = async (name, body) => {
    await new Promise<void>((go) => waiting.push(go))
    return put(name, body)
  }
  await vi.advanceTimersByTimeAsync(90_000)
  expect(waiting.length).toBe(1)
  const end = task.done()
  waiting[0]!()
  await vi.waitFor(() => expect(waiting.length).toBe(2))
  waiting[1]!()
  await end
  expect(await listed(store)).toMatchObject([{ state: 'done' }])
  expect(store.files.size).toBe(1)
})

test('of a try that died between its last two requests the end holds; what is no record is passed over', async () => {
  const id = '20240301T100000-0a1b2c3d'
  const names = [
    `map/000001-${id}.done.5.json`,
    `map/000001-${id}.json`,
    'map/000002.json',
    'nap/000001-x.json',
  ]
  for (const order of [names, [...names].reverse()]) {
    const tries = triesIn(order.map((name) => ({ name: `tries/${name}`, bytes: 1 })))
    expect(tries).toMatchObject([{ index: 1, state: 'done', seconds: 5 }])
  }
  const store = new MemoryStore()
  await begin(store)
  const { name } = (await only(store)).one
  expect(await readTry(store, name, 'plan-2')).toBeUndefined()
  await store.put(name, Buffer.from('{"plan":"plan-1"'))
  expect(await readTry(store, name, 'plan-1')).toBeUndefined()
})
