import { expect, test } from 'vitest'
import { Ledger } from '../../src/sources/ledger.ts'
import { LocalStore } from '../../src/store/local.ts'
import { freshFolder } from './harness.ts'

const IDENTITY = { vendor: 'mixpanel', region: 'us', project: '42' }
const part = (file: string) => ({ file, lines: 3, bytes: 30, sha256: 'a'.repeat(64), asked_at: 5 })

test('what was frozen, asked and put off is known to the next run', async () => {
  const store = new LocalStore(await freshFolder())
  const ledger = await Ledger.open(store, IDENTITY)
  await ledger.flush()
  ledger.freeze('2024-03-02', part('2024-03-02.ndjson.gz'))
  ledger.freeze('2024-03-01', part('2024-03-01.ndjson.gz'))
  ledger.remember('export', [1, 2, 3])
  await ledger.flush()
  ledger.melt(['2024-03-02'])
  await ledger.flush()
  const again = await Ledger.open(store, IDENTITY)
  expect(again.frozen('2024-03-01')).toEqual(part('2024-03-01.ndjson.gz'))
  expect(again.frozen('2024-03-02')).toBeUndefined()
  expect(again.frozen('__proto__')).toBeUndefined()
  expect(again.refetch).toEqual(['2024-03-02'])
  expect(again.asked('export')).toEqual([1, 2, 3])
})

test('writes that meet are shared, and at most one a second unless it matters', async () => {
  const store = new LocalStore(await freshFolder())
  let puts = 0
  const counting: typeof store.put = (name, body, condition) => {
    puts++
    return LocalStore.prototype.put.call(store, name, body, condition)
  }
  store.put = counting
  const ledger = await Ledger.open(store, IDENTITY)
  await ledger.flush()
  for (let i = 0; i < 100; i++) {
    ledger.freeze(`window-${i}`, part(`window-${i}.ndjson.gz`))
    await ledger.save()
  }
  expect(puts).toBeLessThan(5)
  await Promise.all([ledger.flush(), ledger.flush(), ledger.flush()])
  expect(puts).toBeLessThan(6)
  expect((await Ledger.open(store, IDENTITY)).frozen('window-99')).toBeDefined()
})

test.each([
  [{ ...IDENTITY, region: 'eu' }, 'region us there, eu asked for'],
  [{ vendor: 'mixpanel', region: 'us' }, 'project 42 there, unset asked for'],
  [{ ...IDENTITY, events: '["a"]' }, 'events unset there, ["a"] asked for'],
])('the folder of another export is refused', async (identity, words) => {
  const store = new LocalStore(await freshFolder())
  await (await Ledger.open(store, IDENTITY)).flush()
  await expect(Ledger.open(store, identity)).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining(words),
  })
})

test('of two runs on one store, the second to write is stopped', async () => {
  const store = new LocalStore(await freshFolder())
  const [one, two] = [await Ledger.open(store, IDENTITY), await Ledger.open(store, IDENTITY)]
  await one.flush()
  await expect(two.flush()).rejects.toMatchObject({ code: 'mismatch' })
  const three = await Ledger.open(store, IDENTITY)
  one.freeze('a', part('a.ndjson.gz'))
  await one.flush()
  three.freeze('b', part('b.ndjson.gz'))
  await expect(three.flush()).rejects.toMatchObject({ code: 'mismatch' })
})

test('a run that begins stops the one that still writes', async () => {
  const store = new LocalStore(await freshFolder())
  const one = await Ledger.open(store, IDENTITY)
  await one.claim()
  await (await Ledger.open(store, IDENTITY)).claim()
  one.freeze('a', part('a.ndjson.gz'))
  await expect(one.flush()).rejects.toMatchObject({ code: 'mismatch' })
})

test.each([
  '',
  '{',
  '{"version":2}',
  '[]',
  '{"version":1,"tool":"x","export":{},"frozen":{"a":{"file":"../a"}}}',
])('a ledger that is none is refused: %j', async (text) => {
  const store = new LocalStore(await freshFolder())
  await store.put('export.json', Buffer.from(text))
  await expect(Ledger.open(store, IDENTITY)).rejects.toMatchObject({ code: 'input' })
})
