import { expect, test } from 'vitest'
import { REJECTS_LOG } from '../../src/delivery/import-state.ts'
import { NO_LINES, PieceLog } from '../../src/state/line-log.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

const NAME = 'x.rejects.ndjson'
const LONG = `${'l'.repeat(400_000)}\n`

const place = () => new MemoryStore()
const names = async (store: MemoryStore) => (await store.list()).map((file) => file.name)

async function textOf(store: MemoryStore, bytes = Number.MAX_SAFE_INTEGER): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of new PieceLog(store, NAME, REJECTS_LOG).read({ ...NO_LINES, bytes: bytes }))
    chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString()
}

/** A store with three pieces: two that are full, one that grows. */
async function filled() {
  const store = place()
  const rejects = await new PieceLog(store, NAME, REJECTS_LOG).begin()
  for (let n = 0; n < 7; n++) await rejects.append([LONG])
  return { store, digest: rejects.digest }
}

test('there is nothing before there is a reject', async () => {
  const store = place()
  const rejects = await new PieceLog(store, NAME, REJECTS_LOG).begin()
  await rejects.append([])
  expect(await names(store)).toEqual([])
})

test('lines are appended over runs: a piece grows up to its size, then another begins', async () => {
  const { store, digest } = await filled()
  expect(await names(store)).toEqual(['x.rejects.0001.ndjson', 'x.rejects.0002.ndjson', NAME])
  const again = await new PieceLog(store, NAME, REJECTS_LOG).resume(digest)
  await again.append(['a\n', 'b\n'])
  expect(await names(store)).toHaveLength(3)
  expect(await textOf(store)).toBe(`${LONG.repeat(7)}a\nb\n`)
  expect(again.digest.bytes).toBe(7 * LONG.length + 4)
  expect(await textOf(store, 5)).toBe('lllll')
})

test.each([1, 2, 3, 4, 5, 6, 7])('what no checkpoint counts is cut off after %i lines', async (counted) => {
  const { store } = await filled()
  const before = place()
  const known = await new PieceLog(before, NAME, REJECTS_LOG).begin()
  for (let n = 0; n < counted; n++) await known.append([LONG])
  const again = await new PieceLog(store, NAME, REJECTS_LOG).resume(known.digest)
  expect(await textOf(store)).toBe(LONG.repeat(counted))
  await again.append(['next\n'])
  expect(await textOf(store)).toBe(`${LONG.repeat(counted)}next\n`)
})

test('rejects that no checkpoint knows are put aside: they could be ones that a user mended and put back', async () => {
  const { store } = await filled()
  const empty = (await new PieceLog(place(), NAME, REJECTS_LOG).begin()).digest
  const again = await new PieceLog(store, NAME, REJECTS_LOG).resume(empty)
  expect(await names(store)).toEqual([
    'x.rejects.0001.ndjson.old',
    'x.rejects.0002.ndjson.old',
    `${NAME}.old`,
  ])
  await again.append(['a\n'])
  await new PieceLog(store, NAME, REJECTS_LOG).setAside()
  expect(await names(store)).toContain(`${NAME}.old2`)
  expect(await textOf(store)).toBe('')
})

test.each([
  ['changed', (store: MemoryStore) => store.put(NAME, Buffer.from('L'.repeat(3 * LONG.length)))],
  ['shortened', (store: MemoryStore) => store.remove('x.rejects.0002.ndjson')],
  ['taken away in part', (store: MemoryStore) => store.remove(NAME)],
])('rejects that were %s are left alone', async (_, change) => {
  const { store, digest } = await filled()
  await change(store)
  const before = await store.list()
  await expect(new PieceLog(store, NAME, REJECTS_LOG).resume(digest)).rejects.toMatchObject({
    code: 'mismatch',
  })
  await expect(new PieceLog(store, NAME, REJECTS_LOG).begin()).rejects.toMatchObject({ code: 'mismatch' })
  expect(await store.list()).toEqual(before)
})

test('pieces of which one is gone are not read as if they were all', async () => {
  const { store, digest } = await filled()
  await store.remove('x.rejects.0001.ndjson')
  await expect(textOf(store)).rejects.toMatchObject({ code: 'mismatch' })
  const resumed = new PieceLog(store, NAME, REJECTS_LOG).resume(digest)
  await expect(resumed).rejects.toMatchObject({ code: 'mismatch' })
})

test('rejects that were moved away, to be mended, are followed by new ones', async () => {
  const { store, digest } = await filled()
  for (const name of await names(store)) await store.remove(name)
  const again = await new PieceLog(store, NAME, REJECTS_LOG).resume(digest)
  await again.append(['b\n'])
  expect(await textOf(store)).toBe('b\n')
})

test('of two runs at one state, the second to write stops before it writes over the other', async () => {
  const { store, digest } = await filled()
  const [first, second] = [
    await new PieceLog(store, NAME, REJECTS_LOG).resume(digest),
    await new PieceLog(store, NAME, REJECTS_LOG).resume(digest),
  ]
  await second.append(['theirs\n'])
  await expect(first.append(['mine\n'])).rejects.toMatchObject({ code: 'mismatch' })
  expect(await textOf(store)).toBe(`${LONG.repeat(7)}theirs\n`)
})
