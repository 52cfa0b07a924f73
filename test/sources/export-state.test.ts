import { expect, onTestFinished, test, vi } from 'vitest'
import { ExportState } from '../../src/sources/export-state.ts'
import { LocalStore } from '../../src/store/local.ts'
import { freshStore } from './harness.ts'

const IDENTITY = { vendor: 'mixpanel', region: 'us', project: '42' }
const part = (file: string) => ({ file, lines: 3, bytes: 30, sha256: 'a'.repeat(64), asked_at: 5 })

test('parts, request times and windows to fetch anew are known to the next run', async () => {
  const store = freshStore()
  const state = await ExportState.open(store, IDENTITY)
  await state.flush()
  state.freeze('2024-03-02', part('2024-03-02.ndjson.gz'))
  state.freeze('2024-03-01', part('2024-03-01.ndjson.gz'))
  await state.memory.remember('export', [1, 2, 3], false)
  await state.flush()
  state.melt(['2024-03-02'])
  await state.flush()
  const again = await ExportState.open(store, IDENTITY)
  expect(again.frozen('2024-03-01')).toEqual(part('2024-03-01.ndjson.gz'))
  expect(again.frozen('2024-03-02')).toBeUndefined()
  expect(again.frozen('__proto__')).toBeUndefined()
  expect(again.refetch).toEqual(['2024-03-02'])
  expect(again.memory.asked('export')).toEqual([1, 2, 3])
})

test('writes that meet are shared, and at most one a second unless it matters', async () => {
  const store = freshStore()
  let puts = 0
  const counting: typeof store.put = (name, body, condition) => {
    puts++
    return LocalStore.prototype.put.call(store, name, body, condition)
  }
  store.put = counting
  const state = await ExportState.open(store, IDENTITY)
  await state.flush()
  for (let i = 0; i < 100; i++) {
    state.freeze(`window-${i}`, part(`window-${i}.ndjson.gz`))
    await state.save()
  }
  expect(puts).toBeLessThan(5)
  await Promise.all([state.flush(), state.flush(), state.flush()])
  expect(puts).toBeLessThan(6)
  expect((await ExportState.open(store, IDENTITY)).frozen('window-99')).toBeDefined()
})

test.each([
  [{ ...IDENTITY, region: 'eu' }, 'region us there, eu asked for'],
  [{ vendor: 'mixpanel', region: 'us' }, 'project 42 there, unset asked for'],
  [{ ...IDENTITY, events: '["a"]' }, 'events unset there, ["a"] asked for'],
])('the folder of another export is refused', async (identity, words) => {
  const store = freshStore()
  await (await ExportState.open(store, IDENTITY)).flush()
  await expect(ExportState.open(store, identity)).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining(words),
  })
})

test('of two runs on one store, the second to write is stopped', async () => {
  const store = freshStore()
  const [one, two] = [await ExportState.open(store, IDENTITY), await ExportState.open(store, IDENTITY)]
  await one.flush()
  await expect(two.flush()).rejects.toMatchObject({ code: 'mismatch' })
  const three = await ExportState.open(store, IDENTITY)
  one.freeze('a', part('a.ndjson.gz'))
  await one.flush()
  three.freeze('b', part('b.ndjson.gz'))
  await expect(three.flush()).rejects.toMatchObject({ code: 'mismatch' })
})

test('a run that begins stops the one that still writes, within the same millisecond, too', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2024, 2, 1))
  onTestFinished(() => now.mockRestore())
  const store = freshStore()
  const one = await ExportState.open(store, IDENTITY)
  await one.claim()
  await (await ExportState.open(store, IDENTITY)).claim()
  one.freeze('a', part('a.ndjson.gz'))
  await expect(one.flush()).rejects.toMatchObject({ code: 'mismatch' })
})
